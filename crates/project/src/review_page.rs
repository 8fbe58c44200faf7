//! A review as its page takes it, for every door that shows or saves one.

use std::path::Path;

use calibrant_report::review::{Now, RubricNow, Standing, Talk, Texts, saved};
use calibrant_store::write_atomic;

use crate::error::ProjectError;
use crate::review::Review;

impl Review {
    /// Everything its page shows.
    #[must_use]
    pub fn talk(&self) -> Talk<'_> {
        let texts = self.disagreements.queue.iter().map(|one| Texts {
            prompt: self.prompt(one),
            answer: self.answer(one),
            levels: self.levels(&one.criterion),
        });
        Talk {
            disagreements: &self.disagreements,
            texts: texts.collect(),
            round: self.round,
            now: self.now(),
        }
    }

    /// Saves the page as one file; `command` is as in [`saved`].
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save_page(&self, path: &Path, command: &[String]) -> Result<(), ProjectError> {
        Ok(write_atomic(path, saved(&self.talk(), command).as_bytes())?)
    }

    /// How the rubric file and every disagreement stand, as last read and settled.
    #[must_use]
    pub fn now(&self) -> Now {
        let rubric = self.rubric.as_ref().map(|file| RubricNow {
            name: file.rubric.name.clone(),
            file: file.path.display().to_string(),
            version: file.rubric.version,
            hash: file.hash(),
        });
        let standing = self.disagreements.queue.iter().map(|one| Standing {
            ended: one.ended.clone(),
            card: self.criterion(one).map(calibrant_schema::Criterion::card),
        });
        Now {
            rubric,
            standing: standing.collect(),
        }
    }
}
