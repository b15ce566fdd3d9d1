//! The account of the pages that a thread's recorder has dropped to keep only the newest: totals, and requests and
//! regions that are still open.
//!
//! A page of [`PageKind::Dropped`](crate::file::PageKind::Dropped) begins with a [`DroppedHead`]. After it lie as many
//! totals, requests, arrivals and regions as the head says.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::file::{PageHeader, ProfileEntry};
use crate::live::LiveWords;

/// The begin of the page's body.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct DroppedHead {
    /// End of the last dropped record, ticks.
    pub until: u64,
    /// Dropped calls.
    pub calls: u64,
    /// The number of [`DroppedTotal`]s.
    pub totals: u32,
    /// The number of [`DroppedRequest`]s.
    pub requests: u32,
    /// The number of [`DroppedArrival`]s.
    pub arrivals: u32,
    /// The number of regions that the thread is in, outermost first.
    pub regions: u32,
    /// The level of the thread's last dropped MPI_Pcontrol; -1 for none.
    pub level: i32,
    /// The signature of the last dropped call, which the records before the next call belong to; 0 for none.
    pub last: u32,
    /// The signatures of the call that began the request which that call has completed last, and of the call that posted it; all ones
    /// if it has completed none.
    pub last_began: u32,
    pub last_posted: u32,
}

const _: () = assert!(size_of::<DroppedHead>() == 48);

impl DroppedHead {
    /// The signatures of the calls that began and posted the request that the last dropped call has completed last.
    pub fn last_request(&self) -> Option<(u32, u32)> {
        (self.last_posted != u32::MAX).then_some((self.last_began, self.last_posted))
    }
}

/// The dropped calls of one signature.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct DroppedTotal {
    pub entry: ProfileEntry,
    /// Starts of the persistent requests that they created.
    pub starts: u64,
    /// Calls and requests that moved no message: the call failed, or the request was cancelled.
    pub void: u64,
}

const _: () = assert!(size_of::<DroppedTotal>() == 104);

/// A request that a dropped call began or created, and that is not over.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct DroppedRequest {
    pub number: u64,
    /// The signature of the call that began it; of a persistent one, that created it.
    pub signature: u32,
    /// The signature of the call that started it, for a persistent one; else the same.
    pub started_by: u32,
    /// [`RequestState`].
    pub state: u32,
    /// Zero.
    pub reserved: u32,
}

/// The kind of a [`DroppedRequest`].
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequestState {
    /// It is pending.
    Pending = 0,
    /// The creation of a persistent request.
    Persistent = 1,
    /// A dropped record of another thread says that it is complete, and the call that begins it is not dropped.
    CompleteAlready = 2,
}

/// Messages that receives with a wildcard have got.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct DroppedArrival {
    /// The signature of the receives.
    pub signature: u32,
    /// The rank in the communicator.
    pub source: i32,
    pub tag: i32,
    /// Zero.
    pub reserved: u32,
    pub count: u64,
}

/// Counts of a thread's dropped pages, and its open requests.
#[derive(Clone, Copy, Debug)]
pub struct Dropped<'a> {
    /// Pages of records that were dropped: those with a lower sequence number.
    pub pages: u32,
    pub head: &'a DroppedHead,
    pub totals: &'a [DroppedTotal],
    pub requests: &'a [DroppedRequest],
    pub arrivals: &'a [DroppedArrival],
    /// Numbers of the regions that the thread is in, the outermost first.
    pub regions: &'a [u32],
}

impl<'a> Dropped<'a> {
    /// Reads a page; `None` if it claims more than it has.
    pub(crate) fn read(header: &PageHeader, body: LiveWords<'a>) -> Option<Dropped<'a>> {
        // SAFETY: the kind publishes the page. Its recorder writes it again only when it has written the other one, and a file that
        // is being written is copied before it is analyzed.
        let bytes = unsafe { body.bytes(0, body.len() * size_of::<u64>()) }?;
        let (head, rest) = DroppedHead::ref_from_prefix(bytes).ok()?;
        let (totals, rest) = <[DroppedTotal]>::ref_from_prefix_with_elems(rest, head.totals as usize).ok()?;
        let (requests, rest) = <[DroppedRequest]>::ref_from_prefix_with_elems(rest, head.requests as usize).ok()?;
        let (arrivals, rest) = <[DroppedArrival]>::ref_from_prefix_with_elems(rest, head.arrivals as usize).ok()?;
        let (regions, _) = <[u32]>::ref_from_prefix_with_elems(rest, head.regions as usize).ok()?;
        Some(Dropped { pages: header.sequence, head, totals, requests, arrivals, regions })
    }

    /// Requests in a state.
    pub fn requests_in(&self, state: RequestState) -> impl Iterator<Item = &'a DroppedRequest> {
        self.requests.iter().filter(move |request| request.state == state as u32)
    }
}
