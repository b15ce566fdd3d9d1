//! How datatypes scatter the bytes that calls hand over: in how many pieces they lie.

use wincode::{SchemaRead, SchemaWrite};

/// The number of the datatype whose elements are bytes, one behind the other. It stands for every datatype without gaps.
pub const BYTES: u32 = 1;

/// A datatype, as far as it matters to a copy. Datatypes that scatter their bytes alike have one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Datatype {
    /// The number that a [`CallLayout`] refers to. 1 is [`BYTES`].
    pub number: u32,
    /// Bytes of an element, without its gaps.
    pub size: u64,
    /// Bytes from one element to the next.
    pub extent: i64,
    /// Pieces that an element lies in, in the order of its type map; `None` if that is unknown.
    pub pieces: Option<u64>,
    /// True if the last piece of an element touches the first one of the next.
    pub joins: bool,
}

/// Elements of a datatype, one behind the other, and how often as many follow at another place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct Elements {
    /// The datatype's number; 0 if it is unknown.
    pub datatype: u32,
    pub count: u64,
    pub times: u32,
}

/// What calls of a signature hand out and receive, if a datatype scatters it.
#[derive(Clone, PartialEq, Eq, Debug, SchemaRead, SchemaWrite)]
pub struct CallLayout {
    /// The number that signatures refer to, from the same sequence as those of [`Parts`](crate::definitions::Parts).
    pub number: u32,
    /// The number of the parts for each process; 0 if they are not recorded.
    pub parts: u32,
    pub sent: Vec<Elements>,
    /// What is posted to be received.
    pub received: Vec<Elements>,
}

impl Datatype {
    /// Pieces that so many elements lie in.
    pub fn pieces_of(&self, elements: u64) -> Option<u64> {
        let joined = if self.joins { elements.saturating_sub(1) } else { 0 };
        Some(self.pieces?.saturating_mul(elements).saturating_sub(joined))
    }
}

/// Pieces that elements lie in; `None` if a datatype's are unknown.
pub fn pieces(elements: &[Elements], datatype: impl Fn(u32) -> Option<Datatype>) -> Option<u64> {
    let mut sum: u64 = 0;
    for part in elements {
        let each = datatype(part.datatype)?.pieces_of(part.count)?;
        sum = sum.saturating_add(each.saturating_mul(part.times.into()));
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_that_touch_share_a_piece() {
        let bytes = Datatype { number: BYTES, size: 1, extent: 1, pieces: Some(1), joins: true };
        let rows = Datatype { number: 2, size: 16, extent: 40, pieces: Some(2), joins: true };
        let column = Datatype { joins: false, ..rows };
        assert_eq!([bytes, rows, column].map(|of| of.pieces_of(10)), [Some(1), Some(11), Some(20)]);
        assert_eq!([bytes, rows, column].map(|of| of.pieces_of(0)), [Some(0); 3]);
        assert_eq!(Datatype { pieces: None, ..rows }.pieces_of(3), None);
    }

    #[test]
    fn what_each_process_gets_lies_for_itself() {
        let of =
            |number| (number == 2).then_some(Datatype { number, size: 8, extent: 16, pieces: Some(1), joins: false });
        let part = |datatype, count, times| Elements { datatype, count, times };
        assert_eq!(pieces(&[part(2, 5, 3), part(2, 1, 1)], of), Some(16));
        assert_eq!(pieces(&[part(2, 5, 3), part(0, 1, 1)], of), None);
    }
}
