//! Classifies the calls of a signature by their effect on requests.

use traces::calls::{ArgumentKind, Call, Class};
use traces::signature::{CREATES, STARTS, Signature, peer};

use super::{Posting, Transmission};

/// Kind of a call's time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Posting,
    Testing,
    Waiting,
    Other,
    /// It reads a clock or asks MPI about itself, which is part of the program's computation.
    Query,
}

impl Purpose {
    pub fn of(call: Call) -> Purpose {
        let starts = [ArgumentKind::NewRequest, ArgumentKind::StartRequest, ArgumentKind::StartRequests];
        // MPI_Waitsome and MPI_Testsome have the same arguments, so names decide.
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

/// Effect of a signature's calls on requests.
#[derive(Clone, Copy)]
pub struct OverlapMeaning {
    /// The function, by number in the table of calls.
    pub function: u16,
    pub purpose: Purpose,
    /// The request that it posts or creates.
    pub posting: Option<Posting>,
    pub site: u32,
    /// Number of requests that it completes before it returns.
    pub awaits: u64,
    pub creates: bool,
    pub at_once: bool,
}

impl OverlapMeaning {
    /// Stands for an unknown signature.
    pub const NONE: OverlapMeaning = OverlapMeaning {
        function: 0,
        purpose: Purpose::Other,
        posting: None,
        site: 0,
        awaits: 0,
        creates: false,
        at_once: false,
    };

    /// `at_once`: the request was complete when the call returned.
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
        let transmission = call.filter(|_| is(STARTS) || is(CREATES)).and_then(Transmission::of);
        // To or from MPI_PROC_NULL nothing is transferred. An exchange may still receive.
        let is_nothing =
            |traffic: &Transmission| signature.peer == peer::PROC_NULL && *traffic != Transmission::Exchange;
        OverlapMeaning {
            function: signature.call,
            purpose: call.map_or(Purpose::Other, Purpose::of),
            posting: transmission.filter(|traffic| !is_nothing(traffic)).map(posting),
            site: signature.site,
            awaits: if matches!(call, Some(Call::Wait | Call::Waitall)) { signature.requests.into() } else { 0 },
            creates: is(CREATES),
            at_once,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_posts_tests_or_waits_by_what_it_does_with_requests() {
        let status =
            ["", "_all", "_any", "_some"].map(|kind| Call::named(&format!("Request_get_status{kind}")).unwrap());
        for call in [[Call::Test, Call::Testall, Call::Testany, Call::Testsome], status].concat() {
            assert!(Purpose::of(call) == Purpose::Testing, "{call:?}");
        }
        for call in [Call::Wait, Call::Waitall, Call::Waitany, Call::Waitsome] {
            assert!(Purpose::of(call) == Purpose::Waiting, "{call:?}");
        }
        for (call, purpose) in [
            (Call::Ibarrier, Purpose::Posting),
            (Call::Startall, Purpose::Posting),
            (Call::Comm_rank, Purpose::Query),
            (Call::Send, Purpose::Other),
        ] {
            assert!(Purpose::of(call) == purpose, "{call:?}");
        }
    }
}
