//! A folder in the making: filled under a hidden name, and given its own name when it is whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Distinguishes folders that one process makes at the same time.
static MADE: AtomicU64 = AtomicU64::new(0);

/// Folders that are being filled now; whoever ends the process takes them away.
static IN_THE_MAKING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A hidden folder in which files are written that belong together; dropped before it is finished, it is gone.
#[derive(Debug)]
pub struct NewFolder {
    path: PathBuf,
}

impl NewFolder {
    /// Makes an empty folder inside of `parent`, which must exist.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn inside(parent: &Path) -> io::Result<Self> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!(".folder.{}-{number}.tmp", process::id()));
        fs::create_dir(&path)?;
        registry().push(path.clone());
        Ok(Self { path })
    }

    /// Where it is until it is finished.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the folder its name; there must be nothing of that name.
    ///
    /// # Errors
    /// If something has that name, or the system does not let us rename; the folder is then gone.
    pub fn finish(self, target: &Path) -> io::Result<()> {
        if target.exists() {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "something has that name by now",
            ));
        }
        fs::rename(&self.path, target)
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // After a rename nothing is there; what cannot be removed is in nobody's way.
        let _ = fs::remove_dir_all(&self.path);
        registry().retain(|path| *path != self.path);
    }
}

/// Takes away every folder that is not finished: for a process that is about to end.
pub(crate) fn abandon_all() {
    for path in registry().drain(..) {
        let _ = fs::remove_dir_all(path);
    }
}

fn registry() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    IN_THE_MAKING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_appears_whole_or_leaves_nothing() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let target = parent.path().join("made");
        let dropped = NewFolder::inside(parent.path()).expect("the parent is writable");
        fs::write(dropped.path().join("a"), b"1").expect("a new file");
        drop(dropped);
        assert_eq!(fs::read_dir(parent.path()).expect("the parent").count(), 0);
        let kept = NewFolder::inside(parent.path()).expect("the parent is writable");
        fs::write(kept.path().join("a"), b"1").expect("a new file");
        kept.finish(&target).expect("nothing is in the way");
        assert_eq!(fs::read(target.join("a")).expect("it was moved"), b"1");
        let late = NewFolder::inside(parent.path()).expect("the parent is writable");
        late.finish(&target).expect_err("the name is taken");
        assert_eq!(fs::read_dir(parent.path()).expect("the parent").count(), 1);
    }
}
