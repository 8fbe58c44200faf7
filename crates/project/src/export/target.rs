//! Where an export is written: whole or not at all, and over nobody's work.

use std::fs;
use std::path::{Path, PathBuf};

use calibrant_store::formats::{Form, Losses};
use calibrant_store::{NewFolder, write_atomic};

use super::{ExportOptions, Material, export};
use crate::error::ProjectError;

/// Writes what there is in a form, to a file or, where the form is one, a new folder.
///
/// Returns the paths written and what does not survive.
///
/// # Errors
/// As [`export`]; if a file is there that holds something else, a folder is there that is not empty, or the disk is full.
pub fn export_to_path(
    material: Material<'_>,
    options: &ExportOptions,
    out: &Path,
) -> Result<(Vec<PathBuf>, Losses), ProjectError> {
    let exported = export(material, options)?;
    if options.form == Form::HuggingFace {
        return Ok((write_folder(out, &exported.others)?, exported.losses));
    }
    let mut files = vec![(out.to_owned(), &exported.file)];
    files.extend(
        exported
            .others
            .iter()
            .map(|(name, bytes)| (out.with_file_name(beside(out, name)), bytes)),
    );
    for (path, bytes) in &files {
        refuse_to_replace(path, bytes)?;
    }
    for (path, bytes) in &files {
        write_atomic(path, bytes)?;
    }
    Ok((files.into_iter().map(|(path, _)| path).collect(), exported.losses))
}

/// The name of a file that goes with another: `matrix.csv` and `codebook.csv` make `matrix.codebook.csv`.
fn beside(out: &Path, name: &str) -> String {
    let stem = out.file_stem().unwrap_or_default().to_string_lossy();
    format!("{stem}.{name}")
}

/// What stands there and is something else may be somebody's work.
fn refuse_to_replace(path: &Path, bytes: &[u8]) -> Result<(), ProjectError> {
    match fs::read(path) {
        Ok(there) if there != bytes => Err(ProjectError::refused(
            "file-exists",
            format!("`{}` is there already and holds something else", path.display()),
            "name another file with --out, or move that one away",
        )),
        _ => Ok(()),
    }
}

/// Writes a folder of files whose names we made.
fn write_folder(out: &Path, files: &[(String, Vec<u8>)]) -> Result<Vec<PathBuf>, ProjectError> {
    let failed = |reason| ProjectError::system(out, "write the folder", &reason);
    if out.exists() {
        let same = |(name, bytes): &(String, Vec<u8>)| fs::read(out.join(name)).is_ok_and(|there| there == *bytes);
        let empty = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_none());
        if !empty && !files.iter().all(same) {
            return Err(ProjectError::refused(
                "folder-exists",
                format!("`{}` is there already and holds something else", out.display()),
                "name a new folder with --out",
            ));
        }
        if empty {
            fs::remove_dir(out).map_err(failed)?;
        } else {
            return Ok(files.iter().map(|(name, _)| out.join(name)).collect());
        }
    }
    let parent = match out.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).map_err(failed)?;
    let making = NewFolder::inside(parent).map_err(failed)?;
    for (name, bytes) in files {
        let path = making.path().join(name);
        let inside = path.parent().expect("a file of the folder has one");
        fs::create_dir_all(inside).map_err(failed)?;
        write_atomic(&path, bytes)?;
    }
    making.finish(out).map_err(failed)?;
    Ok(files.iter().map(|(name, _)| out.join(name)).collect())
}
