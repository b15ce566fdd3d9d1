//! Names of regions, each with a number, whose definition is in the file before any record uses it.

use std::sync::OnceLock;

use traces::definitions::{Definition, Region};

use crate::recorder::file::shared;
use crate::recorder::guard;
use recorder_core::region_names::{RegionName, RegionNames};

static NAMES: OnceLock<Option<RegionNames>> = OnceLock::new();

/// The number of a name; 0 if memory ran out.
pub fn number(text: &[u8]) -> u32 {
    find(text).map_or(0, number_of)
}

/// The name with this text; `None` if memory ran out.
pub fn find(text: &[u8]) -> Option<&'static RegionName> {
    let names = NAMES.get().or_else(|| guard::run(|| NAMES.get_or_init(RegionNames::new)));
    Some(names?.as_ref()?.find(text))
}

/// The number of a name, after its definition is in the file.
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
