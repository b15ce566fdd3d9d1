//! The regions that a thread is in, innermost last.

/// Deepest nesting that is recorded.
const MOST: usize = 64;

pub struct OpenRegions {
    /// Open regions, including those too deep for `regions`.
    depth: usize,
    regions: [OpenRegion; MOST],
}

#[derive(Clone, Copy)]
struct OpenRegion {
    owner: usize,
    number: u32,
}

pub struct Left {
    /// Its number, if it was recorded.
    pub number: Option<u32>,
}

impl Default for OpenRegions {
    fn default() -> OpenRegions {
        OpenRegions { depth: 0, regions: [OpenRegion { owner: 0, number: 0 }; MOST] }
    }
}

impl OpenRegions {
    /// Enters a region. `false` if it is too deep to be recorded.
    pub fn push(&mut self, owner: usize, number: u32) -> bool {
        self.depth += 1;
        let place = self.regions.get_mut(self.depth - 1);
        place.map(|region| *region = OpenRegion { owner, number }).is_some()
    }

    /// Leaves the innermost region of an owner, if it has one.
    pub fn pop(&mut self, owner: usize) -> Option<Left> {
        if self.depth > MOST {
            return self.pop_innermost();
        }
        let open = self.regions.get_mut(..self.depth)?;
        let at = open.iter().rposition(|region| region.owner == owner)?;
        let from_it_on = open.get_mut(at..)?;
        let number = from_it_on.first().map(|region| region.number);
        from_it_on.rotate_left(1);
        self.depth -= 1;
        Some(Left { number })
    }

    /// Leaves the innermost region, if there is one.
    pub fn pop_innermost(&mut self) -> Option<Left> {
        self.depth = self.depth.checked_sub(1)?;
        Some(Left { number: self.regions.get(self.depth).map(|region| region.number) })
    }

    /// Open regions of an owner. Regions too deep to be recorded count for every owner.
    pub fn depth_of(&self, owner: usize) -> i32 {
        let known = self.regions.iter().take(self.depth).filter(|region| region.owner == owner).count();
        (known + self.depth.saturating_sub(MOST)) as i32
    }
}
