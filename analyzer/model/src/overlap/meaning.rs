//! What a signature says of the requests that its calls post, test and wait for.

use traces::calls::{ArgumentKind, Call, Class};
use traces::signature::{CREATES, STARTS, Signature};

use super::{Posting, Transmission};

/// What a call's time is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Posting,
    Testing,
    Waiting,
    Other,
    /// It reads a clock, or asks MPI about itself: a part of what the program computes.
    Query,
}

impl Purpose {
    /// Of a function.
    pub fn of(call: Call) -> Purpose {
        let starts = [ArgumentKind::NewRequest, ArgumentKind::StartRequest, ArgumentKind::StartRequests];
        // MPI_Waitsome and MPI_Testsome have the same arguments.
        match call {
            Call::Wait | Call::Waitall | Call::Waitany | Call::Waitsome => Purpose::Waiting,
            Call::Test | Call::Testall | Call::Testany | Call::Testsome => Purpose::Testing,
            Call::Request_get_status
            | Call::Request_get_status_all
            | Call::Request_get_status_any
            | Call::Request_get_status_some => Purpose::Testing,
            _ if starts.iter().any(|kind| call.has(*kind)) => Purpose::Posting,
            _ if call.class() == Class::Query => Purpose::Query,
            _ => Purpose::Other,
        }
    }
}

/// What a signature says of its calls.
#[derive(Clone, Copy)]
pub struct OverlapMeaning {
    pub purpose: Purpose,
    /// What it posts or creates.
    pub posting: Option<Posting>,
    pub site: u32,
    /// Requests that it completes all of before it returns.
    pub awaits: u64,
    pub creates: bool,
    pub at_once: bool,
}

impl OverlapMeaning {
    /// Of an unknown one.
    pub const NONE: OverlapMeaning =
        OverlapMeaning { purpose: Purpose::Other, posting: None, site: 0, awaits: 0, creates: false, at_once: false };

    /// Of a signature, or of it where the request was complete at once.
    pub fn of(signature: &Signature, at_once: bool) -> OverlapMeaning {
        let is = |flag| signature.flags & flag != 0;
        let call = Call::from_number(signature.call);
        let (sent, received) = signature.moves();
        let posting = |traffic| Posting {
            traffic,
            call: signature.call,
            site: signature.site,
            object: signature.object,
            bytes: sent.max(received),
        };
        OverlapMeaning {
            purpose: call.map_or(Purpose::Other, Purpose::of),
            posting: call.filter(|_| is(STARTS) || is(CREATES)).and_then(Transmission::of).map(posting),
            site: signature.site,
            awaits: if matches!(call, Some(Call::Wait | Call::Waitall)) { signature.requests.into() } else { 0 },
            creates: is(CREATES),
            at_once,
        }
    }
}
