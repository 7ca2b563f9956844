//! Files of the repository that the program has in itself, so that a copied program needs no checkout.

use fusion_game::files;
use fusion_registry::KnownGame;

/// A file, by its path below the top folder of the repository.
macro_rules! shipped {
    ($path:literal) => {
        ($path, include_bytes!(concat!("../../", $path)).as_slice())
    };
}

/// The studies that commands take if none is named, and the one that explains every key.
const STUDIES: [(&str, &[u8]); 3] = [
    shipped!("data/studies/quick.toml"),
    shipped!("data/studies/game.toml"),
    shipped!("data/studies/reference.toml"),
];

/// Holds the shipped networks and studies in memory.
pub(crate) fn hold() {
    KnownGame::hold_networks();
    for (path, bytes) in STUDIES {
        files::hold(path, bytes);
    }
}
