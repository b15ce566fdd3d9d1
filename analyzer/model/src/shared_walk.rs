//! One walk through each rank's calls for all analyses that need its waits first: habits, origins of waiting, the critical path, the
//! attribution of time.
//!
//! In: a matched run. Out: their results. Only first threads count. The readers know nothing of each other.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::thread;

use super::attribution::{Attribution, Loop, LoopFinder, TimeReader, find_loop};
use super::common_clock::CommonClock;
use super::critical::{CriticalPath, PathParts, PathReader};
use super::habits::{HabitReader, SiteHabits};
use super::matching::Settled;
use super::objects::Objects;
use super::origins::{Activity, ActivityReader, ActivityTimes, Chase, ChasedPart, OwnWait, WaitOrigins};
use super::roles::Roles;
use super::stream::Stream;
use super::{Run, parallel};
use crate::parallel::{into_inner, lock};
use crate::run_parts::RunParts;
use rustc_hash::FxHashMap;

pub struct SharedWalk {
    /// By the rank's place in [`Run::ranks`], and the site's number.
    pub habits: FxHashMap<(u32, u32), SiteHabits>,
    pub origins: WaitOrigins,
    pub path: CriticalPath,
    /// Each rank's time by place and kind.
    pub attribution: Attribution,
}

impl SharedWalk {
    /// Uses up the waits and the jumps of an account that keeps them
    /// ([`Follow::ORIGINS`](super::matching::Follow::ORIGINS) and [`Follow::JUMPS`](super::matching::Follow::JUMPS)).
    pub fn of(run: &Run, settled: &mut Settled) -> SharedWalk {
        SharedWalk::made(run, settled, false)
    }

    /// Attributes time by iteration, too. That takes one more walk, which finds the loop.
    pub fn by_iteration(run: &Run, settled: &mut Settled) -> SharedWalk {
        SharedWalk::made(run, settled, true)
    }

    fn made(run: &Run, settled: &mut Settled, by_iteration: bool) -> SharedWalk {
        let waits = std::mem::take(&mut settled.account.followed);
        let parts = PathParts::of(run, settled);
        let objects = Objects::of(run);
        let of_loop = if by_iteration { loop_of(run, &settled.common_clock, &objects) } else { None };
        let of_run = RunParts::of(&run.ranks, &settled.common_clock);
        let walk = |at| RankWalk::new(run, settled, (&objects, of_run), &parts, (at, of_loop));
        let walks = parallel::map(run.ranks.len(), |at| Mutex::new(walk(at)));
        let mut chase = Chase::new(&waits, run.ranks.len());
        // The waits of the next part are followed while the ranks read this one.
        thread::scope(|scope| {
            let ((hand_on, chased), chase) = (sync_channel(0), &mut chase);
            scope.spawn(move || {
                for part in chase {
                    if hand_on.send(part).is_err() {
                        return;
                    }
                }
            });
            for part in chased {
                parallel::map(walks.len(), |at| lock(&walks[at]).go_on(&part, at));
            }
        });
        let (mut habits, mut activities) = (FxHashMap::default(), FxHashMap::default());
        let (mut on_path, mut times) = (Vec::new(), Vec::new());
        for (walk, rank) in walks.into_iter().map(into_inner).zip(0..) {
            habits.extend(walk.habits.habits.into_iter().map(|(site, habits)| ((rank, site), habits)));
            activities.extend(walk.activities.times.into_iter().map(|(what, times)| ((rank, what), times)));
            on_path.push(walk.path.finish());
            times.push(walk.times);
        }
        let origins = WaitOrigins { activities, unknown: chase.unknown };
        let attribution = Attribution { of_loop, ..Attribution::of(times) };
        SharedWalk { habits, origins, path: parts.finish(on_path), attribution }
    }
}

impl SharedWalk {
    /// Computation of the selected ranks by the calls around it, as [`computation`] finds it.
    pub fn computation(&self, run: &Run) -> Computation {
        let mut of_ranks: BTreeMap<usize, Vec<Between>> = BTreeMap::new();
        for ((rank, activity), times) in &self.origins.activities {
            let rank = *rank as usize;
            if run.ranks[rank].is_asked {
                of_ranks.entry(rank).or_default().extend(Between::of(activity, times));
            }
        }
        Computation { of_ranks: of_ranks.into_iter().collect() }
    }
}

/// One rank's readers.
struct RankWalk<'a> {
    /// The calls of its first thread.
    calls: Option<Stream<'a>>,
    habits: HabitReader<'a>,
    activities: ActivityReader,
    path: PathReader<'a>,
    times: TimeReader,
}

impl<'a> RankWalk<'a> {
    fn new(
        run: &'a Run,
        settled: &'a Settled,
        (objects, of_run): (&'a Objects, RunParts),
        parts: &'a PathParts,
        (at, of_loop): (usize, Option<Loop>),
    ) -> RankWalk<'a> {
        let (rank, line) = (&run.ranks[at], &settled.common_clock.lines[at]);
        RankWalk {
            calls: first_thread(run, &settled.common_clock, objects, at),
            habits: HabitReader::new(objects, of_run),
            activities: ActivityReader::new(run.ranks.len(), rank, line),
            path: parts.reader(rank, line, at),
            times: TimeReader::new(rank, line).with_loop(of_loop),
        }
    }

    /// Reads the calls that end in the next part of the run.
    fn go_on(&mut self, part: &ChasedPart, at: usize) {
        self.habits.waits.add(part.waiting[at].iter().map(OwnWait::span));
        self.activities.know(&part.blamed[at], &part.waiting[at]);
        self.times.know(&part.blamed[at], &part.waiting[at]);
        let Some(calls) = &mut self.calls else { return };
        while let Some(call) = calls.peek().filter(|call| call.end <= part.until) {
            let role = calls.role(call);
            self.habits.call(call, role, calls.details(call), calls.roles());
            self.activities.call(call, role);
            self.path.call(call, role);
            self.times.call(call, role);
            calls.advance();
        }
    }
}

/// The loop that the run's selected ranks have.
fn loop_of(run: &Run, clock: &CommonClock, objects: &Objects) -> Option<Loop> {
    let asked: Vec<usize> = run.asked_places().map(|(at, _)| at).collect();
    let finders = parallel::map(asked.len(), |at| {
        let mut finder = LoopFinder::default();
        let Some(mut calls) = first_thread(run, clock, objects, asked[at]) else { return finder };
        while let Some(call) = calls.peek() {
            let role = calls.role(call);
            // The number of a rank's polls says nothing of the loop.
            if role.place.counts() && !role.nested && !role.call().is_some_and(|call| call.polls()) {
                finder.call(role.place.number() as u32, call.start, call.end);
            }
            calls.advance();
        }
        finder
    });
    find_loop(&finders)
}

/// Finds the critical path alone. Uses up the jumps of an account that keeps them.
pub fn critical_path(run: &Run, settled: &mut Settled) -> CriticalPath {
    let parts = PathParts::of(run, settled);
    let objects = Objects::of(run);
    let on_path = parallel::map(run.ranks.len(), |at| {
        let mut path = parts.reader(&run.ranks[at], &settled.common_clock.lines[at], at);
        let Some(mut calls) = first_thread(run, &settled.common_clock, &objects, at) else {
            return path.finish();
        };
        while let Some(call) = calls.peek() {
            path.call(call, calls.role(call));
            calls.advance();
        }
        path.finish()
    });
    parts.finish(on_path)
}

/// Computation of the selected ranks by the calls before and after it.
pub struct Computation {
    /// Each rank's, with its place in [`Run::ranks`].
    pub of_ranks: Vec<(usize, Vec<Between>)>,
}

/// A rank's computation between calls at two sites.
#[derive(Clone, Copy)]
pub struct Between {
    pub from: u32,
    pub to: u32,
    pub count: u64,
    /// Nanoseconds.
    pub time: i64,
}

impl Between {
    fn of(activity: &Activity, times: &ActivityTimes) -> Option<Between> {
        let Activity::Between(from, to) = *activity else { return None };
        Some(Between { from, to, count: times.count, time: times.total })
    }
}

/// Finds computation alone: by the sites of the calls before and after it.
pub fn computation(run: &Run) -> Computation {
    let clock = run.common_clock();
    let objects = Objects::of(run);
    let asked: Vec<usize> = (0..run.ranks.len()).filter(|at| run.ranks[*at].is_asked).collect();
    let of_ranks = parallel::map(asked.len(), |at| {
        let mut activities = ActivityReader::new(run.ranks.len(), &run.ranks[asked[at]], &clock.lines[asked[at]]);
        if let Some(mut calls) = first_thread(run, &clock, &objects, asked[at]) {
            while let Some(call) = calls.peek() {
                activities.call(call, calls.role(call));
                calls.advance();
            }
        }
        activities.times.iter().filter_map(|(activity, times)| Between::of(activity, times)).collect::<Vec<_>>()
    });
    Computation { of_ranks: asked.into_iter().zip(of_ranks).collect() }
}

/// The calls of a rank's first thread, if it has any.
fn first_thread<'a>(run: &'a Run, clock: &'a CommonClock, objects: &'a Objects, at: usize) -> Option<Stream<'a>> {
    let (rank, line) = (&run.ranks[at], &clock.lines[at]);
    let contents = rank.contents();
    Some(Stream::whole(contents.threads.first()?, rank, line, Roles::of(run, objects, run.call_sites(), at)))
}
