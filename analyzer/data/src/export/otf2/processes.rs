//! Defines the machine, its hosts, their processes, and the threads, which OTF2 calls locations.

use std::collections::BTreeMap;

use super::definition_writer::{DefinitionWriter, NONE};
use super::event_meanings::Definitions;
use model::Run;
use model::error::Error;

/// `OTF2_SYSTEM_TREE_DOMAIN_MACHINE` and `_SHARED_MEMORY`.
const MACHINE: u8 = 0;
const HOST: u8 = 1;

struct Process {
    name: String,
    /// Number of its host; `None` without a file.
    host: Option<u32>,
}

struct Location {
    process: u32,
    thread: u32,
    events: u64,
}

/// Hosts, processes and threads of a run.
pub struct Processes {
    hosts: Vec<String>,
    list: Vec<Process>,
    locations: Vec<Location>,
}

/// String numbers of the names.
pub struct TreeNames {
    machine: [u32; 2],
    host: u32,
    hosts: Vec<u32>,
    processes: Vec<u32>,
    locations: Vec<u32>,
}

impl Processes {
    /// Processes of a run and ranks of the launched world that have no file here, without threads.
    pub fn of(run: &Run, absent: &[u32]) -> Processes {
        let mut hosts: BTreeMap<&str, u32> = BTreeMap::new();
        let mut list = Vec::new();
        for (at, rank) in run.ranks.iter().enumerate() {
            let next = hosts.len() as u32;
            let host = Some(*hosts.entry(&rank.process.host).or_insert(next));
            let name = match (rank.number(), rank.header.world) {
                (Some(number), 0) => rank_name(number),
                (Some(number), world) => format!("{} of spawned world {world}", rank_name(number)),
                (None, _) => format!("process {at}"),
            };
            list.push(Process { name, host });
        }
        list.extend(absent.iter().map(|rank| Process { name: rank_name(*rank), host: None }));
        let mut by_number: Vec<(u32, &str)> = hosts.into_iter().map(|(name, number)| (number, name)).collect();
        by_number.sort_unstable();
        let hosts = by_number.into_iter().map(|(_, name)| name.into()).collect();
        Processes { hosts, list, locations: Vec::new() }
    }

    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Adds a thread of a process; returns its number. Threads of one process are added in order.
    pub fn add(&mut self, process: usize, thread: u32) -> u64 {
        self.locations.push(Location { process: process as u32, thread, events: 0 });
        self.locations() - 1
    }

    /// Says how many events a thread has.
    pub fn has_events(&mut self, location: u64, events: u64) {
        self.locations[location as usize].events = events;
    }

    /// Number of threads so far, which is the number of the next.
    pub fn locations(&self) -> u64 {
        self.locations.len() as u64
    }

    /// The first thread of each process, which represents it.
    pub fn first_locations(&self) -> Vec<u64> {
        let first = |process| self.locations.iter().position(|location| location.process == process);
        (0..self.list.len() as u32).filter_map(first).map(|at| at as u64).collect()
    }

    pub fn names(&self, definitions: &mut Definitions) -> TreeNames {
        TreeNames {
            machine: [definitions.text("the run"), definitions.text("machine")],
            host: definitions.text("node"),
            hosts: self.hosts.iter().map(|host| definitions.text(host)).collect(),
            processes: self.list.iter().map(|process| definitions.text(&process.name)).collect(),
            locations: self.locations.iter().map(|one| definitions.text(&format!("thread {}", one.thread))).collect(),
        }
    }

    pub fn write(&self, writer: &DefinitionWriter<'_>, names: &TreeNames) -> Result<(), Error> {
        writer.node(0, names.machine[0], names.machine[1], NONE, MACHINE)?;
        for (number, name) in (1..).zip(&names.hosts) {
            writer.node(number, *name, names.host, 0, HOST)?;
        }
        for (number, (process, name)) in (0..).zip(self.list.iter().zip(&names.processes)) {
            writer.process(number, *name, process.host.map_or(0, |host| host + 1))?;
        }
        for (number, (location, name)) in (0..).zip(self.locations.iter().zip(&names.locations)) {
            writer.location(number, *name, location.events, location.process)?;
        }
        Ok(())
    }
}

/// Score-P's name, which analysis tools recognize.
fn rank_name(number: u32) -> String {
    format!("MPI Rank {number}")
}
