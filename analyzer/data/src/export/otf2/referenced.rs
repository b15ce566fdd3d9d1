//! What an archive's events refer to by numbers: collected while they are written.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Attributes of an event that enters a call: how many calls it tells of,
pub const CALLS: u32 = 0;
/// how long those were in MPI,
pub const INSIDE: u32 = 1;
/// whether it has not returned,
pub const OPEN: u32 = 2;
/// and where it was made.
pub const CALL_SITE: u32 = 3;

/// See the module.
#[derive(Default)]
pub struct Definitions {
    /// Texts.
    pub texts: Numbered<String>,
    /// Regions: name, role and paradigm.
    pub regions: Numbered<(u32, u8, u8)>,
    /// Places in the source: file and line.
    pub places: Numbered<(u32, u32)>,
}

/// Values by number, in the order they were first met.
pub struct Numbered<T> {
    numbers: FxHashMap<T, u32>,
    /// By number.
    pub list: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { numbers: FxHashMap::default(), list: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn number(&mut self, value: T) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry(value).or_insert_with_key(|value| {
            list.push(value.clone());
            list.len() as u32 - 1
        })
    }
}

impl Definitions {
    /// The number of a text.
    pub fn text(&mut self, text: &str) -> u32 {
        self.texts.number(text.into())
    }

    /// The number of a region of a name, a role and a paradigm.
    pub fn region(&mut self, name: &str, role: u8, paradigm: u8) -> u32 {
        let name = self.text(name);
        self.regions.number((name, role, paradigm))
    }

    /// The number of a place in the source.
    pub fn place(&mut self, file: &str, line: u32) -> u32 {
        let file = self.text(file);
        self.places.number((file, line))
    }
}
