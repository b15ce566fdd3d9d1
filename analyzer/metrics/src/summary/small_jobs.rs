//! The finding on a rank that gives others their work in small pieces: it takes messages from whoever comes first, and each time a rank
//! waits for its answer.

use super::limits::limits;
use super::used_sites::UsedSite;
use super::{Evidence, Finding, FindingKind};
use crate::totals::{seconds, world_rank};
use crate::words::{plural, ranks_in_words, upper};
use model::matching::WaitState;
use model::sums::{Grow, Total};
use rustc_hash::FxHashMap;
use tables::Value;

limits! {
    /// With two ranks, any source is the other one.
    LEAST_RANKS = 3, Least, "ranks", Derived;
    /// Fewer messages are no farm.
    LEAST_TIMES = 100, Least, "messages", Convention;
}

/// Waits of other ranks for the answers of one.
#[derive(Default)]
struct Answers {
    time: i64,
    /// By the waiting rank.
    waits: FxHashMap<u32, u64>,
}

pub fn findings(known: &Evidence, sites: &[UsedSite]) -> Vec<Finding> {
    if known.ranks() < (LEAST_RANKS.count() as usize) {
        return Vec::new();
    }
    let mut answers: FxHashMap<u32, Answers> = FxHashMap::default();
    for (key, sum) in known.account().into_iter().flat_map(|account| &account.waits.sums) {
        if key.state == WaitState::LateSender && key.waiter.rank != key.cause.rank {
            let of_rank = answers.entry(key.cause.rank).or_default();
            of_rank.time.grow(sum.time);
            of_rank.waits.entry(key.waiter.rank).or_default().grow(sum.count);
        }
    }
    let mut findings = Vec::new();
    for used in sites {
        for (rank, habits) in &used.ranks {
            let takes = habits.from_any && !habits.starts && habits.count >= LEAST_TIMES.count();
            if let Some(answers) = answers.get(rank).filter(|_| takes) {
                findings.extend(of_rank(used, *rank, habits.count, answers));
            }
        }
    }
    findings
}

/// The finding on a rank that takes so many messages at a line.
fn of_rank(used: &UsedSite, rank: u32, count: u64, answers: &Answers) -> Option<Finding> {
    let known = used.known;
    // Each message is a request: most of them are waited for, and by more than one rank.
    let waits: u64 = answers.waits.values().copied().total();
    if answers.waits.len() < 2 || 2 * waits < count {
        return None;
    }
    let costs = known.mean(answers.time);
    let who = world_rank(&known.run.ranks[rank as usize]);
    let name = ranks_in_words(&[who]);
    let headline = format!(
        "{} answers {} one at a time, from whoever comes first in {}, and the others wait for each answer.",
        upper(&name),
        plural(count, "message"),
        used.place()
    );
    let work: i64 = answers.waits.keys().map(|rank| known.activities().of_rank(*rank).between).total();
    let [work, wait] = [work, answers.time].map(|time| Value::Seconds(seconds(time) / count as f64));
    let detail = format!("For each message the others compute {work} and wait {wait} on average.");
    let next = "Hand out larger pieces of work, or the next piece before the last one is done.";
    let finding = Finding::new(FindingKind::SmallJobs, "waits", headline).detail(detail).next(next);
    Some(finding.costs(costs).ranks(vec![who]).sites(used.sites()))
}
