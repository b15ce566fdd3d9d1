//! Positions of a rank that others will depend on, by number, until they do.

use std::collections::VecDeque;

use super::link_times::Mark;

/// Number of marks in a block.
const EACH: u32 = 64;

/// Marks in blocks, of which those are dropped that nobody needs.
#[derive(Default)]
pub struct HeldMarks {
    blocks: VecDeque<Option<Box<HeldBlock>>>,
    /// Number of the first block.
    first: u32,
    count: u32,
}

struct HeldBlock {
    marks: [HeldMark; EACH as usize],
    /// Marks that are not gone.
    left: u32,
}

#[derive(Default)]
enum HeldMark {
    #[default]
    Ahead,
    Here(Mark),
    Gone,
}

impl Default for HeldBlock {
    fn default() -> HeldBlock {
        HeldBlock { marks: std::array::from_fn(|_| HeldMark::Ahead), left: EACH }
    }
}

impl HeldMarks {
    /// Adds the next marks.
    pub fn extend(&mut self, marks: impl Iterator<Item = Mark>) {
        for mark in marks {
            let number = self.count;
            self.count += 1;
            if let Some(held @ HeldMark::Ahead) = self.held(number) {
                *held = HeldMark::Here(mark);
            }
        }
    }

    /// A mark; `None` if the rank has not come there.
    pub fn get(&self, number: u32) -> Option<&Mark> {
        let block = self.blocks.get((number / EACH).checked_sub(self.first)? as usize)?.as_ref()?;
        if let HeldMark::Here(mark) = &block.marks[(number % EACH) as usize] { Some(mark) } else { None }
    }

    /// Takes out a mark, which may be ahead.
    pub fn take(&mut self, number: u32) -> Option<Mark> {
        let taken = std::mem::replace(self.held(number)?, HeldMark::Gone);
        let place = (number / EACH - self.first) as usize;
        if let Some(block) = &mut self.blocks[place] {
            block.left = block.left.saturating_sub(1);
            if block.left == 0 {
                self.blocks[place] = None;
            }
        }
        // Blocks ahead of the rank are not made yet.
        while self.first < self.count / EACH && matches!(self.blocks.front(), Some(None)) {
            self.blocks.pop_front();
            self.first += 1;
        }
        if let HeldMark::Here(mark) = taken { Some(mark) } else { None }
    }

    /// The place of a mark, unless its block was dropped.
    fn held(&mut self, number: u32) -> Option<&mut HeldMark> {
        let place = (number / EACH).checked_sub(self.first)? as usize;
        while self.blocks.len() <= place {
            self.blocks.push_back(Some(Box::default()));
        }
        Some(&mut self.blocks[place].as_mut()?.marks[(number % EACH) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_are_taken_or_needed_by_nobody_leave_no_memory() {
        let mut held = HeldMarks::default();
        let marks = |count: u32| (0..count).map(|_| Mark::default());
        held.extend(marks(EACH / 2));
        assert!(held.get(EACH / 2 - 1).is_some() && held.get(EACH / 2).is_none());
        // Of those ahead, nobody needs some.
        for number in EACH..3 * EACH {
            assert!(held.take(number).is_none());
        }
        held.extend(marks(4 * EACH));
        assert!(held.get(EACH).is_none());
        for number in (0..EACH).chain(3 * EACH..4 * EACH).rev() {
            assert!(held.take(number).is_some());
        }
        assert_eq!((held.first, held.blocks.len()), (4, 1));
    }
}
