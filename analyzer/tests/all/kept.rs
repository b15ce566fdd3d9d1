//! Drops the oldest records of every recorded program, as a recorder that keeps only the newest does: totals stay as they were,
//! and later calls are paired as before.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use examples::{fixture, rota};
use model::kept_part::KeptPart;
use model::matching::{Follow, account};
use model::rank::Rank;
use model::standing::{Past, Route, Standing};
use model::{Choice, Run};
use traces::calls::Call;
use traces::folder::EXTENSION;

use crate::common::Folder;
use crate::common::dropped::drop_oldest;
use crate::common::made::{Calls, made, on_nobody, receive};

/// Shares of the records that ranks drop: each rank's records begin at another time.
const SHARES: [[f64; 4]; 4] =
    [[0.5, 0.3, 0.7, 0.45], [0.21, 0.83, 0.4, 0.6], [0.9, 0.9, 0.88, 0.95], [0.0, 0.63, 0.12, 0.0]];

/// A recorded run, and what it would be if ranks had dropped their oldest records.
struct Pair {
    name: String,
    whole: Run,
    kept: Run,
}

fn load(folder: &Path) -> Option<Run> {
    Run::select(folder, &Choice { whole: true, no_cache: true, ..Choice::default() }).ok()
}

/// The runs of every program, for a test by its name, of which each drops one of the shares; all of them in a full run.
fn pairs(test: &'static str) -> impl Iterator<Item = Pair> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fixture::names()
        .into_iter()
        .map(move |name| {
            let place = folder.join(format!("{name}-kept-{test}-{}", std::process::id()));
            let whole = fixture::unpack(&name, &place).run;
            (name, place, whole)
        })
        .flat_map(|(name, place, whole)| {
            let chosen = rota::one_case_for(&name, SHARES.iter().enumerate().collect());
            let each = chosen.into_iter().filter_map(|(at, shares)| {
                let kept = place.join(format!("kept-{at}"));
                (dropped_run(&whole, &kept, shares) > 0).then_some(())?;
                Some(Pair { name: format!("{name}, shares {at}"), whole: load(&whole)?, kept: load(&kept)? })
            });
            let all: Vec<Pair> = each.collect();
            let _ = fs::remove_dir_all(&place);
            all
        })
}

/// Writes the run with its oldest records dropped. Returns how many were.
fn dropped_run(from: &Path, to: &Path, shares: &[f64; 4]) -> usize {
    fs::create_dir_all(to).unwrap();
    let mut files: Vec<PathBuf> = fs::read_dir(from).unwrap().flatten().map(|file| file.path()).collect();
    files.sort();
    let (traces, others): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| file.extension().is_some_and(|ending| ending == EXTENSION));
    for file in others.iter().filter(|file| file.is_file()) {
        fs::copy(file, to.join(file.file_name().unwrap())).unwrap();
    }
    let dropped = traces
        .iter()
        .enumerate()
        .map(|(at, file)| drop_oldest(file, &to.join(file.file_name().unwrap()), shares[at % shares.len()]));
    dropped.sum()
}

/// Counts, time, bytes and the rest of a rank's calls, by thread, signature and function.
fn totals(rank: &Rank) -> BTreeMap<(u32, u32, u16), Vec<u64>> {
    let mut totals: BTreeMap<_, Vec<u64>> = BTreeMap::new();
    for thread in &rank.threads {
        for entry in &thread.entries {
            let key = (thread.number, entry.signature.number, entry.signature.call);
            let engine = [entry.engine.entries, entry.engine.productive, entry.engine.ticks];
            let sums =
                [entry.count, entry.total, entry.failed, entry.sent, entry.received, entry.starts, entry.prepared.0];
            let most = [entry.max, u64::MAX - entry.min];
            let sum = totals.entry(key).or_insert_with(|| vec![0; 12]);
            for (sum, more) in sum.iter_mut().zip(sums.into_iter().chain(engine)) {
                *sum += more;
            }
            for (sum, more) in sum[10..].iter_mut().zip(most) {
                *sum = (*sum).max(more);
            }
        }
    }
    totals
}

fn has_called(run: &Run, calls: &[Call]) -> bool {
    run.ranks.iter().flat_map(Rank::entries).any(|entry| calls.iter().any(|call| entry.signature.call == call.number()))
}

/// A dropped call may be one that MPI_Pcontrol left out: the file does not say.
fn is_controlled(run: &Run) -> bool {
    has_called(run, &[Call::Pcontrol])
}

#[test]
fn totals_are_those_of_the_whole_run_whatever_was_dropped() {
    let mut ran = 0;
    for Pair { name, whole, kept } in pairs("totals").filter(|pair| !is_controlled(&pair.whole)) {
        let part = KeptPart::of(&kept).unwrap();
        // No recorded program runs for a minute.
        assert!(part.dropped > 0 && part.length <= part.whole && part.whole < 60.0, "{name}: {part:?}");
        for (before, after) in whole.ranks.iter().zip(&kept.ranks) {
            assert!(after.damage == before.damage, "{name}, {}: {:?}", after.file, after.damage);
            let (before, after, file) = (totals(before), totals(after), &after.file);
            for (key, sums) in &before {
                assert_eq!(after.get(key), Some(sums), "{name}, {file}: thread, signature, function {key:?}");
            }
            assert_eq!(before.len(), after.len(), "{name}, {file}");
            ran += 1;
        }
    }
    assert!(ran > 100, "{ran}");
}

#[test]
fn messages_and_waits_behind_what_was_dropped_are_those_of_the_whole_run() {
    let (mut messages, mut spans, mut unresolved, mut all) = (0, 0, 0, 0);
    for Pair { name, whole, kept } in pairs("pairs") {
        let is_over = |run: &Run| run.ranks.iter().all(|rank| rank.is_finalized());
        if !is_over(&whole) {
            continue;
        }
        // Rates are fitted from all pages, which the shortened files have not: the whole run's clock serves both.
        let clock = whole.common_clock();
        let [before, after] = [&whole, &kept].map(|run| account(run, &clock, Follow::MESSAGES | Follow::SPANS));
        let key = |message: &model::matching::ReceivedMessage| {
            (message.from.rank, message.to.rank, message.communicator, message.tag, message.begin, message.end)
        };
        let known: HashSet<_> = before.messages.iter().map(key).collect();
        for message in &after.messages {
            assert!(known.contains(&key(message)), "{name}: {message:?}");
            messages += 1;
        }
        all += known.len();
        for (rank, (before, after)) in before.spans.iter().zip(&after.spans).enumerate() {
            // Of a call that waited for several ranks, the last may have sent in what was dropped: then it waited longer, or for
            // less than the clocks' error, and no wait was charged.
            let mut waited: HashMap<i64, i64> = HashMap::new();
            for span in before {
                let until = waited.entry(span.call).or_insert(span.until);
                *until = span.until.max(*until);
            }
            for span in after {
                let until = waited.get(&span.call);
                assert!(until.is_none_or(|until| *until >= span.until), "{name}, rank {rank}: {span:?}");
                unresolved += usize::from(until.is_none());
                spans += 1;
            }
        }
        assert!(
            after.unsent.len() <= before.unsent.len() && after.unreceived.len() <= before.unreceived.len(),
            "{name}"
        );
        assert_eq!(after.rest.confused, before.rest.confused, "{name}");
        assert!(after.rest.waiting.len() <= before.rest.waiting.len(), "{name}: {:?}", after.rest.waiting);
    }
    assert!(messages > 1000 && spans > 1000, "{messages} of {all} messages, {spans} waits");
    assert!(100 * unresolved <= spans, "{unresolved} of {spans} waits");
    println!("{messages} of {all} messages, {unresolved} of {spans} waits");
}

#[test]
fn requests_and_messages_that_began_in_what_was_dropped_are_pending_where_they_were() {
    let (mut ran, mut pending, mut routes) = (0, 0, 0);
    // Messages sent less messages received.
    let left = |past: &Past| -> BTreeMap<Route, i64> {
        let all = past.passed.iter().map(|(route, passed)| (*route, passed.left));
        all.filter(|(_, left)| *left != 0).collect()
    };
    for Pair { name, whole, kept } in pairs("pending") {
        // A message that a dropped probe took for a later receive counts as under way, and the last dropped call as made
        // though it failed.
        let has_failed = whole.ranks.iter().flat_map(Rank::entries).any(|entry| entry.failed > 0);
        let is_exact = !has_failed && !has_called(&whole, &[Call::Mprobe, Call::Improbe]);
        let [before, after] = [&whole, &kept].map(Standing::of);
        for (before, after) in before.ranks.iter().zip(&after.ranks) {
            let ids = |past: &Past| {
                let mut ids: Vec<_> = past.pending.keys().copied().collect();
                ids.sort_unstable();
                ids
            };
            assert_eq!(ids(&before.past), ids(&after.past), "{name}");
            pending += before.past.pending.len();
            let made = |past: &Past| -> BTreeMap<u32, u64> {
                past.made.iter().map(|(object, made)| (*object, made.count)).collect()
            };
            assert_eq!(made(&before.past), made(&after.past), "{name}");
            // Without its status, a receive from any rank does not tell which message it took.
            if is_exact && !after.past.is_partial {
                assert_eq!(left(&before.past), left(&after.past), "{name}");
                routes += after.past.passed.len();
            }
            ran += 1;
        }
    }
    assert!(ran > 100 && pending > 0 && routes > 100, "{ran} ranks, {pending} requests, {routes} routes");
}

#[test]
fn a_receive_that_is_cancelled_by_the_last_dropped_call_got_no_message() {
    let calls = Calls::default().call(receive(1), 1_000, 10).call(on_nobody(Call::Cancel), 2_000, 10);
    let waits = calls.call(on_nobody(Call::Wait), 3_000, 10).completed(1).cancelled();
    let (whole, _) = made(vec![waits, Calls::default()], 2);
    let kept = Folder::new();
    let [from, to] = [&whole, &kept].map(|folder| ["rank-0000.ovh", "rank-0001.ovh"].map(|name| folder.0.join(name)));
    fs::copy(&from[1], &to[1]).unwrap();
    // Behind the call of MPI_Wait, and behind the record that it completed the request, without its status.
    for (share, dropped) in [(0.6, 3), (0.8, 4)] {
        assert_eq!(drop_oldest(&from[0], &to[0], share), dropped);
        let past = &Standing::of(&load(&kept.0).unwrap()).ranks[0].past;
        let left: Vec<i64> = past.passed.values().map(|passed| passed.left).filter(|left| *left != 0).collect();
        assert!(past.pending.is_empty() && left.is_empty(), "{dropped} records dropped: {left:?}");
    }
}
