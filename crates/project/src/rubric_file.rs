//! A rubric file that is shown to people and then edited: refused if it changed in between.

use std::fs;
use std::path::{Path, PathBuf};

use calibrant_schema::canonical::Hash;
use calibrant_schema::disagreement::Disagreement;
use calibrant_schema::rubric::edit::{Edit, EditError, Edited, apply};
use calibrant_schema::{Criterion, Diagnostics, Rubric};
use calibrant_store::{Findings, write_atomic};

use crate::error::ProjectError;

/// A rubric file as it was read, to be edited as it was read.
#[derive(Clone, Debug)]
pub struct RubricFile {
    /// The file.
    pub path: PathBuf,
    /// Its text, byte order mark and all.
    pub text: String,
    /// What it says.
    pub rubric: Rubric,
    /// What is probably not meant.
    pub warnings: Diagnostics,
}

impl RubricFile {
    /// Reads a rubric file that can be edited: not packed, and UTF-8.
    ///
    /// # Errors
    /// If the file cannot be read, is packed, or is no rubric.
    pub fn read(path: &Path) -> Result<RubricFile, ProjectError> {
        let name = path.display().to_string();
        let packed = path
            .extension()
            .is_some_and(|extension| extension == "gz" || extension == "zst");
        if packed {
            return Err(ProjectError::refused(
                "packed-rubric",
                format!("`{name}` is packed, and a packed rubric cannot be edited"),
                "unpack it, and name the file beside it",
            ));
        }
        let bytes = fs::read(path).map_err(|reason| ProjectError::system(path, "read", &reason))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            ProjectError::refused("not-utf8", format!("`{name}` is not UTF-8"), "save the file as UTF-8")
        })?;
        match Rubric::parse(&text, &name) {
            Ok((rubric, warnings)) => Ok(RubricFile {
                path: path.to_owned(),
                text,
                rubric,
                warnings,
            }),
            Err(found) => Err(Findings::of_text(found, &text).into()),
        }
    }

    /// The criterion a disagreement is about: the one of its query, else the shared one.
    #[must_use]
    pub fn criterion(&self, one: &Disagreement) -> Option<&Criterion> {
        let of_id = || self.rubric.criteria.iter().filter(|other| other.id == one.criterion);
        let own = of_id().find(|other| other.query.as_ref() == Some(&one.query));
        own.or_else(|| of_id().find(|other| other.query.is_none()))
    }

    /// The hash of its bytes: what a door that shows the file sends back with an edit.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::of_bytes(self.text.as_bytes())
    }

    /// Makes an edit and writes the file, whole or not at all; returns what it then is.
    ///
    /// # Errors
    /// If the file is no longer as it was read, the edit is refused, or the file cannot be written. It is then untouched.
    pub fn edit(&self, edit: &Edit) -> Result<RubricFile, ProjectError> {
        let edited = self.plan(edit)?;
        let now = fs::read(&self.path).map_err(|reason| ProjectError::system(&self.path, "read", &reason))?;
        if now != self.text.as_bytes() {
            return Err(ProjectError::refused(
                "rubric-changed",
                format!(
                    "`{}` changed since it was shown, so nothing was written",
                    self.path.display()
                ),
                "look at it again, then settle the disagreement anew",
            ));
        }
        // A link stays a link: what it points at is written. Who may read the file does not change.
        let target =
            fs::canonicalize(&self.path).map_err(|reason| ProjectError::system(&self.path, "find", &reason))?;
        let permissions = fs::metadata(&target).map(|about| about.permissions());
        write_atomic(&target, edited.text.as_bytes())?;
        if let Ok(permissions) = permissions {
            let kept = fs::set_permissions(&target, permissions);
            kept.map_err(|reason| ProjectError::system(&target, "set the permissions of", &reason))?;
        }
        Ok(RubricFile {
            path: self.path.clone(),
            text: edited.text,
            rubric: edited.rubric,
            warnings: Diagnostics::new(),
        })
    }

    /// What an edit would make of the text; nothing is written.
    ///
    /// # Errors
    /// If the edit is refused.
    pub fn plan(&self, edit: &Edit) -> Result<Edited, ProjectError> {
        let name = self.path.display().to_string();
        apply(&self.text, &name, edit).map_err(|error| refused(&error, &name, &self.text))
    }
}

fn refused(error: &EditError, file: &str, text: &str) -> ProjectError {
    let help = match error {
        EditError::Unreadable(found) => return Findings::of_text(found.clone(), text).into(),
        EditError::Refused { reason, line, by_hand } => {
            let what = format!("`{file}` was left as it is: {reason} (line {line})");
            return ProjectError::refused("not-edited", what, format!("by hand: {by_hand}"));
        }
        EditError::NoCriterion { .. } => "name a criterion of this file; an older rubric may still have it",
        EditError::SeveralQueries { .. } => "edit the criterion of one query by hand",
        EditError::OnlyCriterion { .. } => "word it anew, or begin another rubric",
        EditError::StillNamed { .. } => "change that line by hand first: it says what the criterion decides",
        EditError::Unusable { .. } => "write the text anew; nothing was changed",
    };
    ProjectError::refused("not-edited", format!("`{file}` was left as it is: {error}"), help)
}
