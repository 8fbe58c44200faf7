//! Which column of a table holds what: by flag, by house name, by known alias; never by content.

use std::collections::BTreeMap;

use calibrant_schema::Diagnostic;
use calibrant_schema::suggest::did_you_mean;

use crate::tables::role::{Role, folded};
use crate::tables::shown::shown;

/// How a column was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It has the house name.
    Name,
    /// It has a name that is known for the role, and no column has the house name.
    Alias,
    /// `--columns` names it.
    Flag,
}

/// A role, and the column that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleColumn {
    /// What the column holds.
    pub role: Role,
    /// Its name in the file.
    pub column: String,
    /// How it was found.
    pub how: How,
}

/// The columns of one table by role.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    bound: [Option<Bound>; Role::ALL.len()],
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
struct Bound {
    column: usize,
    how: How,
}

impl Columns {
    /// Finds the columns; `wanted` has column names by role word and comes first.
    ///
    /// # Errors
    /// If a wanted role or column does not exist, two columns may hold one role, or a required role has none: all of it at once.
    pub(crate) fn find(
        names: &[String],
        wanted: &BTreeMap<String, String>,
        required: &[Role],
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut columns = Self {
            names: names.to_vec(),
            ..Self::default()
        };
        let mut mistakes = columns.bind_wanted(wanted);
        for role in Role::ALL {
            if columns.of(role).is_none() && !wanted.contains_key(role.word()) {
                mistakes.extend(columns.bind_by_name(role));
            }
        }
        let absent =
            |role: &&Role| columns.of(**role).is_none() && !mistakes.iter().any(|(known, _)| *known == Some(**role));
        let missing: Vec<Role> = required.iter().filter(absent).copied().collect();
        let mut mistakes: Vec<Diagnostic> = mistakes.into_iter().map(|(_, mistake)| mistake).collect();
        if !missing.is_empty() {
            mistakes.push(columns.no_column(&missing));
        }
        if mistakes.is_empty() {
            Ok(columns)
        } else {
            Err(mistakes)
        }
    }

    /// Takes in keys that appear only in later rows of a JSON table.
    ///
    /// # Errors
    /// If a key may hold a role that a key of another name was taken for.
    pub(crate) fn extend(&mut self, names: &[String]) -> Result<(), Vec<Diagnostic>> {
        let mut mistakes = Vec::new();
        for name in &names[self.names.len()..] {
            let column = self.names.len();
            self.names.push(name.clone());
            let name = folded(name);
            let goes_by = |role: &Role| role.word() == name || role.aliases().contains(&name.as_str());
            let Some(role) = Role::ALL.into_iter().find(goes_by) else {
                continue;
            };
            let how = if role.word() == name { How::Name } else { How::Alias };
            match self.bound[role.index()] {
                None => self.bound[role.index()] = Some(Bound { column, how }),
                Some(Bound {
                    how: How::Alias,
                    column: first,
                }) => mistakes.push(self.two_columns(role, &[first, column])),
                Some(_) => {}
            }
        }
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
    }

    /// The column that holds a role.
    pub(crate) fn of(&self, role: Role) -> Option<usize> {
        self.bound[role.index()].map(|bound| bound.column)
    }

    /// The name of the column that holds a role, or the house name where none does.
    pub(crate) fn name(&self, role: Role) -> &str {
        self.of(role).map_or(role.word(), |column| &self.names[column])
    }

    /// The names of the columns looked at.
    #[cfg(any(feature = "arrow", feature = "parquet"))]
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// How many columns were looked at.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Every role that has a column.
    pub(crate) fn found(&self) -> Vec<RoleColumn> {
        let found = |role: Role| {
            let bound = self.bound[role.index()]?;
            Some(RoleColumn {
                role,
                column: self.names[bound.column].clone(),
                how: bound.how,
            })
        };
        Role::ALL.into_iter().filter_map(found).collect()
    }

    /// The columns that hold no role; nameless ones are not listed.
    pub(crate) fn ignored(&self) -> Vec<String> {
        let names = self.names.iter().enumerate();
        names
            .filter(|(column, name)| !self.taken(*column) && !name.is_empty())
            .map(|(_, name)| name.clone())
            .collect()
    }

    fn taken(&self, column: usize) -> bool {
        self.bound.iter().flatten().any(|bound| bound.column == column)
    }

    fn bind_wanted(&mut self, wanted: &BTreeMap<String, String>) -> Vec<(Option<Role>, Diagnostic)> {
        let mut mistakes = Vec::new();
        for (word, column) in wanted {
            let Some(role) = Role::of_word(word) else {
                mistakes.push((None, unknown_role(word)));
                continue;
            };
            match self.position(column) {
                Some(column) => self.bound[role.index()] = Some(Bound { column, how: How::Flag }),
                None => mistakes.push((Some(role), self.no_such_column(role, column))),
            }
        }
        mistakes
    }

    fn position(&self, wanted: &str) -> Option<usize> {
        let exact = self.names.iter().position(|name| name == wanted);
        exact.or_else(|| self.names.iter().position(|name| folded(name) == folded(wanted)))
    }

    fn bind_by_name(&mut self, role: Role) -> Option<(Option<Role>, Diagnostic)> {
        let by_name = self.columns_named(&[role.word()]);
        let (columns, how) = match by_name.is_empty() {
            true => (self.columns_named(role.aliases()), How::Alias),
            false => (by_name, How::Name),
        };
        match columns.as_slice() {
            [] => None,
            [column] => {
                self.bound[role.index()] = Some(Bound { column: *column, how });
                None
            }
            several => Some((Some(role), self.two_columns(role, several))),
        }
    }

    fn columns_named(&self, known: &[&str]) -> Vec<usize> {
        let free = |column: &usize| !self.taken(*column) && known.contains(&folded(&self.names[*column]).as_str());
        (0..self.names.len()).filter(free).collect()
    }

    fn two_columns(&self, role: Role, columns: &[usize]) -> Diagnostic {
        let names: Vec<String> = columns
            .iter()
            .map(|column| format!("`{}`", shown(&self.names[*column])))
            .collect();
        Diagnostic::error(
            "two-columns",
            format!("{} columns may hold the {role}: {}", columns.len(), names.join(", ")),
            if names.iter().all(|name| *name == names[0]) {
                "give the columns different names".to_owned()
            } else {
                format!("say which one: --columns {role}={}", shown(&self.names[columns[0]]))
            },
        )
    }

    fn no_such_column(&self, role: Role, column: &str) -> Diagnostic {
        let known: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let what = format!(
            "there is no column `{}`, which --columns names for the {role}",
            shown(column)
        );
        Diagnostic::error("no-such-column", what, did_you_mean(column, &known))
    }

    fn no_column(&self, missing: &[Role]) -> Diagnostic {
        let roles: Vec<String> = missing.iter().map(|role| format!("`{role}`")).collect();
        let found: Vec<String> = self
            .names
            .iter()
            .filter(|name| !name.is_empty())
            .map(|name| shown(name))
            .collect();
        let maps: Vec<String> = missing.iter().map(|role| format!("{role}=NAME")).collect();
        let mut help = format!("if another column holds it, name it: --columns {}", maps.join(","));
        if missing.contains(&Role::Judge) {
            help.push_str("; if one judge gave all labels, add a column `judge` with one name in every row");
        }
        Diagnostic::error(
            "no-column",
            format!(
                "the table has no column for {}; its columns are {}",
                roles.join(" and "),
                found.join(", ")
            ),
            help,
        )
    }
}

fn unknown_role(word: &str) -> Diagnostic {
    let roles = Role::ALL.map(Role::word);
    Diagnostic::error(
        "unknown-role",
        format!("--columns names `{}`, which no column can be", shown(word)),
        did_you_mean(word, &roles),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUIRED: [Role; 2] = [Role::Query, Role::Label];

    fn names(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    fn found(text: &str, wanted: &[(&str, &str)]) -> Result<Vec<(Role, String, How)>, Vec<&'static str>> {
        let wanted = wanted
            .iter()
            .map(|(role, column)| ((*role).to_owned(), (*column).to_owned()))
            .collect();
        match Columns::find(&names(text), &wanted, &REQUIRED) {
            Ok(columns) => Ok(columns
                .found()
                .into_iter()
                .map(|found| (found.role, found.column, found.how))
                .collect()),
            Err(mistakes) => Err(mistakes.iter().map(|mistake| mistake.id).collect()),
        }
    }

    #[test]
    fn the_flag_beats_the_house_name_and_that_beats_an_alias() {
        let expected = vec![
            (Role::Query, "Prompt-ID".to_owned(), How::Alias),
            (Role::Label, "label".to_owned(), How::Name),
        ];
        assert_eq!(found("Prompt-ID,label,score", &[]), Ok(expected));
        let expected = vec![
            (Role::Query, "query".to_owned(), How::Name),
            (Role::Label, "score".to_owned(), How::Flag),
        ];
        assert_eq!(found("query,label,score", &[("label", "score")]), Ok(expected));
    }

    #[test]
    fn a_column_named_by_flag_is_not_guessed_for_another_role() {
        assert_eq!(
            found("prompt,label", &[("criterion", "prompt")]),
            Err(vec!["no-column"])
        );
    }

    #[test]
    fn doubts_are_errors_and_come_together() {
        assert_eq!(found("prompt,task_id,label", &[]), Err(vec!["two-columns"]));
        assert_eq!(found("query,label,label", &[]), Err(vec!["two-columns"]));
        assert_eq!(
            found("query,x", &[("lable", "x"), ("system", "y")]),
            Err(vec!["unknown-role", "no-such-column", "no-column"])
        );
    }

    #[test]
    fn a_late_key_fills_a_free_role_and_does_not_compete_with_a_house_name() {
        let first = names("query,verdict");
        let mut columns = Columns::find(&first, &BTreeMap::new(), &REQUIRED).expect("both are there");
        assert!(columns.extend(&names("query,verdict,status,prompt")).is_ok());
        assert_eq!(columns.of(Role::Status), Some(2));
        assert_eq!(columns.of(Role::Query), Some(0));
        let mistakes = columns
            .extend(&names("query,verdict,status,prompt,label"))
            .expect_err("a verdict and a label");
        assert_eq!(
            mistakes.iter().map(|mistake| mistake.id).collect::<Vec<_>>(),
            ["two-columns"]
        );
    }
}
