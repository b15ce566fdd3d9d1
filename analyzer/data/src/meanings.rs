//! Looks up the meanings of a thread's signatures, once per thread.

use std::collections::HashMap;
use std::sync::Arc;

use traces::read::ThreadPages;
use traces::signature::{CREATES, NESTED, STARTS, Signature, peer, tag};

use super::set::DataSet;
use model::Run;
use model::objects::Objects;
use model::rank::function;

/// Attributes that all calls of a signature share. Functions and call sites are indices into [`Meanings`].
#[derive(Clone, Copy, Debug)]
pub struct CallMeaning {
    pub number: u32,
    pub function: u32,
    /// Index of the call site in words.
    pub call_site: u32,
    pub site: u32,
    /// The run's number for its communicator, window or file.
    pub communicator: Option<u32>,
    /// Rank in its world of the other end: destination, source, root or target.
    pub peer: Option<u32>,
    pub tag: Option<i32>,
    /// Bytes sent by one call.
    pub sent: u64,
    /// Bytes that one call can receive.
    pub received: u64,
    pub takes: bool,
    /// It creates a persistent request.
    pub creates: bool,
    /// Its request was complete when it returned.
    pub at_once: bool,
    /// The program made the call itself, and the file defines the signature.
    pub counts: bool,
}

const UNDEFINED: CallMeaning = CallMeaning {
    number: 0,
    function: 0,
    call_site: 0,
    site: 0,
    communicator: None,
    peer: None,
    tag: None,
    sent: 0,
    received: 0,
    takes: false,
    creates: false,
    at_once: false,
    counts: false,
};

/// Meanings of a thread's signatures.
#[derive(Clone, Debug)]
pub struct Meanings {
    by_number: Vec<CallMeaning>,
    pub functions: Arc<[String]>,
    pub call_sites: Arc<[String]>,
}

impl Meanings {
    /// `rank`: place in the run.
    pub fn of(set: &DataSet<'_>, rank: usize, thread: &ThreadPages<'_>) -> Meanings {
        let (mut functions, mut call_sites) = (Names::default(), Names::default());
        let meaning = |signature: &Signature, at_once: bool| {
            let (run, takes) = (set.run, signature.flags & (STARTS | CREATES) != 0);
            let (sent, received) = signature.moves();
            CallMeaning {
                number: signature.number,
                function: functions.place(signature.call.into(), || function(signature)),
                call_site: call_sites.place(signature.site, || run.sites.place(&run.ranks[rank], signature.site)),
                site: signature.site,
                communicator: set.objects.number(rank, signature.object),
                peer: rank_of(run, &set.objects, rank, signature.object, signature.peer),
                tag: Some(signature.tag).filter(|tag| *tag != tag::NONE && *tag != tag::ANY),
                sent,
                received,
                takes,
                creates: signature.flags & CREATES != 0,
                at_once,
                counts: signature.flags & NESTED == 0,
            }
        };
        let by_number = thread.signatures.by_number(UNDEFINED, meaning);
        Meanings { by_number, functions: functions.names.into(), call_sites: call_sites.names.into() }
    }

    #[inline]
    pub fn get(&self, number: u32) -> &CallMeaning {
        self.by_number.get(number as usize).unwrap_or(&UNDEFINED)
    }
}

/// Rank in its world of the process that a rank calls `number` in its object `object`. The rank is given by place in the run.
pub fn rank_of(run: &Run, objects: &Objects, rank: usize, object: u32, number: i32) -> Option<u32> {
    if number == peer::NONE || number < 0 {
        return None;
    }
    let group = &objects.groups[objects.number(rank, object)? as usize];
    match group.peer(rank, number) {
        Some(place) => run.ranks[place as usize].number(),
        None => group.rank_of_peer(rank, number),
    }
}

/// Names in the order in which they first occurred.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    places: HashMap<u32, u32>,
}

impl Names {
    fn place(&mut self, number: u32, name: impl FnOnce() -> String) -> u32 {
        let names = &mut self.names;
        *self.places.entry(number).or_insert_with(|| {
            names.push(name());
            names.len() as u32 - 1
        })
    }
}
