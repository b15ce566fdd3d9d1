//! What an archive's events refer to by numbers: collected while they are written, and written behind them.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::communicators::{Communicators, FIRST_GROUP, SELF_GROUP};
use super::definition_writer::{DefinitionWriter, Group, NONE};
use super::kinds::MPI;
use super::processes::Processes;
use crate::error::Error;

/// Attributes of an event that enters a call: how many calls it tells of,
pub const CALLS: u32 = 0;
/// how long those were in MPI,
pub const INSIDE: u32 = 1;
/// whether it never returned,
pub const NEVER_RETURNED: u32 = 2;
/// and where it was made.
pub const CALL_SITE: u32 = 3;

/// `OTF2_TYPE_UINT64` and `OTF2_TYPE_SOURCE_CODE_LOCATION`.
const WHOLE: u8 = 4;
const SOURCE: u8 = 20;
/// Those attributes, by number.
const ATTRIBUTES: [(&str, &str, u8); 4] = [
    ("calls", "calls that asked in vain and are told as one", WHOLE),
    ("inside_ns", "their time inside MPI, nanoseconds", WHOLE),
    ("never_returned", "1 for a call that never returned", WHOLE),
    ("call_site", "where the program makes the call", SOURCE),
];

/// `OTF2_GROUP_TYPE_COMM_LOCATIONS`, `_COMM_GROUP` and `_COMM_SELF`.
const ALL_PROCESSES: u8 = 4;
const LISTED: u8 = 5;
const ALONE: u8 = 6;

/// See the module.
#[derive(Default)]
pub struct Definitions {
    texts: Numbered<String>,
    /// Name, role and paradigm.
    regions: Numbered<(u32, u8, u8)>,
    /// File and line.
    places: Numbered<(u32, u32)>,
}

/// Values by number, in the order they were first met.
struct Numbered<T> {
    numbers: FxHashMap<T, u32>,
    list: Vec<T>,
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

    /// Writes all of them.
    pub fn write(
        mut self,
        writer: DefinitionWriter<'_>,
        processes: &Processes,
        communicators: &Communicators,
    ) -> Result<(), Error> {
        let attributes = ATTRIBUTES.map(|(name, meaning, kind)| (self.text(name), self.text(meaning), kind));
        let (mpi, unnamed) = (self.text("MPI"), self.text(""));
        let names: Vec<u32> = communicators.list.iter().map(|one| self.text(&one.name)).collect();
        let tree = processes.names(&mut self);
        for (number, text) in (0..).zip(&self.texts.list) {
            writer.text(number, text)?;
        }
        writer.paradigm(MPI, mpi)?;
        for (number, (name, meaning, kind)) in (0..).zip(attributes) {
            writer.attribute(number, name, meaning, kind)?;
        }
        processes.write(&writer, &tree)?;
        for (number, region) in (0..).zip(&self.regions.list) {
            writer.region(number, *region)?;
        }
        for (number, place) in (0..).zip(&self.places.list) {
            writer.source_location(number, *place)?;
        }
        let first = processes.first_locations();
        let group = |number, kind, members| writer.group(unnamed, Group { number, kind, paradigm: MPI, members });
        group(0, ALL_PROCESSES, &first)?;
        group(SELF_GROUP, ALONE, &[])?;
        for (number, members) in (FIRST_GROUP..).zip(&communicators.groups) {
            group(number, LISTED, members)?;
        }
        for (one, name) in communicators.list.iter().zip(names) {
            writer.communicator(one.number, name, one.group, one.parent.unwrap_or(NONE))?;
        }
        writer.finish()
    }
}
