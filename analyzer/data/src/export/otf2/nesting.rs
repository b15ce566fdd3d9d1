//! Nests a thread's regions around its calls: in OTF2, a location must leave the region that it entered last.
//!
//! If a region ends inside another, both are left and the inner one is entered again. So the time in each is right.

use super::events::{Event, EventWriter};
use model::error::Error;

/// Times and number of a region.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Region {
    pub from: u64,
    pub to: u64,
    pub number: u32,
}

/// Regions of a thread that are open or still to be entered.
pub struct Nesting {
    /// Regions still to be entered, first one last.
    ahead: Vec<Region>,
    open: Vec<Region>,
    /// Number of times that a region was left early and entered again.
    pub cut: u64,
}

impl Nesting {
    pub fn new(mut regions: Vec<Region>) -> Nesting {
        // If two begin together, the longer one is the outer.
        regions.sort_by_key(|region| (std::cmp::Reverse(region.from), region.to));
        Nesting { ahead: regions, open: Vec::new(), cut: 0 }
    }

    /// Writes enter and leave events up to a time.
    pub fn until(&mut self, time: u64, events: &mut EventWriter<'_>) -> Result<(), Error> {
        loop {
            let enters = self.ahead.last().map(|region| region.from).filter(|from| *from <= time);
            let leaves = self.open.iter().map(|region| region.to).min().filter(|to| *to <= time);
            match (enters, leaves) {
                (None, None) => return Ok(()),
                (Some(from), leaves) if leaves.is_none_or(|to| from < to) => {
                    let Some(region) = self.ahead.pop() else { return Ok(()) };
                    events.write(region.from, Event::Enter(region.number))?;
                    self.open.push(region);
                }
                (_, Some(to)) => self.leave(to, events)?,
                (Some(_), None) => return Ok(()),
            }
        }
    }

    /// Leaves the innermost region that ends at a time.
    fn leave(&mut self, time: u64, events: &mut EventWriter<'_>) -> Result<(), Error> {
        let Some(at) = self.open.iter().rposition(|region| region.to == time) else { return Ok(()) };
        let inner: Vec<Region> = self.open.drain(at + 1..).collect();
        for region in inner.iter().rev() {
            events.write(time, Event::Leave(region.number))?;
        }
        if let Some(region) = self.open.pop() {
            events.write(time, Event::Leave(region.number))?;
        }
        for region in &inner {
            events.write(time, Event::Enter(region.number))?;
        }
        self.cut += inner.len() as u64;
        self.open.extend(inner);
        Ok(())
    }
}
