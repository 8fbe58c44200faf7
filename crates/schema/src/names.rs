//! Dictionary coding: names become indices here, once, when a table is read.

use rustc_hash::FxHashMap;

/// A sorted set of distinct names; a name's code is its position.
///
/// Sorting by bytes makes every code, and so every later tie-break, independent of the order of the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    names: Vec<Box<str>>,
}

impl Names {
    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no name at all.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name behind a code.
    ///
    /// # Panics
    /// If the code was not made by this dictionary.
    pub fn get(&self, code: u32) -> &str {
        &self.names[code as usize]
    }

    /// The code of a name, when the dictionary has it.
    pub fn find(&self, name: &str) -> Option<u32> {
        let at = self.names.binary_search_by(|known| known.as_ref().cmp(name)).ok()?;
        Some(at as u32)
    }

    /// All names in code order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(iter: I) -> Self {
        let mut names: Vec<Box<str>> = iter.into_iter().map(|name| name.as_ref().into()).collect();
        names.sort_unstable();
        names.dedup();
        Self { names }
    }
}

/// Names met so far, coded in order of appearance; [`Interner::finish`] turns the codes into sorted ones.
#[derive(Debug, Default)]
pub struct Interner {
    codes: FxHashMap<Box<str>, u32>,
    /// The name coded last: tables come in runs of one system or query, and a run needs no look-up.
    last: String,
    last_code: u32,
}

impl Interner {
    /// The provisional code of a name.
    pub fn code(&mut self, name: &str) -> u32 {
        if !self.codes.is_empty() && self.last == name {
            return self.last_code;
        }
        let code = match self.codes.get(name) {
            Some(code) => *code,
            None => {
                let code = self.codes.len() as u32;
                self.codes.insert(name.into(), code);
                code
            }
        };
        name.clone_into(&mut self.last);
        self.last_code = code;
        code
    }

    /// The sorted names, and for each provisional code the code among them.
    pub fn finish(self) -> (Names, Vec<u32>) {
        let mut pairs: Vec<(Box<str>, u32)> = self.codes.into_iter().collect();
        pairs.sort_unstable();
        let mut recode = vec![0; pairs.len()];
        for (sorted, (_, provisional)) in pairs.iter().enumerate() {
            recode[*provisional as usize] = sorted as u32;
        }
        (
            Names {
                names: pairs.into_iter().map(|(name, _)| name).collect(),
            },
            recode,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_do_not_depend_on_the_order_of_appearance() {
        let coded = |order: &[&str]| {
            let mut interner = Interner::default();
            let provisional: Vec<u32> = order.iter().map(|name| interner.code(name)).collect();
            let (names, recode) = interner.finish();
            let codes: Vec<u32> = provisional.iter().map(|code| recode[*code as usize]).collect();
            (names, codes)
        };
        let (names, codes) = coded(&["b", "a", "b", "c"]);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(codes, [1, 0, 1, 2]);
        assert_eq!(coded(&["c", "b", "a"]).0, names);
        assert_eq!(names.find("c"), Some(2));
        assert_eq!(names.find("d"), None);
    }
}
