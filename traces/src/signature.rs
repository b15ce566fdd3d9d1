//! What repeats from call to call, stated once and then called by its number.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Names of ranks that are no rank. Libraries number these differently; a trace does not.
pub mod peer {
    /// The call has no such argument, or it means nothing here.
    pub const NONE: i32 = i32::MIN;
    /// `MPI_ANY_SOURCE`.
    pub const ANY: i32 = -1;
    /// `MPI_PROC_NULL`.
    pub const PROC_NULL: i32 = -2;
    /// `MPI_ROOT`, at the root of a collective call over an intercommunicator.
    pub const ROOT: i32 = -3;
}

/// Names of tags that are no tag.
pub mod tag {
    /// The call has no tag.
    pub const NONE: i32 = i32::MIN;
    /// `MPI_ANY_TAG`.
    pub const ANY: i32 = -1;
}

/// The kinds of locks that `MPI_Win_lock` takes.
pub mod lock {
    /// `MPI_LOCK_EXCLUSIVE`.
    pub const EXCLUSIVE: i32 = 1;
    /// `MPI_LOCK_SHARED`.
    pub const SHARED: i32 = 2;
}

/// Bytes that could not be found out.
pub const UNKNOWN_BYTES: u64 = u64::MAX;

/// The call was made inside another MPI call: by the library itself, or by a callback of the program.
pub const NESTED: u16 = 1;
/// The call starts a request. It takes a request number, and owns two signature numbers: this one where the request
/// is pending when the call returns, the next where it is complete already.
pub const STARTS: u16 = 2;
/// The call creates a persistent request, and takes a request number by which its starts name it.
pub const CREATES: u16 = 4;
/// `MPI_IN_PLACE` was given.
pub const IN_PLACE: u16 = 8;

/// A call with everything about it that repeats. 64 bytes, as on disk.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Signature {
    /// From 1; written last, so zero means not there yet.
    pub number: u32,
    /// [`Call::number`](crate::calls::Call::number).
    pub call: u16,
    /// [`NESTED`] and the like.
    pub flags: u16,
    /// The call site's number, 0 where unknown.
    pub site: u32,
    /// The communicator's, window's or file's number, 0 for none.
    pub object: u32,
    /// Destination, source, root or target: a rank in the communicator, or one of [`peer`].
    pub peer: i32,
    /// Its tag, or one of [`tag`].
    pub tag: i32,
    /// Where a call sends and receives: the source.
    pub source: i32,
    /// And its tag. Of `MPI_Win_lock`, one of [`lock`]; of `MPI_Win_start` and `MPI_Win_post`, the number of their group; of
    /// `MPI_Pcontrol`, the level.
    pub source_tag: i32,
    /// Bytes this rank hands out, [`UNKNOWN_BYTES`] where the size of a datatype was not to be had.
    pub sent: u64,
    /// Bytes this rank has posted to receive.
    pub received: u64,
    /// Requests that a completion or start was given.
    pub requests: u32,
    /// The number of the [`Parts`](crate::definitions::Parts) that it hands to each process, 0 where they are not said.
    pub parts: u32,
    /// The return address into the program, as it was in that process.
    pub address: u64,
}

const _: () = assert!(size_of::<Signature>() == 64);

/// Bytes that a call with these fields of a [`Signature`] hands out and receives: none to or from `MPI_PROC_NULL`, and
/// none where nobody knows.
#[inline(always)]
pub const fn moves(peer: i32, source: i32, sent: u64, received: u64) -> (u64, u64) {
    const fn known(bytes: u64, peer: i32) -> u64 {
        if bytes == UNKNOWN_BYTES || peer == peer::PROC_NULL { 0 } else { bytes }
    }
    (known(sent, peer), known(received, if source == peer::NONE { peer } else { source }))
}

impl Signature {
    /// That of a call of which nothing is known.
    pub const EMPTY: Signature = Signature {
        number: 0,
        call: 0,
        flags: 0,
        site: 0,
        object: 0,
        peer: peer::NONE,
        tag: tag::NONE,
        source: peer::NONE,
        source_tag: tag::NONE,
        sent: 0,
        received: 0,
        requests: 0,
        parts: 0,
        address: 0,
    };

    /// Bytes that one call hands out and receives; that one start does, of persistent requests it creates.
    pub const fn moves(&self) -> (u64, u64) {
        moves(self.peer, self.source, self.sent, self.received)
    }
}
