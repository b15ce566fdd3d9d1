//! Names of regions, each with a number. What the number means is in the file before any record has it.

use std::sync::OnceLock;

use traces::definitions::{Definition, Region};

use crate::recorder::file::shared;
use crate::recorder::guard;
use recorder_core::region_names::{RegionName, RegionNames};

static NAMES: OnceLock<Option<RegionNames>> = OnceLock::new();

/// The number of what says this, 0 where memory ran out.
pub fn number(text: &[u8]) -> u32 {
    find(text).map_or(0, number_of)
}

/// A name; `None` where memory ran out.
pub fn find(text: &[u8]) -> Option<&'static RegionName> {
    let names = NAMES.get().or_else(|| guard::run(|| NAMES.get_or_init(RegionNames::new)));
    Some(names?.as_ref()?.find(text))
}

/// The number of a name, which is in the file from here on.
pub fn number_of(name: &RegionName) -> u32 {
    if name.is_untold() {
        define(name);
    }
    name.number()
}

#[cold]
fn define(name: &RegionName) {
    let text = String::from_utf8_lossy(name.text()).into_owned();
    guard::run(|| shared::define(&Definition::Region(Region { number: name.number(), name: text })));
}
