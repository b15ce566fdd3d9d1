//! The findings on computation that keeps other ranks waiting: the late ranks, always or now and then, alone or in turn.

use super::late_changes::Lateness;
use super::late_reason::{self, LateReason, bins};
use super::lateness::LateActivity;
use super::limits::limits;
use super::{Finding, FindingKind, late_changes, late_receivers, lock_contention, sampled_work, wait_advice};
use crate::totals::seconds;
use crate::words::{plural, ranks_in_words, site_in_words, upper, verb};
use model::origins::{ActivityTimes, DurationBins};
use model::roles::CallSite;
use model::sums::Total;
use tables::Value;
use traces::calls::Call;

limits! {
    /// A rank works alone if nearly all others wait for this share of its time there.
    ALONE = 0.8, Least, "of its time", Convention;
    /// Ranks work in turn if others wait for this share of their time there, and in this share of their cases. Of two ranks that begin each
    /// step together and take four times as long as the other in every other one, the share of the time is 0.6, and that of the cases a half;
    /// of three that hand on what they do, others wait for two all the time.
    IN_TURN = 0.65, Least, "of their time and cases", Derived;
    /// Cases are rare if they are no more than this share of all.
    RARE = 0.3, Most, "of the cases", Convention;
    /// A case is long if it takes this many times the usual time.
    LONG = 1.5, Least, "times", Convention;
    /// The long cases explain the waiting if they hold this share of it.
    EXPLAINED = 0.6, Least, "of the waits", Convention;
    /// Ranks are late for stretches of the run if they are late in so many cases of theirs in a row on average: two ranks of which either is
    /// late each time, by chance, in two.
    LEAST_IN_A_ROW = 4, Least, "cases", Derived;
}

pub fn finding(late: &LateActivity) -> Finding {
    let costs = late.costs();
    let place = late.place();
    let lateness = if late_receivers::are_late(late) { Lateness::LateReceivers } else { judged(late) };
    let lateness = match lateness {
        Lateness::Alternating | Lateness::InTurn if are_late_in_stretches(late) => Lateness::Drifting,
        other => other,
    };
    let spent = late_reason::of(late);
    // A file is what keeps them, however seldom they come to it, and whoever else computes there.
    let lateness = match lateness {
        Lateness::Alone | Lateness::NowAndThen { .. } if is_of_files(late, &spent) => Lateness::Always,
        other => other,
    };
    let culprits = late.culprits();
    let who = ranks_in_words(&late.world_ranks(culprits));
    let (is, its) = (verb(culprits.len(), "is", "are"), verb(culprits.len(), "its", "their"));
    let reason = Some(&spent).filter(|_| matches!(lateness, Lateness::Always) && late.has_more_work());
    let finding = match &lateness {
        Lateness::Alone if late.is_answer() => answers(late, &who, &place),
        Lateness::Alone => {
            let (rank, works) = (upper(&who), verb(culprits.len(), "works", "work"));
            let headline = format!("{rank} {works} {place} while the others wait.");
            let next = "Divide that work among all ranks, or let them go on with other work meanwhile.";
            let next = wait_advice::after(next, wait_advice::first_come(late));
            Finding::new(FindingKind::SerialWork, "waits", headline).next(next)
        }
        Lateness::InTurn if late.is_under_lock() => lock_contention::in_turn(&place),
        Lateness::InTurn => in_turn(&place, costs).detail(at_a_time(late)),
        Lateness::NowAndThen { long, of, usual, takes } => {
            let [usual, takes] = [*usual, *takes].map(|time| Value::Seconds(seconds(time)));
            let (begin, on_average) = match long {
                1 => (format!("Once {who} {is} late"), ""),
                _ => (format!("Now and then {who} {is} late"), " on average"),
            };
            let headline = format!(
                "{begin}: {long} of {of} times {its} computation {place} takes {takes}{on_average}, not the usual {usual}, and the \
                 others wait."
            );
            let next = "If there is more to do at these times, begin that piece of work first, or divide it; if not, look for what interrupts \
                        it: input and output, memory, the system.";
            Finding::new(FindingKind::SporadicDelay, "waits", headline).next(next)
        }
        Lateness::Alternating => {
            let headline = format!("A different rank is late each time {place}, and the others wait for it.");
            let even = if late.is_even() { "Over the run all ranks compute about as long. " } else { "" };
            let less = format!("{even}Let ranks wait for each other less often, or make each step's work even.");
            let first = wait_advice::work_first(late);
            let waits = first.as_ref().and(late.main_wait()).map(|wait| late.site_of(wait.waiter));
            let waits = waits.and_then(CallSite::line).into_iter().collect();
            let other = first.or_else(|| wait_advice::fewer_ranks(late));
            let next = wait_advice::after(&less, other);
            let detail = [synchronized_by(late), at_a_time(late)].join(" ");
            Finding::new(FindingKind::SporadicDelay, "waits", headline).next(next).detail(detail.trim()).sites(waits)
        }
        Lateness::Drifting => {
            let headline = format!(
                "One rank after another is late {place}, each for a stretch of the run, and the others wait for it."
            );
            let next = "The work moves from rank to rank: divide it again now and then.";
            Finding::new(FindingKind::SporadicDelay, "waits", headline).next(next).detail(synchronized_by(late))
        }
        Lateness::Always => always(late, reason, &who, &place),
        Lateness::LateReceivers => late_receivers::finding(late, &who, &place),
    };
    let finding = if late.is_between_polls() && !matches!(lateness, Lateness::LateReceivers) {
        finding.next(more_polls(late, &who))
    } else {
        finding
    };
    let is_off_processor = matches!(spent, LateReason::Sleeping { .. } | LateReason::Asleep | LateReason::AsleepLonger);
    let mut finding = Finding { is_off_processor, ..finding };
    finding.add(&sampled_work::in_words(late));
    if is_off_processor && reason.is_none() {
        finding.add(&off_processor(&spent, culprits.len()));
    }
    finding.add(&passed_on(late));
    let changes = late_changes::of(late, &lateness, reason);
    let of_call = match reason {
        Some(LateReason::InFile { most, .. }) => vec![most.place.clone()],
        Some(LateReason::Sleeping { most, .. }) => vec![most.place.clone()],
        _ => Vec::new(),
    };
    let sites = [late.sites(), finding.sites.clone(), of_call].concat();
    finding.costs(costs).changes(changes).ranks(late.world_ranks(culprits)).sites(sites)
}

/// True if ranks take longer than others because of a file.
fn is_of_files(late: &LateActivity, spent: &LateReason) -> bool {
    matches!(spent, LateReason::InFile { .. }) && late.has_more_work() && !late.is_answer()
}

/// The finding on ranks that work one after another; `place` says where.
pub fn in_turn(place: &str, costs: f64) -> Finding {
    let headline = format!("The ranks work one after another {place}, and wait for their turn.");
    let next = "Hand on results in smaller pieces, so that the next rank can begin before the last one is done, or change the \
                order of the work so that ranks do not need each other's results at once.";
    Finding::new(FindingKind::Chain, "waits", headline).next(next).costs(costs)
}

/// The advice on work between two polls: what comes meanwhile is noticed by the next poll alone.
fn more_polls(late: &LateActivity, who: &str) -> String {
    let polls = late.later_call().map(Call::mpi_name).unwrap_or_default();
    let does = verb(late.culprits().len(), "notices", "notice");
    format!(
        "{} {does} what comes only when that work is done: call {polls} after smaller pieces of it, or wait for the message and do \
         that work later.",
        upper(who)
    )
}

fn judged(late: &LateActivity) -> Lateness {
    let culprits = late.culprits();
    let all = late.known.ranks();
    let total = culprits.iter().map(|(_, times)| times.total).total();
    let alone = culprits.iter().map(|(_, times)| times.alone).total();
    let are_few = all > 1 && culprits.len() <= (all / 4).max(1);
    if are_few && (late.is_answer() || alone as f64 >= ALONE.get() * total as f64) {
        return Lateness::Alone;
    }
    let is_spread = 2 * culprits.len() > all;
    let waited = culprits.iter().map(|(_, times)| times.waited_for).total();
    let cases = culprits.iter().map(|(_, times)| times.count).total();
    // Ranks that begin each step together, of which another one has more to do each time, hand on nothing.
    let are_late_each_time = late.is_under_lock() || late.cases() as f64 >= IN_TURN.get() * cases as f64;
    if is_spread && all > 1 && waited as f64 >= IN_TURN.get() * total as f64 && are_late_each_time {
        return Lateness::InTurn;
    }
    if is_spread {
        return Lateness::Alternating;
    }
    let more_each_time = more_each_time(&bins(culprits), &bins(late.others()));
    let is_explained = more_each_time as f64 * cases as f64 >= EXPLAINED.get() * waited as f64;
    if late.has_more_work() && is_explained {
        return Lateness::Always;
    }
    let usual = bins(&late.ranks).median().unwrap_or(0);
    let long = culprits.iter().map(|(_, times)| times.bins.above((LONG.get() * usual as f64) as i64));
    let (long, time) = long.fold((0, 0i64), |sum, more| (sum.0 + more.0, sum.1.saturating_add(more.1)));
    let excess = time - long as i64 * usual;
    if long as f64 <= RARE.get() * cases as f64
        && excess as f64 >= EXPLAINED.get() * late.own_share(culprits) * waited as f64
    {
        return Lateness::NowAndThen { long, of: cases, usual, takes: time / long.max(1) as i64 };
    }
    // Calls have made late whoever computes no longer where all ranks come, or is the only one.
    let is_of_calls = !late.has_more_work() && (late.is_common() || culprits.len() == 1);
    if is_of_calls || late.is_steady() { Lateness::Always } else { Lateness::Alternating }
}

/// True if each of the culprits is late in many cases in a row, and then early in many. Ranks that hand on what they do are late in all of
/// them, or in one of a row.
fn are_late_in_stretches(late: &LateActivity) -> bool {
    let ranks = late.culprits();
    let (cases, stretches) = (late.cases(), ranks.iter().map(|(_, times)| times.stretches).total());
    cases >= LEAST_IN_A_ROW.count() * stretches && !late.is_in_all_cases()
}

/// Nanoseconds that the usual case takes longer than that of the others: these are no interruption.
fn more_each_time(own: &DurationBins, others: &DurationBins) -> i64 {
    own.median().zip(others.median()).map_or(0, |(own, others)| own - others)
}

/// The finding on ranks that others ask, and that take long for each answer.
fn answers(late: &LateActivity, who: &str, place: &str) -> Finding {
    let culprits = late.culprits();
    let (count, total) = culprits.iter().fold((0, 0i64), |sum, (_, one)| (sum.0 + one.count, sum.1 + one.total));
    let each = Value::Seconds(seconds(total) / count.max(1) as f64);
    let takes = verb(culprits.len(), "takes", "take");
    let headline = format!(
        "{} {takes} {each} for each of {} {place}, and those who ask wait for it.",
        upper(who),
        plural(count, "answer")
    );
    let next = "Hand out several pieces with each answer, work answers out before they are asked for, or let more ranks answer.";
    Finding::new(FindingKind::SerialWork, "waits", headline).next(next)
}

/// The finding on ranks that nearly always come late; a reason have those that compute longer than others.
fn always(late: &LateActivity, reason: Option<&LateReason>, who: &str, place: &str) -> Finding {
    let culprits = late.culprits();
    let (comes, they, computes, come, spends) = match culprits.len() {
        1 => ("keeps", "it", "computes", "comes", "spends"),
        _ => ("keep", "they", "compute", "come", "spend"),
    };
    if !late.has_more_work() && late.others().is_empty() {
        let headline = format!("{} {comes} the others waiting {place}.", upper(who));
        let detail = format!("{} that work.", verb(culprits.len(), "Only it does", "Only they do"));
        let next = "Make that work shorter, or let more ranks do it.";
        return Finding::new(FindingKind::LateRank, "waits", headline).detail(detail).next(next);
    }
    let Some(reason) = reason else {
        let headline = format!("{} {comes} the others waiting {place}.", upper(who));
        let detail = over_the_run(late, they, computes) + &format!("{they} {come} late to that work.");
        let next = format!("See in which calls {who} {spends} more time before that (`report --by rank`).");
        return Finding::new(FindingKind::LateRank, "waits", headline).detail(detail).next(next);
    };
    let does = reason.does(culprits.len());
    let headline = format!("{} {comes} the others waiting: {does} {place}.", upper(who));
    let next = if let Some(advice) = reason.advice(who) {
        advice
    } else if late.others().is_empty() {
        format!("No other rank computes there: give {who} less of that work, or let the others go on meanwhile.")
    } else if culprits.len() == 1 {
        format!("Give {who} a smaller share of that work.")
    } else {
        "Spread that work more evenly.".to_string()
    };
    let detail = [beside_others(late), reason.detail(culprits.len())].into_iter().filter(|text| !text.is_empty());
    let detail = detail.collect::<Vec<_>>().join(" ");
    let command = match reason {
        LateReason::InFile { .. } => "files",
        LateReason::Sleeping { .. } => "sleeps",
        _ => "waits",
    };
    Finding::new(FindingKind::LateRank, command, headline).next(next).detail(detail)
}

/// Compares what the culprits compute in all with what the others do, for culprits that are not late because of it.
fn over_the_run(late: &LateActivity, they: &str, compute: &str) -> String {
    let Some((own, theirs)) = late.own_and_others_work() else { return String::new() };
    let others = if late.others_as_often().is_empty() { "the others" } else { "the others that come there" };
    let [own, theirs] = [own, theirs].map(Value::Seconds);
    format!("Over the run {they} {compute} {own}, {others} {theirs} on average: ")
}

/// Compares the culprits' time there with that of the other ranks.
fn beside_others(late: &LateActivity) -> String {
    let mean = |ranks: &[(u32, &ActivityTimes)], count: usize| {
        seconds(ranks.iter().map(|(_, times)| times.total).total()) / count.max(1) as f64
    };
    let culprits = late.culprits();
    // Ranks at a border may go on at other lines: their times there say nothing.
    let others: Vec<(u32, &ActivityTimes)> = late.others_as_often().into_iter().copied().collect();
    let theirs = mean(&others, others.len());
    let own = mean(culprits, culprits.len());
    if others.is_empty() || theirs >= own {
        return String::new();
    }
    let who = if late.is_common() { "the others".into() } else { ranks_in_words(&late.world_ranks(&others)) };
    let [own, theirs] = [own, theirs].map(Value::Seconds);
    let each = verb(culprits.len(), "It takes", "They take");
    let on_average = if late.is_common() || others.len() > 1 { " on average" } else { "" };
    format!("{each} {own} there, {who} {theirs}{on_average}.")
}

/// The mean number of ranks that wait while one works, if all of them wait for most of the time.
fn at_a_time(late: &LateActivity) -> String {
    let [waited_for, total] = [|times: &ActivityTimes| times.waited_for, |times: &ActivityTimes| times.total]
        .map(|of| late.ranks.iter().map(|(_, times)| of(times)).total());
    if (waited_for as f64) < IN_TURN.get() * total as f64 {
        return String::new();
    }
    // With two ranks, the other one waits.
    if waited_for == 0 || late.known.ranks() < 3 {
        return String::new();
    }
    let idle = late.waited() as f64 / waited_for as f64;
    let all = late.known.ranks();
    format!("While one works, {idle:.1} of the other {} wait on average.", plural(all as u64 - 1, "rank"))
}

/// The calls by which the ranks wait for each other.
fn synchronized_by(late: &LateActivity) -> String {
    let Some(wait) = late.main_wait() else { return String::new() };
    let site = site_in_words(late.site_of(wait.waiter));
    format!("They wait in {site}.")
}

fn off_processor(spent: &LateReason, ranks: usize) -> String {
    if matches!(spent, LateReason::Sleeping { .. }) {
        let does = spent.does(ranks);
        return format!("{}.", upper(does.trim_end_matches(',')));
    }
    let (who, they) = (verb(ranks, "It is", "They are"), verb(ranks, "it sleeps, or waits", "they sleep, or wait"));
    format!("{who} off the processor for most of that time: {they} for input or output.")
}

/// The part of the waiting that goes through other ranks.
fn passed_on(late: &LateActivity) -> String {
    let indirect = late.ranks.iter().map(|(_, times)| times.indirect).total();
    let share = 100.0 * indirect as f64 / late.waited().max(1) as f64;
    if share < 25.0 {
        return String::new();
    }
    let Some(wait) = late.main_wait() else { return String::new() };
    let between = late.run().ranks.get(wait.waiter.rank as usize).map(crate::words::rank_in_words).unwrap_or_default();
    format!("{share:.0} % of the waiting is passed on by ranks that wait themselves, such as {between}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::late_reason::bins_of as bins;

    #[test]
    fn a_rank_that_usually_takes_longer_is_not_interrupted_however_long_its_worst_cases_are() {
        let even = bins(&[(99, 2_000_000)]);
        let more = more_each_time(&bins(&[(70, 4_000_000), (29, 9_000_000)]), &even);
        assert!((1_800_000..2_200_000).contains(&more), "{more}");
        assert_eq!(more_each_time(&even, &DurationBins::default()), 0, "no other rank comes there");
    }
}
