//! The reason for which a rank was late: more work than its peers, the same work slower now and then, or what it did instead of work.
//!
//! In: how long each rank's passes through a stretch between two calls took. Only passes through one stretch are compared: the calls
//! around them are the same.

use crate::median::lower_median;
use model::attribution::{Spent, TimeKey};
use model::origins::{Activity, ActivityTimes, WaitOrigins};
use rustc_hash::FxHashMap;
use tables::number::significant;

/// Fewer passes are no distribution: of these, only the sums are compared.
const LEAST_PASSES: u64 = 8;
/// Passes of even work differ by less. The bins that hold them are an eighth wide.
const EVEN: f64 = 1.15;
/// Ranks that pass a stretch in a smaller share of the time have no part in the work there.
const NOTHING: f64 = 0.05;
/// Share of a rank's passes that are its fast ones.
const FAST: f64 = 0.1;

/// A rank's passes through one stretch. Nanoseconds.
#[derive(Clone, Copy)]
struct Passes {
    rank: u32,
    count: u64,
    mean: f64,
    /// Of its fast passes.
    fast: f64,
}

impl Passes {
    fn of(rank: u32, times: &ActivityTimes) -> Option<Passes> {
        let mean = times.total as f64 / times.count.max(1) as f64;
        (times.count > 0).then(|| Passes {
            rank,
            count: times.count,
            mean,
            fast: times.bins.quantile(FAST).map_or(mean, |fast| fast as f64),
        })
    }
}

/// All ranks' passes through each stretch.
pub struct AllPasses(FxHashMap<Activity, Vec<Passes>>);

impl AllPasses {
    pub fn of(origins: &WaitOrigins) -> AllPasses {
        let mut all: FxHashMap<Activity, Vec<Passes>> = FxHashMap::default();
        for ((rank, activity), times) in &origins.activities {
            if let Some(passes) = Passes::of(*rank, times) {
                all.entry(*activity).or_default().push(passes);
            }
        }
        AllPasses(all)
    }

    /// Compares a rank's passes with those of the others.
    fn compare(&self, rank: u32, activity: Activity) -> Work {
        let all = self.0.get(&activity).map_or(&[][..], |all| all);
        let Some(own) = all.iter().find(|passes| passes.rank == rank) else { return Work::Alone };
        let others: Vec<Passes> = all.iter().filter(|passes| passes.rank != rank).copied().collect();
        if others.is_empty() {
            return Work::Alone;
        }
        let mean = lower_median(others.iter().map(|passes| passes.mean));
        let fast = lower_median(others.iter().map(|passes| passes.fast));
        if mean < NOTHING * own.mean {
            return Work::Alone;
        }
        let [slower, even_slower] = [own.mean / mean.max(1.0), own.fast / fast.max(1.0)];
        if own.count < LEAST_PASSES {
            return if slower > EVEN { Work::Longer(slower) } else { Work::Even };
        }
        match (even_slower > EVEN, slower > EVEN) {
            (true, _) => Work::More(even_slower),
            (false, true) => Work::SlowerAtTimes,
            (false, false) => Work::Even,
        }
    }

    /// The reason, in words.
    pub fn reason(&self, rank: u32, late: TimeKey) -> String {
        let Some(activity @ Activity::Between(..)) = late.place else { return of_kind(late.spent).into() };
        let work = self.compare(rank, activity);
        let kind = match late.spent {
            Spent::Computing => return work.in_words(),
            Spent::InFile | Spent::Sleeping | Spent::OffCore | Spent::Asleep | Spent::InKernel => of_kind(late.spent),
            other => return of_kind(other).into(),
        };
        match work {
            Work::More(times) | Work::Longer(times) => format!("{kind}, {} x", significant(times, 2, 1)),
            Work::SlowerAtTimes => format!("{kind} at times"),
            Work::Even => kind.into(),
            Work::Alone => format!("{kind}, only it"),
        }
    }
}

impl Work {
    /// The reason of a rank that computed.
    fn in_words(&self) -> String {
        match self {
            Work::More(times) => format!("{} x the work", significant(*times, 2, 1)),
            Work::Longer(times) => format!("{} x as long", significant(*times, 2, 1)),
            Work::SlowerAtTimes => "slower at times".into(),
            Work::Even => "even work".into(),
            Work::Alone => "its own work".into(),
        }
    }
}

enum Work {
    /// Even its fast passes take so many times as long as theirs.
    More(f64),
    /// There are too few passes to tell more work from slower work.
    Longer(f64),
    /// Its fast passes are as fast as theirs.
    SlowerAtTimes,
    Even,
    /// No other rank works there.
    Alone,
}

/// A kind of time, as the reason of a delay.
fn of_kind(spent: Spent) -> &'static str {
    match spent {
        Spent::Computing => "outside its calls",
        Spent::BetweenPolls => "works between polls",
        Spent::InFile => "in files",
        Spent::Sleeping => "sleeping",
        Spent::OffCore => "no core",
        Spent::Asleep => "asleep",
        Spent::InKernel => "in the kernel",
        Spent::Recording => "the recorder's start",
        // A rank is late in a wait of its own only where no single rank was to blame for that one.
        Spent::Waiting(_) | Spent::WaitingByHand(_) => "leaves it late",
        Spent::Polling => "polls",
        Spent::Files => "file access",
        Spent::InCall | Spent::Unfollowed => "the call itself",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRETCH: Activity = Activity::Between(0, 1);

    /// Reasons of rank 0, whose passes take these times; those of ranks 1 to 3 take 100 each.
    fn reason(own: &[i64]) -> String {
        let mut origins = WaitOrigins { activities: FxHashMap::default(), unknown: 0 };
        for rank in 0..4 {
            let times = origins.activities.entry((rank, STRETCH)).or_default();
            for pass in own {
                times.add(if rank == 0 { *pass } else { 100_000 });
            }
        }
        AllPasses::of(&origins).reason(0, TimeKey { place: Some(STRETCH), spent: Spent::Computing })
    }

    #[test]
    fn fast_passes_tell_more_work_from_work_that_is_slower_now_and_then() {
        assert_eq!(reason(&[200_000; 20]), "2.0 x the work");
        assert_eq!(reason(&[9_000_000; 20]), "its own work");
        let mut at_times = [100_000; 20];
        at_times[3..9].fill(900_000);
        assert_eq!(reason(&at_times), "slower at times");
        assert_eq!(reason(&[104_000; 20]), "even work");
    }

    #[test]
    fn a_few_passes_are_longer_but_of_unknown_cause() {
        assert_eq!(reason(&[300_000; 2]), "3.0 x as long");
        assert_eq!(reason(&[100_000; 2]), "even work");
    }

    #[test]
    fn a_stretch_of_one_rank_has_no_others_to_compare_with() {
        let mut origins = WaitOrigins { activities: FxHashMap::default(), unknown: 0 };
        origins.activities.entry((2, STRETCH)).or_default().add(5_000);
        let late = TimeKey { place: Some(STRETCH), spent: Spent::Computing };
        assert_eq!(AllPasses::of(&origins).reason(2, late), "its own work");
        assert_eq!(AllPasses::of(&origins).reason(2, TimeKey { spent: Spent::OffCore, ..late }), "no core, only it");
    }
}
