//! The run's numbering of call sites: a function of MPI with the place that calls it has one number, on all ranks and in all
//! analyses. Names are made once, and are for what people read.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;

use traces::calls::Call;

use super::{CallTree, SiteIdentity, Sites};
use crate::parallel;
use crate::rank::{Rank, function_of};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallSite {
    pub function: String,
    /// File and line, or module and offset.
    pub site: String,
}

impl CallSite {
    /// The function; of a large-count form the small one. `None` for what is no MPI call.
    pub fn call(&self) -> Option<Call> {
        Call::named(&self.function).map(Call::small)
    }

    /// The line, if it is known.
    pub fn line(&self) -> Option<String> {
        Some(self.site.clone()).filter(|line| !line.is_empty())
    }
}

/// The call sites by number; of a number the names are `call_sites[number]`.
pub struct CallSites {
    list: Vec<CallSite>,
    /// By the same numbers, the nodes of the call tree by which calls were told apart.
    nodes: Vec<Option<u32>>,
    /// By the rank's place in the run: the numbers of its calls by function and site, in this order.
    ranks: Vec<Box<[(SiteKey, u32)]>>,
}

/// A function and a site, by their numbers on one rank.
type SiteKey = (u16, u32);

/// Entries that are no calls. Their numbers come first.
const NO_CALLS: [&str; 3] = ["(not told apart)", "the end", "now"];

impl CallSites {
    /// Number of a call without a signature.
    pub const UNKNOWN: u32 = 0;
    /// Number for the end of a rank that did not finalize MPI.
    pub const THE_END: u32 = 1;
    /// Number for the end of a rank that still runs.
    pub const NOW: u32 = 2;

    /// The call sites of all ranks whose calls were read. With a `tree`, calls by different paths have different numbers.
    pub fn of(sites: &Sites, ranks: &[Rank], tree: Option<&CallTree>) -> CallSites {
        let mut numbering = Numbering::new(sites, tree);
        let keys = parallel::map(ranks.len(), |at| keys(&ranks[at]));
        let ranks = ranks.iter().zip(keys).enumerate().map(|(at, (rank, keys))| {
            let mut numbers: Vec<_> = keys.into_iter().map(|key| (key, numbering.number(at, rank, key))).collect();
            numbers.sort_unstable();
            numbers.into_boxed_slice()
        });
        let ranks = ranks.collect();
        CallSites { list: numbering.list, nodes: numbering.nodes, ranks }
    }

    /// Number of a function that a rank calls at a site. `rank` is the rank's place in the run.
    pub fn number(&self, rank: usize, function: u16, site: u32) -> u32 {
        let numbers = &self.ranks[rank];
        let at = numbers.binary_search_by_key(&(function, site), |(key, _)| *key);
        at.map_or(CallSites::UNKNOWN, |at| numbers[at].1)
    }

    /// The node of the call tree by which calls with this number were told apart.
    pub fn node(&self, number: usize) -> Option<u32> {
        self.nodes.get(number).copied().flatten()
    }
}

impl Deref for CallSites {
    type Target = [CallSite];

    fn deref(&self) -> &[CallSite] {
        &self.list
    }
}

/// Functions and sites of a rank's calls, in the order of their signatures. None for a rank of which only the definitions were read.
fn keys(rank: &Rank) -> Vec<SiteKey> {
    if rank.threads.is_empty() {
        return Vec::new();
    }
    let contents = rank.contents();
    let recorded = contents.threads.iter().flat_map(|thread| thread.signatures.iter());
    let counted = rank.entries().map(|entry| &entry.signature);
    let open = rank.open_calls().map(|call| &call.signature);
    let mut seen = HashSet::new();
    let all = recorded.chain(counted).chain(open).map(|signature| (signature.call, signature.site));
    all.filter(|key| seen.insert(*key)).collect()
}

struct Numbering<'a> {
    sites: &'a Sites,
    tree: Option<&'a CallTree>,
    list: Vec<CallSite>,
    nodes: Vec<Option<u32>>,
    names: HashMap<(CallSite, Option<u32>), u32>,
    /// Most sites are those of another rank, and an identity is found faster than a name is made.
    known: HashMap<(u16, SiteIdentity<'a>, Option<u32>), u32>,
}

impl<'a> Numbering<'a> {
    fn new(sites: &'a Sites, tree: Option<&'a CallTree>) -> Numbering<'a> {
        let (list, nodes, names, known) = (Vec::new(), Vec::new(), HashMap::new(), HashMap::new());
        let mut numbering = Numbering { sites, tree, list, nodes, names, known };
        for name in NO_CALLS {
            numbering.add(CallSite { function: name.into(), site: String::new() }, None);
        }
        numbering
    }

    fn number(&mut self, at: usize, rank: &'a Rank, (call, site): SiteKey) -> u32 {
        let node = self.tree.and_then(|tree| tree.call(at, call, site));
        let identity = (call, self.sites.identity(rank, site), node);
        if let Some(number) = self.known.get(&identity) {
            return *number;
        }
        let place = CallSite { function: function_of(call), site: self.sites.place(rank, site) };
        let number = self.add(place, node);
        self.known.insert(identity, number);
        number
    }

    fn add(&mut self, place: CallSite, node: Option<u32>) -> u32 {
        *self.names.entry((place, node)).or_insert_with_key(|(place, node)| {
            self.list.push(place.clone());
            self.nodes.push(*node);
            self.list.len() as u32 - 1
        })
    }
}
