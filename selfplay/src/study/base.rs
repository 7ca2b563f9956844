//! Where relative paths in a study file begin.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// A file that every checkout has.
const MARK: &str = "scripts/study";

/// The folder in which relative paths of a study file begin: the checkout that holds the file,
/// else the one that holds the current folder, else the one that holds the program; outside of
/// all checkouts the current folder.
///
/// # Errors
/// A current folder that is gone.
pub fn base(study: &Path) -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir().context("finding the current folder")?;
    let program = std::env::current_exe().ok();
    let study = std::path::absolute(study).context("finding the study file")?;
    let places = [Some(study), Some(here.clone()), program];
    let found = places.into_iter().flatten().find_map(|place| checkout(&place));
    Ok(found.unwrap_or(here))
}

/// Makes [`base`] the current folder, so that paths of the study mean the same from everywhere.
/// Paths given on the command line must have been opened before.
///
/// # Errors
/// A folder that cannot be entered.
pub fn enter_base(study: &Path) -> anyhow::Result<()> {
    let base = base(study)?;
    std::env::set_current_dir(&base)
        .with_context(|| format!("entering the folder {}", base.display()))
}

/// The checkout that a place is in.
fn checkout(place: &Path) -> Option<PathBuf> {
    place.ancestors().find(|folder| folder.join(MARK).is_file()).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_own_checkout_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("a");
        std::fs::create_dir_all(root.join("scripts")).unwrap();
        std::fs::create_dir_all(root.join("data/studies")).unwrap();
        std::fs::write(root.join(MARK), "").unwrap();
        assert_eq!(base(&root.join("data/studies/x.toml")).unwrap(), root);
        // A file outside of any: the checkout of the current folder, which tests are run in.
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert_eq!(base(&folder.path().join("x.toml")).unwrap(), own);
    }
}
