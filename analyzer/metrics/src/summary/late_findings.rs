//! Findings on the origins of waiting: each part of the program that kept ranks waiting, unless another rule explains it.

use super::lateness::{LateActivity, LateContext, late_activities};
use super::limits::limits;
use super::{Evidence, Finding, FindingKind, late_ranks, lock_contention, slow_calls};
use crate::words::{plural, ranks_in_words, upper, verb};
use model::matching::WaitState;
use model::origins::{Activity, WaitOrigins};
use model::sums::Total;
use tables::WorldRank;

limits! {
    /// Ranks hand on to the next by messages, and the last one by the call that all wait in: at least a third of the waiting is for messages.
    LEAST_FOR_MESSAGES = 0.3, Least, "of the waits", Convention;
}

/// A finding about computation, or about work under a lock.
struct LateWork<'l, 'a> {
    finding: Finding,
    late: &'l LateActivity<'a>,
    /// Further places that belong to the finding.
    more: Vec<String>,
}

/// All findings about late ranks, except those that findings on calls explain already.
pub fn findings(context: &LateContext, origins: &WaitOrigins, of_calls: &[Finding]) -> Vec<Finding> {
    let (known, late) = (context.known, late_activities(context, origins));
    let has_wrong_order = of_calls.iter().any(|finding| finding.kind == FindingKind::WrongOrder);
    let mut works: Vec<LateWork> = Vec::new();
    let mut calls: Vec<Finding> = Vec::new();
    for late in &late {
        let is_held = late.is_mostly(WaitState::LockContention);
        if !is_held && matches!(late.activity, Activity::In(_)) {
            calls.extend(slow_calls::finding(late));
            continue;
        }
        if has_wrong_order && late.is_mostly(WaitState::WrongOrder) {
            continue;
        }
        if is_slowly_received(late, of_calls) {
            continue;
        }
        let finding = if is_held { lock_contention::finding(late) } else { late_ranks::finding(late) };
        if finding.kind.is_of_work() && late.is_for_whoever_comes() {
            continue;
        }
        // All ranks do the same work there, and these came late because of calls, which have findings of their own.
        if finding.kind == FindingKind::LateRank && late.is_common() && !late.has_more_work() {
            continue;
        }
        // If ranks share cores, the scheduler makes some that compute as long as the others post their receives late.
        if finding.kind == FindingKind::LateReceiver && known.shares_cores() && !late.has_more_work() {
            continue;
        }
        let is_of_polls = |main: &LateWork| main.late.is_between_polls() || !late.is_between_polls();
        match works.iter_mut().find(|main| is_alike(&main.finding, &finding) && is_of_polls(main)) {
            Some(main) => {
                main.finding.join(finding);
                main.more.push(late.place());
            }
            None => works.push(LateWork { finding, late, more: Vec::new() }),
        }
    }
    for work in works.iter_mut() {
        match work.more.as_slice() {
            [] => {}
            [place] => work.finding.add(&format!("The same {place}.")),
            [place, more @ ..] => {
                let more = plural(more.len() as u64, "more place");
                work.finding.add(&format!("The same {place}, and at {more}."));
            }
        }
    }
    join_held_ranks(&mut works);
    join_turns(known, &mut works);
    works.retain(|work| !of_calls.iter().any(|other| other.explains(&work.finding, work.late.has_more_work())));
    let mut findings: Vec<Finding> = works.into_iter().map(|work| work.finding).collect();
    calls.retain(|finding| !of_calls.iter().any(|other| other.explains(finding, true)));
    findings.extend(calls);
    findings
}

/// True if the waits there are those of sends to a rank that takes messages slowly, which have a finding of their own.
fn is_slowly_received(late: &LateActivity, of_calls: &[Finding]) -> bool {
    let Some(wait) = late.main_wait().filter(|_| late.is_mostly(WaitState::LateReceiver)) else { return false };
    let site = &late.site_of(wait.waiter).site;
    let mut slow = of_calls.iter().filter(|finding| finding.kind == FindingKind::SlowReceiver);
    slow.any(|finding| finding.sites.first().map_or("", String::as_str) == site)
}

/// True if two findings are one: the same ranks are late in the same way, at several places.
fn is_alike(main: &Finding, other: &Finding) -> bool {
    use FindingKind::{EagerLimit, LateRank, LateReceiver, LockContention, SerialWork};
    main.kind == other.kind
        && match main.kind {
            LockContention => main.sites.first() == other.sites.first(),
            LateRank | SerialWork | LateReceiver | EagerLimit => main.ranks == other.ranks,
            _ => false,
        }
}

/// Joins findings on ranks with the finding on the rank that held them, as the receiver of their messages or as the bottleneck: with no
/// more work than others, they are late because of it.
fn join_held_ranks(works: &mut Vec<LateWork>) {
    let is_late = |work: &LateWork| matches!(work.finding.kind, FindingKind::LateRank | FindingKind::SporadicDelay);
    let is_held = |work: &LateWork| is_late(work) && !work.late.has_more_work() && !work.late.is_bottleneck();
    let (held, others): (Vec<LateWork>, Vec<LateWork>) = works.drain(..).partition(is_held);
    *works = others;
    for held in held {
        let holds = |work: &&mut LateWork| {
            let is_receiver = matches!(work.finding.kind, FindingKind::LateReceiver | FindingKind::EagerLimit);
            work.late.is_bottleneck()
                || is_receiver && held.finding.ranks.iter().all(|rank| work.late.waiters().contains(rank))
        };
        match works.iter_mut().find(holds) {
            Some(holder) => {
                let costs = held.finding.costs.unwrap_or(0.0);
                let come = verb(held.finding.ranks.len(), "comes", "come");
                let who = upper(&ranks_in_words(&held.finding.ranks));
                holder.finding.add(&format!("{who} then {come} late, and others wait for that, too."));
                holder.finding.add_costs(costs);
                holder.finding.changes.extend(held.finding.changes);
            }
            None => works.push(held),
        }
    }
}

/// Joins work at different lines into a chain if each rank works alone at a line of its own. A rank that answers hands nothing on. Ranks that
/// take turns by barriers hand nothing on, either, and do the same work: it ends at the same call.
fn join_turns(known: &Evidence, works: &mut Vec<LateWork>) {
    let is_turn = |work: &LateWork| {
        let is_alone = matches!(work.finding.kind, FindingKind::SerialWork | FindingKind::Chain);
        is_alone && !work.late.is_between_polls() && !work.late.is_answer()
    };
    let (mut turns, others): (Vec<LateWork>, Vec<LateWork>) = works.drain(..).partition(is_turn);
    *works = others;
    let waited: i64 = turns.iter().map(|work| work.late.waited()).total();
    let in_state = |state| turns.iter().map(|work| work.late.waited_in(state)).total();
    let for_messages = in_state(WaitState::LateSender).saturating_add(in_state(WaitState::WrongOrder));
    let is_handed_on = for_messages as f64 >= LEAST_FOR_MESSAGES.get() * waited as f64;
    if !is_handed_on
        && let Some(most) = turns.iter().max_by_key(|work| work.late.waited()).map(|work| work.late.later())
    {
        let (same, more): (Vec<LateWork>, Vec<LateWork>) =
            turns.into_iter().partition(|work| work.late.later() == most);
        works.extend(more);
        turns = same;
    }
    let mut ranks: Vec<WorldRank> = turns.iter().flat_map(|work| work.finding.ranks.iter().copied()).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let is_chain = turns.len() > 1 && ranks.len() == known.ranks();
    if !is_chain {
        works.extend(turns);
        return;
    }
    let mut turns = turns.into_iter();
    let Some(mut main) = turns.next() else { return };
    let mut who = format!("({} {}", ranks_in_words(&main.finding.ranks), main.late.place());
    for turn in turns {
        who += &format!(", {} {}", ranks_in_words(&turn.finding.ranks), turn.late.place());
        main.finding.join(turn.finding);
    }
    let mut joined = late_ranks::in_turn(&(who + ")"), main.finding.costs.unwrap_or(0.0));
    if !is_handed_on {
        joined = joined.next(
            "They do the same work, and hand nothing on by messages: let all do it at once, and keep an order only where it is \
             needed, such as by offsets of their own in a file.",
        );
    }
    main.finding = joined.ranks(ranks).sites(main.finding.sites);
    works.push(main);
}
