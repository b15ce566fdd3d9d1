//! Whether all of the run is there.

use super::{Evidence, Finding};

pub fn finding(known: &Evidence) -> Option<Finding> {
    let text = "Not all of the run is here, so the figures are of what was recorded.";
    known.run.is_partial().then(|| Finding::new("run", text.into()))
}
