//! A file of another tool, opened: how it is stored, which form it has, and what is wrong with that.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use calibrant_schema::Diagnostic;
use calibrant_schema::diagnostic::Severity;
use calibrant_store::formats::{Content, Form, HEAD, Input, ZIP_MAGIC, candidates, seen};
use calibrant_store::{Findings, Stored};

use super::ImportSource;
use crate::error::ProjectError;

/// A file whose beginning was looked at, and that is still to be read from its first byte.
pub(super) struct Opened {
    name: String,
    head: Vec<u8>,
    body: Body,
}

enum Body {
    Archive(File),
    Text(Stored),
}

impl Opened {
    /// Opens a file, and looks at its beginning.
    ///
    /// # Errors
    /// If it cannot be opened or unpacked, or is an archive that comes through a pipe.
    pub(super) fn new(file: ImportSource) -> Result<Self, ProjectError> {
        let name = file.name();
        if let ImportSource::Path(path) = &file
            && let Some(archive) = archive(path)
        {
            return Self::of_archive(name, archive);
        }
        let mut stored = file.source().open()?;
        let mut head = Vec::new();
        let read = (&mut stored).take(HEAD as u64).read_to_end(&mut head);
        read.map_err(|reason| not_unpacked(&name, &reason))?;
        if head.starts_with(&ZIP_MAGIC) {
            let what = format!("`{name}` is a zip archive that can be read only once, from its beginning to its end");
            return Err(ProjectError::refused(
                "archive-in-a-pipe",
                what,
                "save it to a file, unpacked from gzip or zstd, and give that: the index of an archive stands at its end",
            ));
        }
        let body = Body::Text(stored);
        Ok(Self { name, head, body })
    }

    fn of_archive(name: String, mut archive: File) -> Result<Self, ProjectError> {
        let mut head = Vec::new();
        let read = (&mut archive).take(HEAD as u64).read_to_end(&mut head);
        read.and_then(|_| archive.seek(SeekFrom::Start(0)))
            .map_err(|reason| not_unpacked(&name, &reason))?;
        let body = Body::Archive(archive);
        Ok(Self { name, head, body })
    }

    /// The forms it may have, by the structure at its beginning.
    pub(super) fn candidates(&self) -> Vec<Form> {
        candidates(&self.head)
    }

    /// The one form it has.
    ///
    /// # Errors
    /// If it is in none, or may be in several.
    pub(super) fn only_form(&self, candidates: &[Form]) -> Result<Form, ProjectError> {
        match candidates {
            [form] => Ok(*form),
            [] => Err(self.unknown()),
            several => Err(self.ambiguous(several)),
        }
    }

    /// Whether an archive is in place.
    ///
    /// # Errors
    /// If the form is not kept in archives.
    pub(super) fn fits(&self, form: Form) -> Result<(), ProjectError> {
        match self.body {
            Body::Archive(_) if form != Form::Inspect => Err(ProjectError::refused(
                "archive",
                format!(
                    "`{}` is a zip archive, and files of the form {} are not",
                    self.name,
                    form.word()
                ),
                "unpack it, and give the file in it; gzip and zstd need no unpacking",
            )),
            _ => Ok(()),
        }
    }

    /// The file for a reader, from its first byte.
    pub(super) fn input(self) -> Input<'static> {
        let content = match self.body {
            Body::Archive(file) => Content::Seekable(Box::new(BufReader::new(file))),
            Body::Text(stored) => Content::Stream(Box::new(Cursor::new(self.head).chain(stored))),
        };
        Input {
            name: self.name,
            content,
        }
    }

    fn unknown(&self) -> ProjectError {
        ProjectError::refused(
            "unknown-form",
            format!(
                "the form of `{}` is not known here: it holds {}",
                self.name,
                seen(&self.head)
            ),
            format!(
                "say the form with --from if it is one of {}; a table with a row a verdict needs no import: calibrant run --verdicts FILE",
                words(Form::ALL.into_iter().filter(|form| form.is_read()))
            ),
        )
    }

    fn ambiguous(&self, forms: &[Form]) -> ProjectError {
        ProjectError::refused(
            "ambiguous-form",
            format!(
                "`{}` may be in more than one form: {}; it holds {}",
                self.name,
                words(forms.iter().copied()),
                seen(&self.head)
            ),
            format!("say which with --from, for example --from {}", forms[0].word()),
        )
    }
}

/// The file, if it begins as zip archives do.
fn archive(path: &Path) -> Option<File> {
    let mut file = File::open(path).ok()?;
    let mut magic = [0; ZIP_MAGIC.len()];
    file.read_exact(&mut magic).ok()?;
    file.seek(SeekFrom::Start(0)).ok()?;
    (magic == ZIP_MAGIC).then_some(file)
}

fn words(forms: impl Iterator<Item = Form>) -> String {
    forms.map(Form::word).collect::<Vec<_>>().join(", ")
}

fn not_unpacked(name: &str, reason: &std::io::Error) -> ProjectError {
    ProjectError::refused(
        "unreadable",
        format!("cannot read `{name}`: {reason}"),
        "check that the file is whole: `gzip -t` and `zstd -t` tell of packed ones",
    )
}

/// That a form is written and not read.
pub(super) fn only_written(form: Form) -> ProjectError {
    ProjectError::refused(
        "form-not-read",
        format!("files of the form {} are written and not read", form.word()),
        format!(
            "the forms that are read are {}",
            words(Form::ALL.into_iter().filter(|form| form.is_read()))
        ),
    )
}

/// The first mistake of a reader, and that the file looks like one of another form, which explains the rest.
pub(super) fn looks_like_another(findings: &Findings, name: &str, asked: Form, candidates: &[Form]) -> Findings {
    let help = match candidates {
        [form] => format!("write --from {}, or leave --from out", form.word()),
        several => format!("write --from with one of {}", words(several.iter().copied())),
    };
    let what = format!(
        "`{name}` was read as {}, and it looks like {}",
        asked.word(),
        words(candidates.iter().copied())
    );
    let note = Diagnostic {
        severity: Severity::Note,
        ..Diagnostic::error("other-form", what, help)
    };
    let mut told = Findings::default();
    if let Some(first) = findings.shown().first() {
        told.push(first.diagnostic.clone(), first.line.as_deref());
    }
    told.push(note, None);
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(bytes: &'static [u8]) -> Result<Opened, ProjectError> {
        Opened::new(ImportSource::Reader {
            name: "a\u{1b}".to_owned(),
            input: Box::new(bytes),
        })
    }

    fn told(error: Option<ProjectError>) -> String {
        error
            .expect("it is refused")
            .paint(calibrant_schema::diagnostic::Paint::Plain)
    }

    #[test]
    fn one_form_is_taken_and_none_or_several_are_told_with_what_was_seen() {
        let file = opened(b"{\"evalId\": 1}").expect("text opens");
        assert_eq!(file.only_form(&[Form::Promptfoo]).ok(), Some(Form::Promptfoo));
        let several = told(file.only_form(&[Form::Promptfoo, Form::LmEval]).err());
        assert!(
            several.contains(
                "may be in more than one form: promptfoo, lm-eval; it holds a JSON object with the keys `evalId`"
            ),
            "{several}"
        );
        assert!(
            several.contains("help: say which with --from, for example --from promptfoo"),
            "{several}"
        );
        let none = told(file.only_form(&[]).err());
        assert!(
            none.contains("is not known here: it holds a JSON object with the keys `evalId`"),
            "{none}"
        );
        assert!(!several.contains('\u{1b}') && !none.contains('\u{1b}'));
    }

    #[test]
    fn an_archive_cannot_come_through_a_pipe_nor_be_of_a_form_of_text() {
        let piped = told(opened(b"PK\x03\x04...").err());
        assert!(piped.contains("help: save it to a file"), "{piped}");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("log");
        std::fs::write(&path, b"PK\x03\x04...").expect("a new file");
        let file = Opened::new(ImportSource::Path(path)).expect("a file opens");
        assert!(file.fits(Form::Inspect).is_ok());
        assert!(told(file.fits(Form::Wide).err()).contains("help: unpack it"));
    }
}
