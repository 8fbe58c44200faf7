//! The distinct texts of one column, coded in the order they are met.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

/// The code of a cell without a value.
pub(crate) const NULL: u32 = u32::MAX;

/// Distinct texts and their codes.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    codes: FxHashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
}

impl Texts {
    /// The code of a text, a new one for a new text.
    pub(crate) fn code(&mut self, text: &str) -> u32 {
        if let Some(code) = self.codes.get(text) {
            return *code;
        }
        let code = self.texts.len() as u32;
        let text: Arc<str> = text.into();
        self.codes.insert(Arc::clone(&text), code);
        self.texts.push(text);
        code
    }

    /// The text behind a code; empty behind [`NULL`].
    pub(crate) fn get(&self, code: u32) -> &str {
        self.texts.get(code as usize).map_or("", |text| text)
    }

    /// How many there are: every code is smaller.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}

/// Texts that a column and the decoder of its pages share.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedTexts(Arc<Mutex<Texts>>);

impl SharedTexts {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Texts> {
        // A panic of a decoder ends the reading of the file; what was coded before it stays right.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
