//! A thread's regions around its calls: OTF2 has a location leave what it entered last.
//!
//! A region that ends within another is left with that, and the other is entered again: so the time in each is right.

use super::events::{Event, EventWriter};
use model::error::Error;

/// A region: when it is entered and left, and its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Region {
    /// When it is entered.
    pub from: u64,
    /// When it is left.
    pub to: u64,
    /// Its number.
    pub number: u32,
}

/// See the module.
pub struct Nesting {
    /// Not yet entered, the last first.
    ahead: Vec<Region>,
    open: Vec<Region>,
    /// How often one had to be left and entered again.
    pub cut: u64,
}

impl Nesting {
    /// Of these regions.
    pub fn new(mut regions: Vec<Region>) -> Nesting {
        // Of two that begin at once, the longer is around the other.
        regions.sort_by_key(|region| (std::cmp::Reverse(region.from), region.to));
        Nesting { ahead: regions, open: Vec::new(), cut: 0 }
    }

    /// Enters and leaves what there is until a time.
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
