//! One file for all processes of a launch on a host.
//!
//! A node file is a container of *members*. Each has the bytes of a rank's file at the offsets that they have there, so
//! code that writes or reads pages knows nothing of the container. The bytes lie in extents of the container, the next
//! of which is as long as all before it: few offsets say where everything is, and the file stays sparse.
//!
//! ```text
//!  node-HOST.ovh
//!  +--------+-------+------+----------+------+----------+----------+-- ...
//!  | header | table | head | extent 0 | head | extent 0 | extent 1 |
//!  +--------+-------+------+----------+------+----------+----------+-- ...
//!                    member 0          member 1          of member 0
//! ```
//!
//! Processes claim places by adding to the header's end, and publish them afterwards: a process that is killed in
//! between leaves an unused place. [`member`] is the side that writes.

mod form;
mod head_words;
mod member;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub use form::FileForm;
pub use head_words::{HeadWords, claim};
pub use member::{Member, boot_bytes, create, has_member};

/// The first bytes of a node file.
pub const MAGIC: [u8; 8] = *b"overnode";
/// The only version of node files.
pub const VERSION: u32 = 1;

/// The start of a node file. The table of members follows at [`TABLE`].
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct NodeHeader {
    /// [`MAGIC`], published last.
    pub magic: [u8; 8],
    /// [`VERSION`].
    pub version: u32,
    /// Places of the table.
    pub members: u32,
    /// The boot id of the host: no other host writes here.
    pub boot: [u8; 16],
    /// The host's name, up to the first zero.
    pub host: [u8; HOST],
    /// Places of the table that were taken.
    pub taken: u64,
    /// The offset after all heads and extents.
    pub end: u64,
}

/// The longest name of a host, in bytes.
pub const HOST: usize = 64;

const _: () = assert!(size_of::<NodeHeader>() == 112);

/// The offset of the table: for each member the offset of its head, 0 while it has none.
pub const TABLE: usize = 4096;
/// Places of the table.
pub const MEMBERS: usize = (HEADER_BYTES - TABLE) / size_of::<u64>();
/// Bytes of header and table.
pub const HEADER_BYTES: usize = ALIGNMENT as usize;

/// Heads and extents begin at multiples of this: the largest memory page of a host that reads the file.
pub const ALIGNMENT: u64 = 64 << 10;

/// The state of a member.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct MemberHead {
    /// [`MemberName`] as one word, 0 until MPI_Init returns.
    pub name: u64,
    /// The member's length in bytes, of which all are in the file.
    pub used: u64,
    /// Process id.
    pub pid: u32,
    pub reserved: u32,
    /// The offset of each extent, 0 for those that were not claimed. They rise.
    pub extents: [u64; EXTENTS],
}

/// Limit on the extents of a member: an address has fewer bits.
pub const EXTENTS: usize = 40;

const _: () = assert!(size_of::<MemberHead>() == 344);

/// Bytes between a member's head and its first extent.
pub const HEAD_BYTES: u64 = ALIGNMENT;
/// Bytes of the first extent. Each further one is as long as all before it.
pub const FIRST_EXTENT: u64 = 128 << 10;

/// World and rank of a member, after which its file would be named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberName {
    pub world: u32,
    pub rank: u32,
}

impl MemberName {
    pub fn word(self) -> u64 {
        u64::from(self.world.saturating_add(1)) << 32 | u64::from(self.rank)
    }

    pub fn from_word(word: u64) -> Option<MemberName> {
        let world = ((word >> 32) as u32).checked_sub(1)?;
        Some(MemberName { world, rank: word as u32 })
    }
}

/// The extent that an offset of a member lies in.
pub fn extent_of(offset: u64) -> usize {
    (offset / FIRST_EXTENT).checked_ilog2().map_or(0, |log| log as usize + 1)
}

/// The offset in the member at which an extent begins.
pub fn extent_start(extent: usize) -> u64 {
    match extent.checked_sub(1) {
        None => 0,
        Some(before) => FIRST_EXTENT << before,
    }
}

/// The length of an extent.
pub fn extent_bytes(extent: usize) -> u64 {
    FIRST_EXTENT << extent.saturating_sub(1)
}

/// The bytes from an offset to the end of its extent.
pub fn left_in_extent(offset: u64) -> u64 {
    let extent = extent_of(offset);
    extent_start(extent) + extent_bytes(extent) - offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_follow_each_other_and_double() {
        let mut end = 0;
        for extent in 0..EXTENTS {
            let (start, bytes) = (extent_start(extent), extent_bytes(extent));
            assert_eq!((start, start % ALIGNMENT, bytes % ALIGNMENT), (end, 0, 0));
            assert_eq!([start, start + bytes - 1].map(extent_of), [extent; 2]);
            assert_eq!([start, start + bytes - 1].map(left_in_extent), [bytes, 1]);
            end = start + bytes;
        }
    }

    #[test]
    fn a_name_is_a_word_that_is_not_zero() {
        for name in [(0, 0), (0, u32::MAX), (1, 0), (9_999, 7)].map(|(world, rank)| MemberName { world, rank }) {
            assert_eq!(MemberName::from_word(name.word()), Some(name));
        }
        assert_eq!(MemberName::from_word(0), None);
    }
}
