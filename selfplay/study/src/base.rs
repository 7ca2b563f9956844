//! Base folder of the relative paths in a study file.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// A file that every checkout has.
const MARK: &str = "scripts/study";

/// Returns the base folder for the relative paths of a study file.
///
/// This is the checkout that holds the file, else the checkout that holds the current folder, else
/// the checkout that holds the program. Outside of all checkouts it is the current folder.
///
/// # Errors
/// Fails if the current folder no longer exists.
pub fn base(study: &Path) -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir().context("finding the current folder")?;
    let program = std::env::current_exe().ok();
    let study = std::path::absolute(study).context("finding the study file")?;
    let places = [Some(study), Some(here.clone()), program];
    let found = places.into_iter().flatten().find_map(|place| checkout(&place));
    Ok(found.unwrap_or(here))
}

/// Makes [`base`] the current folder, so that the study's paths mean the same from everywhere.
/// Paths given on the command line must have been opened before this call.
///
/// # Errors
/// Fails if the folder cannot be entered.
pub fn enter_base(study: &Path) -> anyhow::Result<()> {
    let base = base(study)?;
    std::env::set_current_dir(&base)
        .with_context(|| format!("entering the folder {}", base.display()))
}

/// Returns the checkout that contains a path.
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
        // A file outside of any checkout: tests run in the checkout of the current folder.
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        assert_eq!(base(&folder.path().join("x.toml")).unwrap(), own);
    }
}
