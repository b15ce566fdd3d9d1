//! Lists of ranks or cores, which mostly follow each other at equal distances.

use wincode::{SchemaRead, SchemaWrite};

/// Ranks at equal distances, or cores.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, SchemaRead, SchemaWrite)]
pub struct Span {
    /// The first rank; negative for processes of another world.
    pub first: i32,
    /// The number of ranks.
    pub count: u32,
    /// The distance from each rank to the next.
    pub step: i32,
}

impl Span {
    /// Ranks, packed into spans.
    pub fn all(ranks: &[i32]) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for rank in ranks {
            match spans.last_mut() {
                Some(span) if span.count == 1 => (span.step, span.count) = (rank.wrapping_sub(span.first), 2),
                Some(span) if span.rank_at(span.count) == Some(*rank) => span.count += 1,
                _ => spans.push(Span { first: *rank, count: 1, step: 0 }),
            }
        }
        spans
    }

    /// The rank at a place in consecutive spans.
    pub fn rank(spans: &[Span], mut place: u32) -> Option<i32> {
        for span in spans {
            if place < span.count {
                return span.rank_at(place);
            }
            place -= span.count;
        }
        None
    }

    /// The place of a rank in the span.
    pub fn place(&self, rank: i32) -> Option<u32> {
        let (from_first, step) = (i64::from(rank) - i64::from(self.first), i64::from(self.step));
        let place = match step {
            0 => (from_first == 0).then_some(0)?,
            step => (from_first % step == 0).then_some(from_first / step)?,
        };
        u32::try_from(place).ok().filter(|place| *place < self.count)
    }

    /// The rank at a place in the span.
    pub fn rank_at(&self, place: u32) -> Option<i32> {
        self.first.checked_add(self.step.checked_mul(i32::try_from(place).ok()?)?)
    }
}
