//! Finds the ranks of a launch that are recorded, so that they can agree on a folder and compare clocks.
//!
//! Ranks that are not recorded take no part, so no collective call is made on a communicator that contains one. The
//! ranks of a [`host`] announce themselves in shared memory before MPI is initialized, and are counted there
//! afterwards. If the world has several hosts, the first rank of each finds the others ([`host_discovery`]). The rank
//! that counts closes a list that all ranks on it read: so all have the same list, and no rank waits for one that is
//! not on it, nor for one that has ended ([`wait`]).

mod host;
mod host_discovery;
mod page;
mod process;
mod wait;

use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use agree::{RankRanges, Verdict};
use traces::calls::Call;
use traces::definitions::{Definition, Span};

use crate::abi::Family;
use crate::recorder::file::shared;
use crate::{config, progress, real};
use host::Arriving;
pub use host::launch_id;
pub use host_discovery::leave;
pub use page::{BEGINNING, COMPARING, ENDING, PASSED, ProcessSlot, SHOWN};
pub use wait::Pause;

/// The ranks that record together.
pub struct Together {
    /// Their numbers in MPI_COMM_WORLD, in order.
    pub ranks: Vec<u32>,
    pub found: RanksFound,
    /// Their communicator, MPI_COMM_WORLD or a new one; `None` if this rank is alone.
    pub communicator: Option<u64>,
    /// This rank's index in `ranks`.
    pub own: usize,
    /// This process's slot on its host.
    pub place: Option<ProcessSlot>,
    /// True if all of them are on this host.
    pub is_one_host: bool,
}

/// The set of ranks that record together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RanksFound {
    /// All ranks of the world.
    All,
    /// All that are recorded; there are others.
    Recorded,
    /// The recorded ranks of one host. It is unknown if other ranks are recorded.
    OfHost,
}

/// This process's announcement, until the ranks of its host are counted.
static ARRIVING: Mutex<Option<Arriving>> = Mutex::new(None);

/// Announces this process to the others of its host, before MPI is initialized.
pub fn announce() {
    *arriving() = Arriving::announce(&config::launch());
}

/// Takes the announcement back, since MPI was not initialized or has no world.
pub fn withdraw() {
    if let Some(arriving) = arriving().take() {
        arriving.withdraw();
    }
}

fn arriving() -> MutexGuard<'static, Option<Arriving>> {
    ARRIVING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Finds the ranks that record together with this one, and lists them in the file unless they are all of the world.
/// `world` is this process's rank and the world's size, if there is one.
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

/// Finds the ranks that record together, right after MPI was initialized, in a world of `size` that was `spawned` or
/// not. `meeting` is a folder that hosts may share.
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
        // A launcher without names for its launches cannot tell a spawned world from the one that spawned it, whose
        // environment it inherits.
        _ if spawned && launch.name.is_none() => {
            if is_whole_host {
                Verdict::All
            } else {
                Verdict::Unknown
            }
        }
        Some(first) if *first == rank => {
            host.tell(host_discovery::agree(family, &ranks, size, &launch, began, meeting))
        }
        _ => host.told(),
    };
    let (ranks, found) = match verdict {
        Verdict::All => ((0..size).collect(), RanksFound::All),
        Verdict::Ranks(all) if all.contains(rank) => (all.ranks().collect(), RanksFound::Recorded),
        _ if launch.here == Some(size) => (ranks, RanksFound::Recorded),
        _ => (ranks, RanksFound::OfHost),
    };
    let is_one_host = ranks == host.ranks;
    Together::new(family, ranks, found, rank, is_one_host, host.into_place())
}

impl Together {
    fn alone(rank: u32, size: u32) -> Together {
        let found = if size < 2 { RanksFound::All } else { RanksFound::OfHost };
        Together { ranks: vec![rank], found, communicator: None, own: 0, place: None, is_one_host: true }
    }

    fn new(
        family: &Family,
        ranks: Vec<u32>,
        found: RanksFound,
        rank: u32,
        is_one_host: bool,
        place: ProcessSlot,
    ) -> Together {
        let own = ranks.iter().take_while(|other| **other < rank).count();
        let communicator = match found {
            RanksFound::All => Some(family.comm_world),
            _ if ranks.len() < 2 => None,
            _ => new_communicator(family, &ranks),
        };
        match communicator {
            Some(_) => Together { ranks, found, communicator, own, place: Some(place), is_one_host },
            None => Together { ranks: vec![rank], found, communicator, own: 0, place: None, is_one_host },
        }
    }

    /// True if this rank decides, and prints messages, for the others.
    pub fn is_first(&self) -> bool {
        self.own == 0
    }

    /// This process's slot, if all the ranks have one on the same host.
    pub fn place_of_all(&self) -> Option<&ProcessSlot> {
        self.place.as_ref().filter(|_| self.is_one_host)
    }

    pub fn spans(&self) -> Vec<Span> {
        let span = |(first, last): &(u32, u32)| Span { first: *first as i32, count: last - first + 1, step: 1 };
        self.ranges().ranges().iter().map(span).collect()
    }

    fn ranges(&self) -> RankRanges {
        self.ranks.iter().copied().collect()
    }
}

pub fn spawned(family: &Family) -> bool {
    let mut parent = 0u64;
    // SAFETY: MPI is initialized, and writes one handle.
    let code = unsafe { real::invoke(Call::Comm_get_parent, [&raw mut parent as usize]) };
    code == 0 && !family.is_null(parent & family.handle_mask)
}

/// Makes a communicator of some ranks of the world, without the others taking part.
fn new_communicator(family: &Family, ranks: &[u32]) -> Option<u64> {
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
        // Errors on our communicator must not end the program.
        real::invoke(Call::Comm_set_errhandler, [communicator as usize, family.errors_return as usize]);
    }
    Some(communicator)
}

/// The recorded ranks in words, for the message to the user.
pub fn recorded_in_words(together: Option<&Together>, size: u32) -> String {
    match together {
        None => "a process without a world".into(),
        Some(_) if size == 1 => "1 rank".into(),
        Some(Together { found: RanksFound::All, .. }) => format!("{size} ranks"),
        Some(together) => {
            let ranks = together.ranges();
            let others = if together.found == RanksFound::Recorded {
                "the others are not recorded"
            } else {
                "those of this host"
            };
            format!("{} of {size} ranks ({}; {others})", together.ranks.len(), ranks.in_short())
        }
    }
}
