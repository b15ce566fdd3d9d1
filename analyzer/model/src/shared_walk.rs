//! One walk through each rank's calls for all analyses that need its waits first: habits, origins of waiting, the critical path.
//!
//! In: a matched run. Out: their results. Only first threads count. The readers know nothing of each other.

use super::critical::{CriticalPath, PathParts, Sums, by_site, segments};
use super::habits::{CallHabits, HabitReader, SiteHabits};
use super::matching::Settled;
use super::objects::Objects;
use super::origins::{Activity, ActivityReader, ActivityTimes, WaitOrigins, chased};
use super::roles::{CallSites, Roles};
use super::stream::Stream;
use super::sums::Total;
use super::{Run, parallel};
use rustc_hash::FxHashMap;

pub struct SharedWalk {
    pub habits: CallHabits,
    pub origins: WaitOrigins,
    pub path: CriticalPath,
}

/// One rank's share.
#[derive(Default)]
struct RankShare {
    habits: FxHashMap<u32, SiteHabits>,
    activities: FxHashMap<Activity, ActivityTimes>,
    on_path: Sums,
}

impl SharedWalk {
    /// Uses up the single waits and the jumps of an account that keeps them
    /// ([`Follow::SPANS`](super::matching::Follow::SPANS) and [`Follow::JUMPS`](super::matching::Follow::JUMPS)).
    pub fn of(run: &Run, settled: &mut Settled) -> SharedWalk {
        let chased = chased(std::mem::take(&mut settled.account.spans));
        let segments = segments(run, settled);
        let common_clock = &settled.common_clock;
        let parts = PathParts::of(run, common_clock, &segments);
        let (objects, sites) = (Objects::of(run), CallSites::default());
        let of_rank = |at: usize| {
            let (rank, line) = (&run.ranks[at], &common_clock.lines[at]);
            let contents = rank.contents();
            let Some(thread) = contents.threads.first() else { return RankShare::default() };
            let mut habits = HabitReader::new(&objects, &chased.waiting[at]);
            let mut activities = ActivityReader::new(&chased, at);
            let mut path = parts.reader(rank, line, at, &sites);
            let mut stream = Stream::whole(thread, rank, line, Roles::of(run, &objects, &sites, at));
            while let Some(call) = stream.peek() {
                let role = stream.role(call);
                habits.call(call, role);
                activities.call(call, role);
                path.call(call, role);
                stream.advance();
            }
            RankShare { habits: habits.habits, activities: activities.times, on_path: path.finish() }
        };
        let ranks = parallel::map(run.ranks.len(), of_rank);
        let sites = sites.list();
        let mut habits = CallHabits { sites: sites.clone(), ..CallHabits::default() };
        let mut origins = WaitOrigins { unknown: chased.unknown, ..WaitOrigins::default() };
        let mut on_path = Vec::new();
        for (rank, share) in ranks.into_iter().enumerate() {
            let rank = rank as u32;
            habits.of_site.extend(share.habits.into_iter().map(|(site, habits)| ((rank, site), habits)));
            origins.activities.extend(share.activities.into_iter().map(|(what, times)| ((rank, what), times)));
            on_path.push(share.on_path);
        }
        origins.followed = origins.activities.values().map(|times| times.blamed).total();
        let places = by_site(on_path, &sites);
        origins.sites = sites;
        SharedWalk { habits, origins, path: CriticalPath { segments, places } }
    }
}
