//! The run's communicators as OTF2 numbers them: groups of processes, and communicators of those groups.
//!
//! A process is called by its place among all: those of [`Run::ranks`], and behind them ranks of the launch's world that have no
//! file here. An intercommunicator is one of both its groups, the one with the lower ranks first: there is a definition for it
//! since version 3.0, but the Python bindings of that version fail on it.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use model::Run;
use model::objects::{Member, Objects};

/// Processes of a communicator that are listed; more are a damaged file's.
const MOST: u64 = 1 << 20;
/// The number that a rank's file has for MPI_COMM_SELF.
const OWN_SELF: u32 = 2;
/// The group of each process alone, which all MPI_COMM_SELF share.
pub const SELF_GROUP: u32 = 1;
/// The first group that is listed: before it come that of all processes and [`SELF_GROUP`].
pub const FIRST_GROUP: u32 = 2;

/// A communicator.
pub struct Communicator {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: u32,
    /// The number of the one it was made from, which comes before it.
    pub parent: Option<u32>,
}

/// See the module.
#[derive(Default)]
pub struct Communicators {
    /// All, by number.
    pub list: Vec<Communicator>,
    /// Groups from [`FIRST_GROUP`] on: the places of their processes.
    pub groups: Vec<Vec<u64>>,
    /// Ranks of the launch's world without a file.
    pub absent: Vec<u32>,
    /// By the run's number.
    numbers: FxHashMap<u32, u32>,
}

impl Communicators {
    /// Those of a run.
    pub fn of(run: &Run, objects: &Objects) -> Communicators {
        let mut found: BTreeMap<u32, (String, bool, Option<u32>)> = BTreeMap::new();
        for (at, rank) in run.ranks.iter().enumerate() {
            for (own, communicator) in &rank.communicators {
                let Some(object) = objects.number(at, *own) else { continue };
                let parent = rank.origins.get(own).and_then(|origin| objects.number(at, origin.parent));
                found.entry(object).or_insert_with(|| (communicator.name.clone(), *own == OWN_SELF, parent));
            }
        }
        let mut all = Communicators::default();
        let (mut own, mut groups) = (None, FxHashMap::default());
        for (object, (name, is_self, parent)) in found {
            let next = all.list.len() as u32;
            if is_self {
                let number = *own.get_or_insert(next);
                all.numbers.insert(object, number);
                if number == next {
                    all.list.push(Communicator { number, name, group: SELF_GROUP, parent: None });
                }
                continue;
            }
            let Some(members) = objects.groups[object as usize].processes(MOST) else { continue };
            let places: Vec<u64> = members.into_iter().flatten().map(|member| all.place(run, member)).collect();
            let group = *groups.entry(places.clone()).or_insert_with(|| {
                all.groups.push(places);
                FIRST_GROUP + all.groups.len() as u32 - 1
            });
            let parent = parent.and_then(|parent| all.numbers.get(&parent).copied());
            all.numbers.insert(object, next);
            all.list.push(Communicator { number: next, name, group, parent });
        }
        all
    }

    /// The number of one, by the run's number.
    #[inline]
    pub fn number(&self, object: Option<u32>) -> Option<u32> {
        self.numbers.get(&object?).copied()
    }

    /// A process's rank in a communicator, both by their numbers.
    pub fn rank(&self, communicator: u32, process: u32) -> Option<u32> {
        let listed = self.list.get(communicator as usize)?.group.checked_sub(FIRST_GROUP);
        let Some(listed) = listed else { return Some(0) };
        let at = self.groups.get(listed as usize)?.iter().position(|place| *place == u64::from(process))?;
        u32::try_from(at).ok()
    }

    fn place(&mut self, run: &Run, member: Member) -> u64 {
        let rank = match member {
            Member::Here(place) => return place.into(),
            Member::Absent(rank) => rank,
        };
        let found = self.absent.iter().position(|absent| *absent == rank);
        let at = found.unwrap_or_else(|| {
            self.absent.push(rank);
            self.absent.len() - 1
        });
        (run.ranks.len() + at) as u64
    }
}
