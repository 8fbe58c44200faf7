//! Files written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};
use std::{mem, process, thread};

use crate::error::StoreError;
use crate::new_folder;

/// Distinguishes files that one process writes at the same time.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Held while a file is written.
static WRITING: Mutex<()> = Mutex::new(());

/// Waits until no file is being written, and lets none begin from then on: for a process that is about to end. Folders in the
/// making are taken away.
///
/// Gives up after `patience`: a file may then be half written under its temporary name, and never under its own.
pub fn stop_writing(patience: Duration) {
    const PAUSE: Duration = Duration::from_millis(5);
    let until = Instant::now() + patience;
    new_folder::abandon_all();
    loop {
        match WRITING.try_lock() {
            Ok(guard) => return mem::forget(guard),
            Err(TryLockError::Poisoned(guard)) => return mem::forget(guard),
            Err(TryLockError::WouldBlock) if Instant::now() < until => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return,
        }
    }
}

/// Writes a file so that a reader, or a crash at any moment, sees either the old content or the new one.
///
/// The bytes go to a temporary file in the same folder, are brought to the disk, and take the name by renaming. The folder must exist.
///
/// # Errors
/// If the folder is missing or not writable, or the disk is full; the old file then stays, and the temporary one is removed.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write(path, bytes, Readers::Any)
}

/// Writes a file as [`write_atomic`] does, for its owner alone to read.
///
/// # Errors
/// As [`write_atomic`].
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write(path, bytes, Readers::Owner)
}

/// Who may read a new file.
#[derive(Clone, Copy)]
enum Readers {
    /// Whoever the system lets.
    Any,
    /// Its owner, where the system knows owners.
    Owner,
}

fn write(path: &Path, bytes: &[u8], readers: Readers) -> Result<(), StoreError> {
    let failed = |reason| StoreError::Write {
        path: path.to_owned(),
        reason,
    };
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let temporary = temporary_beside(path).map_err(failed)?;
    let result = write_whole(&temporary, bytes, readers).and_then(|()| fs::rename(&temporary, path));
    if let Err(reason) = result {
        // The first reason is the one to report; a temporary file that cannot be removed changes nothing.
        let _ = fs::remove_file(&temporary);
        return Err(failed(reason));
    }
    sync_folder(path).map_err(failed)
}

/// The name of the file that a temporary one was to become, if `name` is a temporary file of [`write_atomic`].
///
/// A process that is killed while it writes leaves such a file behind; whoever knows that nobody writes any more may
/// remove it.
#[must_use]
pub fn leftover_of(name: &str) -> Option<&str> {
    let (file, numbers) = name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    let (process, number) = numbers.split_once('-')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (!file.is_empty() && digits(process) && digits(number)).then_some(file)
}

fn temporary_beside(path: &Path) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{number}.tmp", process::id()));
    Ok(path.with_file_name(hidden))
}

fn write_whole(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if matches!(readers, Readers::Owner) {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Brings the new name to the disk, where folders can be opened as files.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_content_replaces_the_old_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("fit.json");
        write_atomic(&path, b"old").expect("the folder is writable");
        write_atomic(&path, b"new").expect("the folder is writable");
        assert_eq!(fs::read(&path).expect("it was written"), b"new");
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
    }

    #[test]
    fn a_temporary_file_is_known_by_its_name_and_nothing_else_is() {
        let temporary = temporary_beside(Path::new("out/fit.json")).expect("a file name");
        let name = temporary.file_name().and_then(|name| name.to_str());
        assert_eq!(name.and_then(leftover_of), Some("fit.json"));
        for other in [
            "fit.json",
            ".fit.json",
            ".tmp",
            "..1-2.tmp",
            ".a.1.tmp",
            ".a.1-x.tmp",
            "a.1-2.tmp",
        ] {
            assert_eq!(leftover_of(other), None, "{other}");
        }
    }

    #[test]
    fn a_failed_write_keeps_what_was_there_and_says_the_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("bank.json");
        // A folder under the file's name cannot be replaced by a file.
        fs::create_dir(&path).expect("a new folder");
        fs::write(path.join("kept"), b"1").expect("a new file");
        let error = write_atomic(&path, b"new").expect_err("a folder is in the way");
        assert!(error.to_string().starts_with("cannot write `"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
    }
}
