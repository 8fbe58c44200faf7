//! Personal links: a random token a grader, of which only the hash is kept.
//!
//! The file lives beside the exercise and is for its owner's eyes alone. It remembers the port as well, so that a link still
//! works after the server was stopped, or killed, and started again.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use calibrant_project::ProjectError;
use calibrant_schema::canonical::Hash;
use serde::{Deserialize, Serialize};
use subtle::{Choice, ConstantTimeEq};

const FORMAT: &str = "calibrant.links/1";

/// The secret of a link: 128 random bits as 32 hexadecimal digits.
///
/// It has no `Debug`, so that no message can show it by accident.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    /// A new token.
    fn draw() -> Result<Token, ProjectError> {
        let mut bits = [0u8; 16];
        getrandom::fill(&mut bits).map_err(|reason| {
            ProjectError::refused(
                "no-randomness",
                format!("the system gives no random numbers: {reason}"),
                "links cannot be made without them; try again",
            )
        })?;
        Ok(Token(bits.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The token a text may be, if it has the form of one.
    pub(crate) fn read(text: &str) -> Option<Token> {
        let has_form = text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        has_form.then(|| Token(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    fn hash(&self) -> Hash {
        Hash::of_bytes(format!("calibrant/link/1\n{}", self.0).as_bytes())
    }

    /// What the page of this token sends along with every request. Another site cannot know it, and it opens nothing by itself.
    pub(crate) fn guard(&self) -> String {
        Hash::of_bytes(format!("calibrant/guard/1\n{}", self.0).as_bytes()).to_string()
    }
}

/// Whether two texts are equal, in a time that does not tell where they differ.
pub(crate) fn same(left: &str, right: &str) -> bool {
    left.as_bytes().ct_eq(right.as_bytes()).into()
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Kept {
    format: String,
    exercise: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
    links: Vec<KeptLink>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptLink {
    grader: String,
    token_hash: Hash,
}

/// The links of an exercise.
#[derive(Debug)]
pub(crate) struct Links {
    /// Where they are written down; `None` for links that end with the server.
    path: Option<PathBuf>,
    kept: Kept,
}

impl Links {
    /// The links of an exercise as the file has them; those of graders it does not have, and of those to `renew`, are made anew
    /// and returned with their tokens, which are known only now.
    pub(crate) fn open(
        path: &Path,
        exercise: &str,
        graders: &[String],
        renew: &[String],
    ) -> Result<(Links, Vec<(String, Token)>), ProjectError> {
        let before = read(path)?.filter(|kept| kept.exercise == exercise);
        let mut made = Vec::new();
        let mut links = Vec::new();
        for grader in graders {
            let old = before
                .as_ref()
                .and_then(|kept| kept.links.iter().find(|link| link.grader == *grader));
            match old.filter(|_| !renew.contains(grader)) {
                Some(link) => links.push(link.clone()),
                None => {
                    let token = Token::draw()?;
                    links.push(KeptLink {
                        grader: grader.clone(),
                        token_hash: token.hash(),
                    });
                    made.push((grader.clone(), token));
                }
            }
        }
        let kept = Kept {
            format: FORMAT.to_owned(),
            exercise: exercise.to_owned(),
            port: before.and_then(|kept| kept.port),
            links,
        };
        let links = Links {
            path: Some(path.to_owned()),
            kept,
        };
        Ok((links, made))
    }

    /// One link that is written down nowhere and ends with the server.
    pub(crate) fn fleeting(exercise: &str, of: &str) -> Result<(Links, Vec<(String, Token)>), ProjectError> {
        let token = Token::draw()?;
        let link = KeptLink {
            grader: of.to_owned(),
            token_hash: token.hash(),
        };
        let kept = Kept {
            format: FORMAT.to_owned(),
            exercise: exercise.to_owned(),
            port: None,
            links: vec![link],
        };
        Ok((Links { path: None, kept }, vec![(of.to_owned(), token)]))
    }

    /// The port of the last time.
    pub(crate) fn port(&self) -> Option<u16> {
        self.kept.port
    }

    /// Writes the links down, with the port they lead to, if they are to outlive the server.
    pub(crate) fn keep(&mut self, port: u16) -> Result<(), ProjectError> {
        self.kept.port = Some(port);
        let Some(path) = &self.path else {
            return Ok(());
        };
        let text = format!(
            "{}\n",
            serde_json::to_string_pretty(&self.kept).expect("links are JSON")
        );
        write_private(path, &text).map_err(|reason| system(path, "write", &reason))
    }

    /// Whose token it is. Every link is compared, each in constant time.
    pub(crate) fn grader_of(&self, token: &Token) -> Option<&str> {
        let hash = token.hash();
        let mut found = None;
        for link in &self.kept.links {
            let is_it: Choice = link.token_hash.as_bytes().ct_eq(hash.as_bytes());
            if bool::from(is_it) {
                found = Some(link.grader.as_str());
            }
        }
        found
    }
}

fn read(path: &Path) -> Result<Option<Kept>, ProjectError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(reason) if reason.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(reason) => return Err(system(path, "read", &reason)),
    };
    match serde_json::from_str::<Kept>(&text) {
        Ok(kept) if kept.format == FORMAT => Ok(Some(kept)),
        _ => Err(ProjectError::refused(
            "links",
            format!("`{}` is no file of links of this program", path.display()),
            "move it away; new links are made, and those given out before end",
        )),
    }
}

/// Writes a file that only its owner can read, whole or not at all.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension("json.new");
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

fn system(path: &Path, doing: &str, reason: &io::Error) -> ProjectError {
    ProjectError::refused(
        "system",
        format!("cannot {doing} `{}`: {reason}", path.display()),
        "check the path and its permissions",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graders() -> Vec<String> {
        vec!["ann".to_owned(), "bo".to_owned()]
    }

    #[test]
    fn links_survive_a_restart_and_the_file_holds_no_token() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("links.json");
        let (mut links, made) = Links::open(&path, "e1", &graders(), &[]).expect("links");
        links.keep(4000).expect("kept");
        let kept = fs::read_to_string(&path).expect("the file");
        for (grader, token) in &made {
            assert_eq!(links.grader_of(token), Some(grader.as_str()));
            assert!(!kept.contains(token.as_str()) && !kept.contains(&token.guard()));
        }
        let (again, anew) = Links::open(&path, "e1", &graders(), &[]).expect("links");
        assert!(anew.is_empty());
        assert_eq!((again.port(), again.grader_of(&made[0].1)), (Some(4000), Some("ann")));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).expect("the file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_link_that_is_made_anew_ends_the_one_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("links.json");
        let (mut links, made) = Links::open(&path, "e1", &graders(), &[]).expect("links");
        links.keep(4000).expect("kept");
        let (links, anew) = Links::open(&path, "e1", &graders(), &["bo".to_owned()]).expect("links");
        assert_eq!(anew.len(), 1);
        assert_eq!(
            (links.grader_of(&made[0].1), links.grader_of(&made[1].1)),
            (Some("ann"), None)
        );
        let (links, anew) = Links::open(&path, "e2", &graders(), &[]).expect("links");
        assert_eq!(
            (anew.len(), links.grader_of(&made[0].1)),
            (2, None),
            "another exercise has other links"
        );
    }

    #[test]
    fn a_token_has_one_form() {
        assert!(Token::read(&"0a".repeat(16)).is_some());
        for text in ["", "0a", &"0A".repeat(16), &"0g".repeat(16), &"0a".repeat(17)] {
            assert!(Token::read(text).is_none(), "{text}");
        }
    }
}
