//! The recorded ranks of a launch find each other, since only they may talk about what takes several of them.
//!
//! Others may not be recorded, and get no message of ours: so nothing is sent on a communicator that one of them is in. Ranks of a
//! [`host`] announce themselves in shared memory before MPI is initialized, and are counted there afterwards. Where not all
//! ranks of the world are on one host, the first of each host asks [`between`] hosts. Whoever counts closes a list that
//! everyone on it reads, so that all have the same one, and none waits for a rank that is not on it. Nor for one that
//! has ended: there is one way to [`wait`].

mod between;
mod host;
mod page;
mod process;
mod wait;

use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use traces::calls::Call;
use traces::definitions::{Definition, Span};

use crate::abi::Family;
use crate::recorder::file::shared;
use crate::{config, progress, real};
pub use between::leave;
use host::Arriving;
pub use page::ProcessSlot;

/// The ranks that record together.
pub struct Together {
    /// Their numbers in MPI_COMM_WORLD, in order.
    pub ranks: Vec<u32>,
    /// Whether these are all there are.
    pub found: RanksFound,
    /// A communicator of them; none where a rank is alone. It is MPI_COMM_WORLD or a new one.
    pub communicator: Option<u64>,
    /// This one's place among them.
    pub own: usize,
    /// Where those of this host stand.
    pub place: Option<ProcessSlot>,
}

/// How the ranks that record together are related to the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RanksFound {
    /// They are all ranks of it.
    All,
    /// The others are not recorded.
    Recorded,
    /// They are those of one host. Whether others are recorded cannot be known.
    OfHost,
}

/// This process, before those of its host are counted.
static ARRIVING: Mutex<Option<Arriving>> = Mutex::new(None);

/// MPI is about to be initialized, and this process will come together with others.
pub fn announce() {
    *arriving() = Arriving::announce(&config::launch());
}

/// It will not: MPI was not initialized, or has no world.
pub fn withdraw() {
    arriving().take().into_iter().for_each(Arriving::withdraw);
}

fn arriving() -> MutexGuard<'static, Option<Arriving>> {
    ARRIVING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Finds the ranks that record together with this one, and says in the file who they are where they are not all there are.
pub fn find(family: &Family, world: Option<(u32, u32)>, meeting: &Path) -> Option<Together> {
    let Some((rank, size)) = world else {
        withdraw();
        return None;
    };
    let spawned = spawned(family);
    let together = progress::unheard(|| come(family, rank, size, spawned, meeting));
    if together.found != RanksFound::All {
        shared::define(&Definition::Recorded(together.spans()));
    }
    if together.found == RanksFound::OfHost && together.is_first() {
        let warning = "whether ranks of other hosts are recorded could not be found out: the launcher publishes no names, \
                       and hosts share no folder. Clocks were compared among the ranks of each host only";
        shared::define(&Definition::Warning(warning.into()));
    }
    Some(together)
}

/// MPI has just been initialized, and this rank's world has so many, which were `spawned` or not. `meeting` is a folder that hosts
/// may share.
pub fn come(family: &Family, rank: u32, size: u32, spawned: bool, meeting: &Path) -> Together {
    let began = Instant::now();
    let launch = config::launch();
    let arriving = arriving().take().or_else(|| Arriving::announce(&launch));
    let counted = arriving.and_then(|arriving| arriving.counted(rank, size, launch.here));
    let Some(host) = counted.filter(|_| size > 1) else { return Together::alone(rank, size) };
    let ranks = host.ranks.clone();
    let is_whole_host = launch.here == Some(ranks.len() as u32);
    let verdict = match ranks.first() {
        _ if ranks.len() as u32 == size => Verdict::All,
        // Of a world that was spawned, such launchers do not say which it is. It has the environment of who spawned it.
        _ if spawned && launch.name.is_none() => {
            if is_whole_host {
                Verdict::All
            } else {
                Verdict::Unknown
            }
        }
        Some(first) if *first == rank => host.tell(between::agree(family, &ranks, size, &launch, began, meeting)),
        _ => host.told(),
    };
    let (ranks, found) = match verdict {
        Verdict::All => ((0..size).collect(), RanksFound::All),
        Verdict::Ranks(all) if all.contains(&rank) => (all, RanksFound::Recorded),
        _ if launch.here == Some(size) => (ranks, RanksFound::Recorded),
        _ => (ranks, RanksFound::OfHost),
    };
    Together::new(family, ranks, found, rank, host.into_place())
}

/// What hosts have agreed on.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Verdict {
    /// All ranks of the world are recorded.
    All,
    /// These are.
    Ranks(Vec<u32>),
    /// Nobody knows of other hosts.
    Unknown,
}

impl Together {
    fn alone(rank: u32, size: u32) -> Together {
        let found = if size < 2 { RanksFound::All } else { RanksFound::OfHost };
        Together { ranks: vec![rank], found, communicator: None, own: 0, place: None }
    }

    fn new(family: &Family, ranks: Vec<u32>, found: RanksFound, rank: u32, place: ProcessSlot) -> Together {
        let own = ranks.iter().take_while(|other| **other < rank).count();
        let communicator = match found {
            RanksFound::All => Some(family.comm_world),
            _ if ranks.len() < 2 => None,
            _ => of_group(family, &ranks),
        };
        match communicator {
            Some(_) => Together { ranks, found, communicator, own, place: Some(place) },
            None => Together { ranks: vec![rank], found, communicator, own: 0, place: None },
        }
    }

    /// Whether this rank decides and speaks for the others.
    pub fn is_first(&self) -> bool {
        self.own == 0
    }

    /// The ranks as spans.
    pub fn spans(&self) -> Vec<Span> {
        let span = |(first, last)| Span { first: first as i32, count: last - first + 1, step: 1 };
        ranges(&self.ranks).into_iter().map(span).collect()
    }
}

/// Whether this world was spawned by another.
pub fn spawned(family: &Family) -> bool {
    let mut parent = 0u64;
    // SAFETY: MPI is initialized, and writes one handle.
    let code = unsafe { real::invoke(Call::Comm_get_parent, [&raw mut parent as usize]) };
    code == 0 && !family.is_null(parent & family.handle_mask)
}

/// A communicator of some ranks of the world, of which nobody else hears.
fn of_group(family: &Family, ranks: &[u32]) -> Option<u64> {
    const TAG: usize = 0;
    let (mut world, mut group, mut communicator) = (0u64, 0u64, 0u64);
    let (count, list) = (ranks.len(), ranks.as_ptr() as usize);
    // SAFETY: MPI is initialized, and all of these ranks do this. Handles of 4 or 8 bytes are written into zeros.
    unsafe {
        real::invoke(Call::Comm_group, [family.comm_world as usize, &raw mut world as usize]);
        real::invoke(Call::Group_incl, [world as usize, count, list, &raw mut group as usize]);
        let to = &raw mut communicator as usize;
        let code = real::invoke(Call::Comm_create_group, [family.comm_world as usize, group as usize, TAG, to]);
        real::invoke(Call::Group_free, [&raw mut group as usize]);
        real::invoke(Call::Group_free, [&raw mut world as usize]);
        if code != 0 || family.is_null(communicator) {
            return None;
        }
        // What goes wrong with us does not end the program.
        real::invoke(Call::Comm_set_errhandler, [communicator as usize, family.errors_return as usize]);
    }
    Some(communicator)
}

/// `0-3,8`: ranks in order.
pub fn in_words(ranks: &[u32]) -> String {
    let in_words =
        |(first, last): &(u32, u32)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    ranges(ranks).iter().map(in_words).collect::<Vec<_>>().join(",")
}

/// The first and the last of ranks without gaps.
fn ranges(ranks: &[u32]) -> Vec<(u32, u32)> {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for rank in ranks {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == *rank => *last = *rank,
            _ => spans.push((*rank, *rank)),
        }
    }
    spans
}

/// Who is recorded, in words.
pub fn recorded_in_words(together: Option<&Together>, size: u32) -> String {
    match together {
        None => "a process without a world".into(),
        Some(_) if size == 1 => "1 rank".into(),
        Some(Together { found: RanksFound::All, .. }) => format!("{size} ranks"),
        Some(together) => {
            let ranks = in_words(&together.ranks);
            let others = if together.found == RanksFound::Recorded {
                "the others are not recorded"
            } else {
                "those of this host"
            };
            format!("{} of {size} ranks ({ranks}; {others})", together.ranks.len())
        }
    }
}
