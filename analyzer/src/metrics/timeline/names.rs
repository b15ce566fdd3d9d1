//! The lists that a page's calls refer to by number: functions, call sites, communicators.

use rustc_hash::FxHashMap;
use traces::calls::Call;
use traces::signature::Signature;

use crate::metrics::words::{object, peer_role};
use crate::model::Run;
use crate::model::levels::{TimeClass, UNFINISHED};
use crate::model::matching::Account;
use crate::model::rank::function_of;
use crate::report::timeline::{KindRow, PageFunction};

/// See the module.
#[derive(Default)]
pub struct Names {
    /// Functions, by number.
    pub functions: Vec<PageFunction>,
    /// Their numbers by those of the trace.
    pub function_of: FxHashMap<u16, u32>,
    /// Call sites, by number.
    pub sites: Vec<String>,
    site_numbers: FxHashMap<String, u32>,
    /// By rank and its number of the site.
    site_of: FxHashMap<(u32, u32), u32>,
    /// Communicators, windows and files.
    pub objects: Vec<String>,
    object_numbers: FxHashMap<String, u32>,
    object_of: FxHashMap<(u32, u32), u32>,
    /// By the account's number of a place.
    places: Vec<u32>,
}

impl Names {
    /// All that the ranks asked about name, and what their waits do.
    pub fn of(run: &Run, account: &Account) -> Names {
        let mut names = Names::default();
        names.function(UNFINISHED);
        for (at, rank) in run.ranks.iter().enumerate().filter(|(_, rank)| rank.is_asked) {
            for thread in &rank.trace.contents().threads {
                let unnumbered = thread.in_flight(None).into_iter().map(|call| call.signature);
                for signature in thread.signatures.iter().chain(unnumbered) {
                    names.function(signature.call);
                    let key = (at as u32, signature.site);
                    if !names.site_of.contains_key(&key) {
                        let number = names.site(run.sites.place(rank, signature.site));
                        names.site_of.insert(key, number);
                    }
                    let key = (at as u32, signature.object);
                    if !names.object_of.contains_key(&key) {
                        let number = number(&mut names.objects, &mut names.object_numbers, object(rank, signature).0);
                        names.object_of.insert(key, number);
                    }
                }
            }
        }
        names.places = account.places.iter().map(|place| names.site(place.site.clone())).collect();
        names
    }

    /// What calls of a signature have in common.
    pub fn kind(&self, rank: usize, signature: &Signature) -> KindRow {
        let of = |map: &FxHashMap<(u32, u32), u32>, key: u32| map.get(&(rank as u32, key)).copied().unwrap_or(0);
        KindRow {
            function: self.function_of.get(&signature.call).copied().unwrap_or(0),
            site: of(&self.site_of, signature.site),
            object: of(&self.object_of, signature.object),
            peer: (signature.peer, signature.tag),
            source: (signature.source, signature.source_tag),
            bytes: (signature.sent, signature.received),
        }
    }

    /// The call site of an account's place.
    pub fn place(&self, number: usize) -> u32 {
        self.places.get(number).copied().unwrap_or(0)
    }

    fn site(&mut self, site: String) -> u32 {
        number(&mut self.sites, &mut self.site_numbers, site)
    }

    fn function(&mut self, call: u16) {
        let functions = &mut self.functions;
        self.function_of.entry(call).or_insert_with(|| {
            let name = if call == UNFINISHED { "(never returned)".into() } else { function_of(call) };
            let peer = Call::from_number(call).map_or("peer", peer_role);
            functions.push(PageFunction { name, class: TimeClass::of(call) as usize, peer });
            functions.len() as u32 - 1
        });
    }
}

/// The number of a name, new or not.
fn number(list: &mut Vec<String>, numbers: &mut FxHashMap<String, u32>, name: String) -> u32 {
    *numbers.entry(name).or_insert_with_key(|name| {
        list.push(name.clone());
        list.len() as u32 - 1
    })
}
