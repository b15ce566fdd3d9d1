//! The functions on the paths to MPI calls, of all ranks together, as a tree.
//!
//! In: the callers of each rank's call sites, and the functions around each. Out: a node for each function on a path, from the
//! program's begin on. A function that its caller calls at two places has two nodes; inlined functions have nodes, too.

use std::collections::HashMap;

use traces::definitions::CalledFrom;

use super::place_in_source::{PlaceInSource, file_and_line};
use super::{Frame, Offsets, Sites, file_name, key};
use crate::rank::{Rank, function};
use crate::tally::CallTotal;

/// The caller of a node, and the node's function.
pub struct CallNode {
    pub parent: Option<u32>,
    /// 0 for the outermost.
    pub depth: u32,
    pub function: String,
    /// Source file of the function, empty if unknown.
    pub file: String,
    /// The line of its caller that calls it, as `solver.c:41`; empty if unknown.
    pub site: String,
    /// It is a function of MPI that was called.
    pub is_call: bool,
    /// True if the function belongs to the library that runs the program's threads.
    pub runs_threads: bool,
}

/// Caller, function, its file and its call site; true for a function of MPI.
type NodeKey = (Option<u32>, String, String, String, bool);

#[derive(Default)]
pub struct CallTree {
    /// Callers come before the functions that they call.
    pub nodes: Vec<CallNode>,
    numbers: HashMap<NodeKey, u32>,
    /// By the rank's place: the place of each of its call sites.
    known: Vec<HashMap<u32, CallPlace>>,
    /// By the rank's place: the node of each function of MPI that is called at a site.
    calls: Vec<HashMap<(u16, u32), u32>>,
}

/// A place in a function that is called by one path.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct CallPlace {
    /// The function; `None` outside all of the program's.
    pub node: Option<u32>,
    /// File and line, as `solver.c:41`; empty if unknown.
    pub site: String,
}

/// Stands for callers that cannot be unwound.
pub const UNKNOWN: &str = "?";
/// Stands for callers beyond the length of paths that was recorded.
pub const BEYOND: &str = "...";

impl CallTree {
    /// The tree of all ranks' call sites.
    pub fn of(sites: &Sites, ranks: &[Rank]) -> CallTree {
        let mut tree = CallTree::default();
        for rank in ranks {
            let mut reader = RankPaths { sites, rank, modules: HashMap::new(), known: HashMap::new() };
            let mut numbers: Vec<u32> = rank.sites.keys().chain(rank.places.keys()).copied().collect();
            numbers.sort_unstable();
            for site in numbers {
                reader.add(&mut tree, site);
            }
            tree.known.push(reader.known);
            tree.add_calls(rank);
        }
        tree
    }

    /// The path to one of a rank's sites, and the place at its end.
    pub fn of_site(sites: &Sites, rank: &Rank, site: u32) -> (CallTree, CallPlace) {
        let mut tree = CallTree::default();
        let mut reader = RankPaths { sites, rank, modules: HashMap::new(), known: HashMap::new() };
        reader.add(&mut tree, site);
        let place = reader.known.remove(&site).unwrap_or_default();
        (tree, place)
    }

    /// Adds nodes of MPI's functions below the last rank's places.
    fn add_calls(&mut self, rank: &Rank) {
        let mut calls = HashMap::new();
        let at = self.known.len() - 1;
        for CallTotal { signature, .. } in rank.entries() {
            let place = self.known[at].get(&signature.site).cloned().unwrap_or_default();
            let node = self.number((place.node, function(signature), String::new(), place.site, true));
            calls.insert((signature.call, signature.site), node);
        }
        self.calls.push(calls);
    }

    /// Place of a rank's call site. `rank` is the rank's place in the run.
    pub fn place(&self, rank: usize, site: u32) -> Option<&CallPlace> {
        self.known.get(rank)?.get(&site)
    }

    /// The node of MPI's function that a rank calls at a site.
    pub fn call(&self, rank: usize, function: u16, site: u32) -> Option<u32> {
        self.calls.get(rank)?.get(&(function, site)).copied()
    }

    /// By node: true for a function of MPI, and for one on a path to MPI. Others were only sampled.
    pub fn leads_to_mpi(&self) -> Vec<bool> {
        let mut leads: Vec<bool> = self.nodes.iter().map(|node| node.is_call).collect();
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent.filter(|_| leads[at]) {
                leads[parent as usize] = true;
            }
        }
        leads
    }

    /// The children of each node.
    pub fn children(&self) -> Vec<Vec<u32>> {
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (number, node) in (0..).zip(&self.nodes) {
            if let Some(parent) = node.parent {
                children[parent as usize].push(number);
            }
        }
        children
    }

    /// A node and its callers, the outermost last.
    pub fn upwards(&self, node: Option<u32>) -> impl Iterator<Item = u32> {
        std::iter::successors(node, |node| self.nodes[*node as usize].parent)
    }

    /// A place in the program's source.
    pub fn source(&self, place: &CallPlace) -> PlaceInSource {
        let mut functions = self.upwards(place.node).map(|node| self.nodes[node as usize].function.clone());
        let (file, line) = file_and_line(&place.site);
        let innermost: Vec<String> = functions.next().into_iter().collect();
        PlaceInSource {
            file: file.into(),
            lines: vec![line],
            functions: innermost,
            caller: functions.next().unwrap_or_default(),
        }
    }

    fn function(&mut self, place: &CallPlace, function: &str, file: &str) -> u32 {
        self.number((place.node, function.into(), file.into(), place.site.clone(), false))
    }

    fn number(&mut self, key: NodeKey) -> u32 {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.nodes.len() as u32;
        let (parent, function, file, site, is_call) = key.clone();
        let depth = parent.map_or(0, |parent| self.nodes[parent as usize].depth + 1);
        self.nodes.push(CallNode { parent, depth, function, file, site, is_call, runs_threads: false });
        self.numbers.insert(key, number);
        number
    }
}

/// Reads the paths of one rank.
struct RankPaths<'a> {
    sites: &'a Sites,
    rank: &'a Rank,
    /// Names of the functions of each module.
    modules: HashMap<u32, Option<&'a Offsets>>,
    known: HashMap<u32, CallPlace>,
}

impl<'a> RankPaths<'a> {
    fn add(&mut self, tree: &mut CallTree, site: u32) {
        let (mut chain, mut from) = (Vec::new(), CalledFrom::Site(site));
        let mut place = CallPlace::default();
        while let CalledFrom::Site(site) = from {
            if let Some(known) = self.known.get(&site) {
                place = known.clone();
                break;
            }
            // Callers in a damaged file may go in a circle.
            if chain.len() > self.rank.callers.len() {
                break;
            }
            chain.push(site);
            from = self.rank.callers.get(&site).copied().unwrap_or(self.above());
        }
        let end = match from {
            CalledFrom::NoUnwindInformation => Some(UNKNOWN),
            CalledFrom::Limit => Some(BEYOND),
            CalledFrom::Site(_) | CalledFrom::Start => None,
        };
        if let Some(end) = end {
            place.node = Some(tree.function(&CallPlace::default(), end, ""));
        }
        for site in chain.into_iter().rev() {
            place = self.inside(tree, place, site);
            self.known.insert(site, place.clone());
        }
    }

    /// The function above a site without a caller.
    fn above(&self) -> CalledFrom {
        if self.rank.callers.is_empty() { CalledFrom::Start } else { CalledFrom::NoUnwindInformation }
    }

    /// The place of a site whose function is called at `place`.
    fn inside(&mut self, tree: &mut CallTree, mut place: CallPlace, site: u32) -> CallPlace {
        let module = self.rank.sites.get(&site).and_then(|site| self.rank.modules.get(&site.module));
        let library = module.map_or("", |module| file_name(&module.path));
        let (is_of_system, runs_threads) = (starts_programs(library), runs_threads(library));
        for frame in self.frames(site).into_iter().rev() {
            // Frames above the program's first function only start the program.
            if place.node.is_none() && (is_of_system || frame.function == "_start") {
                continue;
            }
            let node = tree.function(&place, &frame.function, &frame.file);
            tree.nodes[node as usize].runs_threads = runs_threads;
            place = CallPlace { node: Some(node), site: frame.place() };
        }
        place
    }

    /// The functions around a site, innermost first.
    fn frames(&mut self, site: u32) -> Vec<Frame> {
        if let Some(place) = self.rank.places.get(&site) {
            return vec![Frame { function: place.function.clone(), file: place.file.clone(), line: place.line }];
        }
        let (rank, sites) = (self.rank, self.sites);
        let offset = rank.sites.get(&site).and_then(|site| {
            let of_module = || key(rank, site.number).and_then(|(module, _)| sites.modules.get(&module));
            self.modules.entry(site.module).or_insert_with(of_module).map(|offsets| (offsets, site.offset))
        });
        if let Some(found) = offset.and_then(|(offsets, offset)| offsets.get(&offset).cloned()) {
            return found;
        }
        let module = rank.sites.get(&site).and_then(|site| rank.modules.get(&site.module));
        // Samples in a function without a name have many places.
        let function = match module.filter(|_| rank.samples.sites.contains(&site)) {
            Some(module) => file_name(&module.path).into(),
            None => sites.own_name(rank, site),
        };
        vec![Frame { function, ..Frame::default() }]
    }
}

/// True for libraries that call a program's and a thread's first function.
fn starts_programs(library: &str) -> bool {
    ["libc.so", "libc-", "libpthread", "ld-linux", "ld-musl"].iter().any(|name| library.starts_with(name))
}

/// True for libraries that call the functions which the program's threads run.
fn runs_threads(library: &str) -> bool {
    ["libgomp", "libomp", "libiomp", "libstdc++"].iter().any(|name| library.starts_with(name))
}
