//! Signatures: the parts of calls that repeat, stored once and then referred to by number.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Special ranks. MPI libraries number these differently; traces do not.
pub mod peer {
    /// The call has no such argument, or it has no meaning here.
    pub const NONE: i32 = i32::MIN;
    /// `MPI_ANY_SOURCE`.
    pub const ANY: i32 = -1;
    /// `MPI_PROC_NULL`.
    pub const PROC_NULL: i32 = -2;
    /// `MPI_ROOT`, at the root of a collective call over an intercommunicator.
    pub const ROOT: i32 = -3;
}

/// Special tags.
pub mod tag {
    /// The call has no tag.
    pub const NONE: i32 = i32::MIN;
    /// `MPI_ANY_TAG`.
    pub const ANY: i32 = -1;
}

/// The lock types of `MPI_Win_lock`.
pub mod lock {
    /// `MPI_LOCK_EXCLUSIVE`.
    pub const EXCLUSIVE: i32 = 1;
    /// `MPI_LOCK_SHARED`.
    pub const SHARED: i32 = 2;
}

/// An unknown number of bytes.
pub const UNKNOWN_BYTES: u64 = u64::MAX;

/// The call was made inside another MPI call: by the library itself, or by a callback of the program.
pub const NESTED: u16 = 1;
/// The call starts a request. It takes a request number, and owns two signature numbers: this one if the request is
/// pending when the call returns, the next one if it is already complete.
pub const STARTS: u16 = 2;
/// The call creates a persistent request. It takes a request number, by which starts refer to it.
pub const CREATES: u16 = 4;
/// `MPI_IN_PLACE` was given.
pub const IN_PLACE: u16 = 8;

/// The parts of a call that repeat. 64 bytes, as on disk.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Signature {
    /// The number, from 1. It is written last, so 0 means that the signature is not there yet.
    pub number: u32,
    /// [`Call::number`](crate::calls::Call::number).
    pub call: u16,
    /// [`NESTED`] and the other flags.
    pub flags: u16,
    /// The number of the call site, 0 if unknown.
    pub site: u32,
    /// The number of the communicator, window or file, 0 for none.
    pub object: u32,
    /// Destination, source, root or target: a rank in the communicator, or one of [`peer`].
    pub peer: i32,
    /// The tag, or one of [`tag`].
    pub tag: i32,
    /// The source, if the call both sends and receives.
    pub source: i32,
    /// The tag of that receive. For `MPI_Win_lock`, one of [`lock`]; for `MPI_Win_start` and `MPI_Win_post`, the number
    /// of their group; for `MPI_Pcontrol`, the level.
    pub source_tag: i32,
    /// Bytes that this rank sends, [`UNKNOWN_BYTES`] if the size of a datatype is unknown.
    pub sent: u64,
    /// Bytes this rank has posted to receive.
    pub received: u64,
    /// The number of requests that a completion or start was given.
    pub requests: u32,
    /// The number of the [`Parts`](crate::definitions::Parts) for the processes, 0 if they are not recorded.
    pub parts: u32,
    /// The return address in the program, as it was in that process.
    pub address: u64,
}

const _: () = assert!(size_of::<Signature>() == 64);

/// Bytes that a call with these fields of a [`Signature`] sends and receives: 0 to and from `MPI_PROC_NULL`, and 0 if
/// unknown.
#[inline(always)]
pub const fn moves(peer: i32, source: i32, sent: u64, received: u64) -> (u64, u64) {
    const fn known(bytes: u64, peer: i32) -> u64 {
        if bytes == UNKNOWN_BYTES || peer == peer::PROC_NULL { 0 } else { bytes }
    }
    (known(sent, peer), known(received, if source == peer::NONE { peer } else { source }))
}

impl Signature {
    /// A signature with everything unknown.
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

    /// Bytes that one call sends and receives; for a call that creates a persistent request, those of one start.
    pub const fn moves(&self) -> (u64, u64) {
        moves(self.peer, self.source, self.sent, self.received)
    }
}
