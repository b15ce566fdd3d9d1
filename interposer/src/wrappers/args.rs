//! A type for each kind of argument, with its meaning for the recorder.
//!
//! An argument is a register-wide word. `note` adds its meaning to the call's draft before the call; `forward` returns
//! the word that MPI gets, which is the program's own except for a status that the program ignores.

use crate::abi::Family;
use crate::recorder::objects::HandleKind;
use crate::recorder::thread::draft::Draft;
use crate::recorder::thread::element_counts::{Amount, Numbers, Types};
use recorder_core::cache::Words;

/// An argument of an MPI call. `WIDE` is true in the large-count forms.
pub trait Argument: Copy {
    /// True if the signature depends on the argument's word alone; false for arrays.
    const PLAIN: bool = true;

    /// Adds the significant bits of the word to the words that identify the call in the cache.
    #[inline(always)]
    fn key<const WIDE: bool>(self, _family: &Family, _words: &mut Words) {}

    /// Adds the argument's meaning to the draft.
    #[inline(always)]
    fn note<const WIDE: bool>(self, _family: &Family, _draft: &mut Draft) {}

    /// The word that MPI gets. `status` is the recorder's own status if the program ignores its.
    fn forward(self, status: Option<usize>) -> usize;
}

macro_rules! types {
    (facts { $($fact:ident $small:literal $($wide:literal)?;)* }
     plain { $($plain:ident $plain_small:literal $($plain_wide:literal)?;)* }) => {
        $(types!(@type $fact);)*
        $(
            types!(@type $plain);
            impl Argument for $plain {
                #[inline(always)]
                fn forward(self, _: Option<usize>) -> usize {
                    self.0
                }
            }
        )*
    };
    (@type $kind:ident) => {
        #[doc = concat!("An argument of kind `", stringify!($kind), "`.")]
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $kind(pub usize);
    };
}

traces::kinds!(types);

/// Implements arguments that are forwarded unchanged: `Kind(word, family, draft) { the body of note }`. They are
/// grouped by the part of the word that identifies the call in the cache: the `whole` word, its lower `half`, a `count`
/// (whole in large-count forms, else half), whether it is MPI_IN_PLACE (`in_place`), nothing (`unseen`), or more than
/// the word (`array`).
macro_rules! notes {
    ($($how:ident { $($kind:ident($word:ident, $family:ident, $draft:ident) $body:block)* })*) => {
        $($(
            impl Argument for $kind {
                notes!(@key $how);

                #[inline(always)]
                fn note<const WIDE: bool>(self, $family: &Family, $draft: &mut Draft) {
                    let $word = Word::<WIDE>(self.0);
                    $body
                }

                #[inline(always)]
                fn forward(self, _: Option<usize>) -> usize {
                    self.0
                }
            }
        )*)*
    };
    (@key whole) => {
        #[inline(always)]
        fn key<const WIDE: bool>(self, _: &Family, words: &mut Words) {
            words.push(self.0 as u64);
        }
    };
    (@key half) => {
        #[inline(always)]
        fn key<const WIDE: bool>(self, _: &Family, words: &mut Words) {
            words.push_half(self.0 as u32);
        }
    };
    (@key count) => {
        #[inline(always)]
        fn key<const WIDE: bool>(self, _: &Family, words: &mut Words) {
            if WIDE { words.push(self.0 as u64) } else { words.push_half(self.0 as u32) }
        }
    };
    (@key in_place) => {
        #[inline(always)]
        fn key<const WIDE: bool>(self, family: &Family, words: &mut Words) {
            words.push_bit(self.0 == family.in_place);
        }
    };
    (@key unseen) => {};
    (@key array) => {
        const PLAIN: bool = false;
    };
}

/// An argument's word; `WIDE` in a large-count form.
struct Word<const WIDE: bool>(usize);

impl<const WIDE: bool> Word<WIDE> {
    /// The word as an int: the upper half of its register is undefined.
    #[inline(always)]
    fn int(&self) -> i32 {
        self.0 as i32
    }

    /// The word as a number of elements: an int, or an MPI_Count in large-count forms.
    #[inline(always)]
    fn count(&self) -> u64 {
        let count = if WIDE { self.0 as i64 } else { self.int() as i64 };
        // MPI will report a negative count.
        count.max(0) as u64
    }

    #[inline(always)]
    fn counts(&self) -> Numbers {
        Numbers { address: self.0, wide: WIDE }
    }
}

notes! {
    in_place {
        SendBufOrInPlace(word, family, draft) {
            draft.in_place |= word.0 == family.in_place;
            draft.send_buffer = word.0;
        }
        RecvBufOrInPlace(word, family, draft) {
            draft.in_place |= word.0 == family.in_place;
            draft.receive_buffer = word.0;
        }
    }
    count {
        SendCount(word, _family, draft) { draft.sent = Amount::One(word.count()) }
        RecvCount(word, _family, draft) { draft.received = Amount::One(word.count()) }
        BothCount(word, _family, draft) {
            draft.sent = Amount::One(word.count());
            draft.received = Amount::One(word.count());
        }
        BcastCount(word, _family, draft) {
            draft.sent = Amount::AtRoot(word.count());
            draft.received = Amount::NotAtRoot(word.count());
        }
        ReduceCount(word, _family, draft) {
            draft.sent = Amount::One(word.count());
            draft.received = Amount::AtRoot(word.count());
        }
        SendEach(word, _family, draft) { draft.sent = Amount::Each(word.count()) }
        RecvEach(word, _family, draft) { draft.received = Amount::Each(word.count()) }
        RootSendEach(word, _family, draft) { draft.sent = Amount::EachAtRoot(word.count()) }
        RootRecvEach(word, _family, draft) { draft.received = Amount::EachAtRoot(word.count()) }
        ReduceScatterEach(word, _family, draft) {
            draft.sent = Amount::Each(word.count());
            draft.received = Amount::One(word.count());
        }
        NeighborSendEach(word, _family, draft) { draft.sent = Amount::Neighbors(word.count()) }
        NeighborRecvEach(word, _family, draft) { draft.received = Amount::Neighbors(word.count()) }
    }
    array {
        ObjectName(_word, _family, draft) { draft.renames = true }
        // An array, so never cached: making objects is rare, and each one's ordinal has to be counted.
        NewComm(word, _family, draft) { draft.new_object = word.0 }
        NewWin(word, _family, draft) {
            draft.new_object = word.0;
            draft.new_kind = HandleKind::Window;
        }
        NewFile(word, _family, draft) {
            draft.new_object = word.0;
            draft.new_kind = HandleKind::File;
        }
        SendCounts(word, _family, draft) { draft.sent = Amount::Array(word.counts()) }
        RecvCounts(word, _family, draft) { draft.received = Amount::Array(word.counts()) }
        RootSendCounts(word, _family, draft) { draft.sent = Amount::ArrayAtRoot(word.counts()) }
        RootRecvCounts(word, _family, draft) { draft.received = Amount::ArrayAtRoot(word.counts()) }
        ReduceScatterCounts(word, _family, draft) {
            draft.sent = Amount::Array(word.counts());
            draft.received = Amount::MineOf(word.counts());
        }
        NeighborSendCounts(word, _family, draft) { draft.sent = Amount::NeighborArray(word.counts()) }
        NeighborRecvCounts(word, _family, draft) { draft.received = Amount::NeighborArray(word.counts()) }
        SendTypes(word, _family, draft) { draft.sent_type = types_at(word.0) }
        RecvTypes(word, _family, draft) { draft.received_type = types_at(word.0) }
        TakeMessage(word, family, draft) { draft.message = handle_at(family, word.0) }
        FreeComm(word, family, draft) { draft.free_object(HandleKind::Communicator, family, word.0) }
        FreeWin(word, family, draft) { draft.free_object(HandleKind::Window, family, word.0) }
        FreeFile(word, family, draft) { draft.free_object(HandleKind::File, family, word.0) }
        FreeDatatype(word, family, draft) { draft.freed_type = handle_at(family, word.0) }
        FreeGroup(word, family, draft) { draft.freed_group = handle_at(family, word.0) }
    }
    whole {
        // Sent or received: the one without a datatype has no bytes.
        PartitionCount(word, _family, draft) {
            draft.sent = Amount::One(word.0 as u64);
            draft.received = Amount::One(word.0 as u64);
        }
        SendType(word, family, draft) { draft.sent_type = Types::One(family.handle(word.0)) }
        RecvType(word, family, draft) { draft.received_type = Types::One(family.handle(word.0)) }
        BothType(word, family, draft) {
            draft.sent_type = Types::One(family.handle(word.0));
            draft.received_type = draft.sent_type;
        }
        OneType(word, family, draft) {
            draft.sent_type = Types::One(family.handle(word.0));
            draft.received_type = draft.sent_type;
            draft.sent = Amount::One(1);
            draft.received = Amount::One(1);
        }
        EpochGroup(word, family, draft) { draft.group = family.handle(word.0) }
        Comm(word, family, draft) {
            // If a call has two communicators, it works on the first, local one.
            if draft.object == 0 {
                draft.object = family.handle(word.0);
            }
        }
        Win(word, family, draft) {
            draft.object = family.handle(word.0);
            draft.object_kind = HandleKind::Window;
        }
        // A file is a pointer in every ABI.
        File(word, _family, draft) {
            draft.object = word.0 as u64;
            draft.object_kind = HandleKind::File;
        }
    }
    half {
        Partitions(word, _family, draft) { draft.partitions = word.int().max(0) as u64 }
        Dest(word, family, draft) { draft.peer = Some(family.peer(word.int())) }
        Target(word, family, draft) { draft.peer = Some(family.peer(word.int())) }
        Root(word, family, draft) {
            draft.peer = Some(family.peer(word.int()));
            draft.rooted = true;
        }
        Source(word, family, draft) { draft.source = Some(family.peer(word.int())) }
        SendTag(word, family, draft) { draft.tag = Some(family.tag(word.int())) }
        RecvTag(word, family, draft) { draft.source_tag = Some(family.tag(word.int())) }
        LockType(word, family, draft) { draft.lock = Some(family.lock(word.int())) }
        Level(word, _family, draft) { draft.level = Some(word.int()) }
        RequestCount(word, _family, draft) { draft.requests = word.int().max(0) as u32 }
    }
    unseen {
        SendBuf(word, _family, draft) { draft.send_buffer = word.0 }
        RecvBuf(word, _family, draft) { draft.receive_buffer = word.0 }
        SendRecvBuf(word, _family, draft) { (draft.send_buffer, draft.receive_buffer) = (word.0, word.0) }
        Displs(word, _family, draft) { draft.note_displacements(word.counts()) }
        Aints(word, _family, draft) { draft.note_displacements(Numbers { address: word.0, wide: true }) }
        NewRequest(word, _family, draft) { draft.new_request = word.0 }
        NewPersistent(word, _family, draft) {
            draft.new_request = word.0;
            draft.persistent = true;
        }
        StartRequest(word, _family, draft) {
            draft.start = word.0;
            draft.requests = 1;
        }
        StartRequests(word, _family, draft) { draft.start = word.0 }
        WaitRequest(word, family, draft) {
            draft.wait = word.0;
            draft.handle = handle_at(family, word.0);
            draft.requests = 1;
        }
        WaitRequests(word, _family, draft) {
            draft.wait = word.0;
            draft.many = true;
        }
        FreeRequest(word, family, draft) {
            draft.freed_request = handle_at(family, word.0);
            draft.requests = 1;
        }
        CancelRequest(word, family, draft) {
            draft.cancelled_request = handle_at(family, word.0);
            draft.requests = 1;
        }
        ReadyRequest(word, family, draft) { draft.ready_request = family.handle(word.0) }
        Flag(word, _family, draft) { draft.flag = word.0 }
        Index(word, _family, draft) { draft.index = word.0 }
        Outcount(word, _family, draft) { draft.outcount = word.0 }
        Indices(word, _family, draft) { draft.indices = word.0 }
        NewMessage(word, _family, draft) { draft.new_message = word.0 }
        NewSession(word, _family, draft) { draft.session = word.0 }
        FreeSession(word, _family, draft) { draft.session = word.0 }
    }
}

impl Argument for Status {
    #[inline(always)]
    fn note<const WIDE: bool>(self, family: &Family, draft: &mut Draft) {
        draft.status = self.0;
        draft.status_ignored = self.0 == family.status_ignore;
    }

    #[inline(always)]
    fn forward(self, status: Option<usize>) -> usize {
        status.unwrap_or(self.0)
    }
}

impl Argument for Statuses {
    #[inline(always)]
    fn note<const WIDE: bool>(self, family: &Family, draft: &mut Draft) {
        draft.status = self.0;
        draft.status_ignored = self.0 == family.status_ignore;
    }

    #[inline(always)]
    fn forward(self, status: Option<usize>) -> usize {
        status.unwrap_or(self.0)
    }
}

/// The handle that an argument points to; 0 for a null address, which MPI will report.
#[inline(always)]
fn handle_at(family: &Family, address: usize) -> u64 {
    // SAFETY: the program passes the address of a handle.
    if address == 0 { 0 } else { unsafe { family.handle_at(address) } }
}

/// An array of datatypes; none for a null address. With MPI_IN_PLACE that is allowed, otherwise MPI will report it.
#[inline(always)]
fn types_at(address: usize) -> Types {
    if address == 0 { Types::None } else { Types::Array(address) }
}
