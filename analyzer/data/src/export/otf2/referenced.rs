//! Collects the definitions that an archive's events refer to, while these are written.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Attribute of an enter event: number of calls it stands for.
pub const CALLS: u32 = 0;
/// Attribute of an enter event: nanoseconds of those calls inside MPI.
pub const INSIDE: u32 = 1;
/// Attribute of an enter event: whether the call has not returned.
pub const OPEN: u32 = 2;
/// Attribute of an enter event: call site.
pub const CALL_SITE: u32 = 3;

/// Strings, regions and source locations by number.
#[derive(Default)]
pub struct Definitions {
    pub texts: Numbered<String>,
    /// Name, role and paradigm of regions.
    pub regions: Numbered<(u32, u8, u8)>,
    /// File and line of source locations.
    pub places: Numbered<(u32, u32)>,
}

/// Values numbered in the order in which they first occurred.
pub struct Numbered<T> {
    numbers: FxHashMap<T, u32>,
    /// Values by number.
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
    /// Number of a string.
    pub fn text(&mut self, text: &str) -> u32 {
        self.texts.number(text.into())
    }

    /// Number of a region.
    pub fn region(&mut self, name: &str, role: u8, paradigm: u8) -> u32 {
        let name = self.text(name);
        self.regions.number((name, role, paradigm))
    }

    /// Number of a source location.
    pub fn place(&mut self, file: &str, line: u32) -> u32 {
        let file = self.text(file);
        self.places.number((file, line))
    }
}
