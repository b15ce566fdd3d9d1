//! Numbers the run's communicators and groups of processes for OTF2.
//!
//! Processes are numbered as in [`Run::ranks`], followed by ranks of the launched world that have no file here. An
//! intercommunicator becomes one communicator of both groups, the one with the lower ranks first: version 3.0 has a definition of
//! its own, but that version's Python bindings fail on it.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use model::Run;
use model::objects::{Member, Objects};

/// Maximum number of processes listed for a communicator; a damaged file may name any number.
const MOST: u64 = 1 << 20;
/// The number of MPI_COMM_SELF in a rank's file.
const OWN_SELF: u32 = 2;
/// The group of each process alone, which all MPI_COMM_SELF share.
pub const SELF_GROUP: u32 = 1;
/// The first listed group, after the group of all processes and [`SELF_GROUP`].
pub const FIRST_GROUP: u32 = 2;

pub struct Communicator {
    pub number: u32,
    pub name: String,
    pub group: u32,
    /// Number of its parent, which is defined earlier.
    pub parent: Option<u32>,
}

#[derive(Default)]
pub struct Communicators {
    pub list: Vec<Communicator>,
    /// Groups from [`FIRST_GROUP`] on, as numbers of processes.
    pub groups: Vec<Vec<u64>>,
    /// Ranks of the launched world without a file.
    pub absent: Vec<u32>,
    /// Numbers by the run's number.
    numbers: FxHashMap<u32, u32>,
}

impl Communicators {
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

    /// Number of a communicator by the run's number.
    #[inline]
    pub fn number(&self, object: Option<u32>) -> Option<u32> {
        self.numbers.get(&object?).copied()
    }

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
