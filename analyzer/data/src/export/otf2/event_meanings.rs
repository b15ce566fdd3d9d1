//! Maps the signatures of a thread to OTF2's names and definitions, once per thread, and collects the definitions that events
//! refer to.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use traces::calls::{Call, Class};
use traces::read::ThreadPages;
use traces::signature::{Signature, peer};

use model::Run;
use model::levels::PlacedSample;
use model::rank::function;
use model::roles::Flow;
use model::sites::CallTree;

/// Definitions that all calls of a signature share.
#[derive(Clone, Copy, Debug)]
pub struct EventMeaning {
    pub region: u32,
    /// Source location of the call site, if known.
    pub place: Option<u32>,
    /// Calling context of the call, if its path was recorded.
    pub context: Option<u32>,
    /// Collective operation, if OTF2 has one.
    pub operation: Option<u8>,
    /// The root as in the call; [`peer::NONE`] without a root.
    pub root: i32,
}

/// Stands for an unknown signature.
pub const UNKNOWN: EventMeaning =
    EventMeaning { region: 0, place: None, context: None, operation: None, root: peer::NONE };

/// Meanings of a thread's signatures, by number; `at` is the rank's place in the run.
pub fn of_thread(definitions: &mut Definitions, run: &Run, at: usize, thread: &ThreadPages<'_>) -> Vec<EventMeaning> {
    thread.signatures.by_number(UNKNOWN, |signature, _| of(definitions, run, at, signature))
}

fn of(definitions: &mut Definitions, run: &Run, at: usize, signature: &Signature) -> EventMeaning {
    let rank = &run.ranks[at];
    let call = Call::from_number(signature.call);
    let place = (signature.site != 0).then(|| match run.sites.innermost(rank, signature.site) {
        Some((_, file, line)) if !file.is_empty() => definitions.place(file, line),
        _ => definitions.place(&run.sites.name(rank, signature.site), 0),
    });
    let has_root = call.and_then(Flow::of).is_some_and(Flow::has_root);
    EventMeaning {
        region: definitions.region(&function(signature), role(call), MPI),
        place,
        context: definitions.tree.call(at, signature.call, signature.site),
        operation: call.and_then(operation),
        root: if has_root { signature.peer } else { peer::NONE },
    }
}

/// `OTF2_REGION_ROLE_*`.
mod role {
    pub const FUNCTION: u8 = 1;
    pub const BARRIER: u8 = 15;
    pub const ONE_TO_ALL: u8 = 23;
    pub const ALL_TO_ONE: u8 = 24;
    pub const ALL_TO_ALL: u8 = 25;
    pub const OTHER_COLLECTIVE: u8 = 26;
    pub const FILE: u8 = 27;
    pub const POINT_TO_POINT: u8 = 28;
    pub const ONE_SIDED: u8 = 29;
}

/// `OTF2_REGION_ROLE_CODE`: a named part of the program.
pub const CODE: u8 = 4;
/// `OTF2_PARADIGM_USER`.
pub const USER: u8 = 1;
/// `OTF2_PARADIGM_MPI`.
pub const MPI: u8 = 4;

/// `OTF2_COLLECTIVE_OP_CREATE_HANDLE`.
const CREATE: u8 = 17;

/// `OTF2_COLLECTIVE_OP_*` of functions that move data: blocking, nonblocking and persistent.
const OPERATIONS: [([Call; 3], u8); 17] = [
    ([Call::Barrier, Call::Ibarrier, Call::Barrier_init], 0),
    ([Call::Bcast, Call::Ibcast, Call::Bcast_init], 1),
    ([Call::Gather, Call::Igather, Call::Gather_init], 2),
    ([Call::Gatherv, Call::Igatherv, Call::Gatherv_init], 3),
    ([Call::Scatter, Call::Iscatter, Call::Scatter_init], 4),
    ([Call::Scatterv, Call::Iscatterv, Call::Scatterv_init], 5),
    ([Call::Allgather, Call::Iallgather, Call::Allgather_init], 6),
    ([Call::Allgatherv, Call::Iallgatherv, Call::Allgatherv_init], 7),
    ([Call::Alltoall, Call::Ialltoall, Call::Alltoall_init], 8),
    ([Call::Alltoallv, Call::Ialltoallv, Call::Alltoallv_init], 9),
    ([Call::Alltoallw, Call::Ialltoallw, Call::Alltoallw_init], 10),
    ([Call::Allreduce, Call::Iallreduce, Call::Allreduce_init], 11),
    ([Call::Reduce, Call::Ireduce, Call::Reduce_init], 12),
    ([Call::Reduce_scatter, Call::Ireduce_scatter, Call::Reduce_scatter_init], 13),
    ([Call::Scan, Call::Iscan, Call::Scan_init], 14),
    ([Call::Exscan, Call::Iexscan, Call::Exscan_init], 15),
    ([Call::Reduce_scatter_block, Call::Ireduce_scatter_block, Call::Reduce_scatter_block_init], 16),
];

/// Region role of a function.
pub fn role(call: Option<Call>) -> u8 {
    let Some(call) = call else { return role::FUNCTION };
    match Flow::of(call) {
        // On a window, as a fence.
        Some(Flow::Barrier) if call.class() == Class::Window => {}
        Some(Flow::Barrier) => return role::BARRIER,
        Some(Flow::FromRoot) => return role::ONE_TO_ALL,
        Some(Flow::ToRoot) => return role::ALL_TO_ONE,
        Some(Flow::All) => return role::ALL_TO_ALL,
        Some(Flow::Prefix | Flow::Create | Flow::Neighbors) => return role::OTHER_COLLECTIVE,
        Some(Flow::Fence) | None => {}
    }
    match call.class() {
        Class::PointToPoint | Class::Completion | Class::Probe => role::POINT_TO_POINT,
        Class::Rma | Class::Window => role::ONE_SIDED,
        Class::Io | Class::File => role::FILE,
        _ => role::FUNCTION,
    }
}

/// Collective operation of a function; `None` if OTF2 has no name for it, as for neighborhood collectives.
pub fn operation(call: Call) -> Option<u8> {
    if Flow::of(call)? == Flow::Create {
        return Some(CREATE);
    }
    // The large-count form has the same row of the table of calls.
    let is_it = |form: &Call| form.row().id == call.row().id;
    OPERATIONS.iter().find(|(forms, _)| forms.iter().any(is_it)).map(|(_, operation)| *operation)
}

/// Attribute of an enter event: number of calls it stands for.
pub const CALLS: u32 = 0;
/// Attribute of an enter event: nanoseconds of those calls inside MPI.
pub const INSIDE: u32 = 1;
/// Attribute of an enter event: whether the call has not returned.
pub const OPEN: u32 = 2;
/// Attribute of an enter event: call site.
pub const CALL_SITE: u32 = 3;

/// Attribute of an enter event: calling context.
pub const CONTEXT: u32 = 4;

/// A function on the paths to MPI, in the place that calls it.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub region: u32,
    /// Source location of its call, if known.
    pub place: Option<u32>,
    pub parent: Option<u32>,
}

/// Strings, regions and source locations by number.
#[derive(Default)]
pub struct Definitions {
    /// The functions on the paths to MPI and to samples, by number of their calling contexts; none if no paths were recorded.
    tree: CallTree,
    /// Nanoseconds of a thread's processor time from one sample to the next; 0 if nothing was sampled.
    pub period: u64,
    pub texts: Numbered<String>,
    /// Name, role and paradigm of regions.
    pub regions: Numbered<(u32, u8, u8)>,
    /// File and line of source locations.
    pub places: Numbered<(u32, u32)>,
}

/// Values numbered in the order in which they first occurred.
pub struct Numbered<T> {
    numbers: FxHashMap<T, u32>,
    pub list: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { numbers: FxHashMap::default(), list: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn number(&mut self, value: T) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry(value).or_insert_with_key(|value| {
            list.push(value.clone());
            list.len() as u32 - 1
        })
    }
}

impl Definitions {
    pub fn of(run: &Run) -> Definitions {
        let has_paths = run.ranks.iter().any(|rank| !rank.callers.is_empty());
        let tree = if has_paths { CallTree::of(&run.sites, &run.ranks) } else { CallTree::default() };
        let period = run.ranks.iter().map(|rank| rank.samples.period).max().unwrap_or(0);
        Definitions { tree, period, ..Definitions::default() }
    }

    /// The calling context of a sample of a rank, given by its place in the run.
    pub fn context(&self, at: usize, sample: &PlacedSample) -> Option<u32> {
        self.tree.place(at, sample.site).and_then(|place| place.node)
    }

    /// The calling contexts, callers before their callees. Their regions and places are added to the definitions.
    pub fn contexts(&mut self) -> Vec<Context> {
        let nodes = std::mem::take(&mut self.tree.nodes);
        let mut contexts = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let name = self.text(&node.function);
            // Events have defined the functions of MPI with their roles.
            let known = self.regions.list.iter().position(|(of, _, paradigm)| *of == name && *paradigm == MPI);
            let region = match known.filter(|_| node.is_call) {
                Some(region) => region as u32,
                None => self.regions.number((name, role::FUNCTION, if node.is_call { MPI } else { USER })),
            };
            let place = node.site.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
            let place = place.map(|(file, line)| self.place(file, line));
            contexts.push(Context { region, place, parent: node.parent });
        }
        contexts
    }

    pub fn text(&mut self, text: &str) -> u32 {
        self.texts.number(text.into())
    }

    pub fn region(&mut self, name: &str, role: u8, paradigm: u8) -> u32 {
        let name = self.text(name);
        self.regions.number((name, role, paradigm))
    }

    pub fn place(&mut self, file: &str, line: u32) -> u32 {
        let file = self.text(file);
        self.places.number((file, line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_collective_function_is_an_operation_but_neighborhood_collectives_and_those_on_windows() {
        let mut ran = 0;
        for (call, flow) in Call::all().filter_map(|call| Some((call, Flow::of(call)?))) {
            let is_unnamed = matches!(flow, Flow::Neighbors | Flow::Fence) || call == Call::Win_free;
            assert_eq!(operation(call).is_none(), is_unnamed, "{}", call.mpi_name());
            ran += 1;
        }
        assert!(ran > 100, "{ran}");
        assert_eq!(operation(Call::Iscatterv.large()), Some(5));
    }
}
