//! Positions of ranks: in a call, between calls, asleep; and the messages they have left behind.

use std::collections::{BTreeMap, BTreeSet};

use examples::fixture;
use model::Run;
use model::standing::{Position, Pulse, Standing, Stir, ThreadStir};
use serde_json::Value;
use traces::calls::Call;
use traces::definitions::Process;
use traces::file::{FileHeader, INITIALIZED, ProfileEntry, ThreadBlock};
use traces::progress::{self, Polls};
use traces::read::RankFile;
use traces::signature::{Signature, tag};
use traces::write::{FileWriter, blank_block, call};
use zerocopy::FromZeros;

use crate::common::recorded::{ask, recorded};
use crate::common::stories::{Sleeper, asking, asleep, collective, inside, outside, receive, run, run_by};
use crate::common::{BEGIN, Folder, header, in_call, rank_with, signature};

fn states(said: &[Value]) -> Vec<&str> {
    said.iter().map(|row| row["state"].as_str().unwrap()).collect()
}

#[test]
fn a_rank_that_asks_in_vain_polls() {
    let probes = Signature { call: Call::Iprobe.number(), tag: tag::ANY, ..receive(1, 0) };
    let folder = run(vec![asking(probes), outside(&[probes])]);
    let answer = ask(&folder.0, "hang", &["--no-cache"]);
    assert_eq!(states(answer.rows("standing")), ["polling", "outside"]);
}

#[test]
fn processes_that_all_sleep_outside_mpi_for_far_longer_than_ever_probably_hang() {
    let sleeper = Sleeper::new();
    let stories = (0..2).map(|_| outside(&[collective(Call::Barrier)])).collect();
    let folder = asleep(stories, &sleeper, 70);
    let answer = ask(&folder.0, "hang", &["--no-cache"]);
    assert_eq!((answer.status, answer.json["run"]["hangs"].as_str()), (1, Some("likely")), "{:#}", answer.json);
    assert_eq!(states(answer.rows("standing")), ["asleep", "asleep"]);
    // Two looks were taken, and the only call of each took a microsecond.
    let seconds = |key: &str| answer.json["run"][key].as_f64().unwrap();
    assert!(seconds("looks_apart_s") >= 0.1 && seconds("longest_pause_s") <= 1e-6, "{:#}", answer.json);
}

#[test]
fn files_of_another_host_that_do_not_change_are_of_a_run_that_is_over() {
    let folder = Folder::new();
    let process = Process { host: "elsewhere".into(), boot: "there".into(), ..Process::default() };
    let stories = (0..2).map(|_| inside(&[], collective(Call::Barrier))).collect();
    run_by(&folder, stories, header(0, 0), |_| process.clone());
    let run = ask(&folder.0, "hang", &["--no-cache"]).json["run"].clone();
    // The last sign of life is half a second after both ranks entered their calls.
    assert_eq!(
        (&run["hangs"], &run["looks_apart_s"], run["quiet_s"].as_f64()),
        (&"no".into(), &Value::Null, Some(0.5))
    );
}

/// The messages of this program fail.
const EXCEPT: &str = "errors";

#[test]
fn at_the_end_of_a_program_no_request_is_pending_and_no_message_under_way() {
    let programs: BTreeSet<String> =
        fixture::names().iter().map(|name| name.rsplit_once('-').unwrap().0.to_string()).collect();
    assert!(programs.contains(EXCEPT));
    let mut messages = 0;
    for program in programs.iter().filter(|program| *program != EXCEPT) {
        for fixture in recorded(program) {
            let run = Run::load(&fixture.run).unwrap();
            if !run.ranks.iter().all(|rank| rank.is_finalized()) {
                continue;
            }
            let ranks = Standing::of(&run).ranks;
            assert!(ranks.iter().all(|rank| rank.past.pending.is_empty()), "{program}");
            let mut left: BTreeMap<_, i64> = BTreeMap::new();
            for (channel, passed) in ranks.iter().flat_map(|rank| &rank.past.passed) {
                *left.entry((channel.object, channel.from, channel.to, channel.tag)).or_default() += passed.left;
                messages += passed.left.max(0);
            }
            assert!(left.values().all(|left| *left == 0), "{program}: {left:?}");
        }
    }
    assert!(messages > 1_000, "{messages}");
}

#[test]
fn who_asks_in_vain_and_nothing_else_polls_and_all_else_makes_calls() {
    let folder = Folder::new();
    let signatures =
        [Call::Test, Call::Iprobe, Call::Send].map(|call| Signature { call: call.number(), ..Signature::EMPTY });
    let signatures: Vec<Signature> =
        (1..).zip(signatures).map(|(number, signature)| Signature { number, ..signature }).collect();
    let file = |polls: Polls, words: &[u64]| {
        let block = ThreadBlock { polls, ..blank_block() };
        folder.write("rank-0000.ovh", &rank_with(header(0, 1), &block, &signatures, |own| own.extend(words)));
        RankFile::open(&folder.0.join("rank-0000.ovh")).unwrap()
    };
    let asked = polls(1);
    let before = Pulse::of(&file(asked, &[]));
    let until = |polls: Polls, words: &[u64]| {
        let later = file(polls, words);
        let [ThreadStir { stir, asked, asking, .. }] = before.until(&Pulse::of(&later), &later)[..] else { panic!() };
        (stir, asked, asking)
    };
    assert_eq!(until(asked, &[]), (Stir::None, 0, 0));
    let more = Polls { end: 9_000, count: 70, total: 500, ..asked };
    assert_eq!(until(more, &[]), (Stir::Polls, 65, 460));
    // The rank tests something else by now.
    let other = Polls { start: 9_500, end: 9_600, count: 2, total: 20, signature: 2, ..asked };
    assert_eq!(until(other, &progress::polls(&more, 0)), (Stir::Polls, 67, 480));
    let mut words = Vec::from(progress::polls(&more, 0));
    call(&mut words, 9_000, 3, 9_100, 100);
    assert_eq!(until(other, &words).0, Stir::Calls);
    assert_eq!(until(Polls::default(), &words).0, Stir::Calls);
}

#[test]
fn a_rank_that_entered_or_left_a_call_without_a_record_of_it_has_made_calls_unless_that_call_polls() {
    let folder = Folder::new();
    let signatures = [signature(1, Call::Test, -1, 0, 0), signature(2, Call::Send, 1, 8, 0)];
    // Calls that only the profile counts have no records.
    let file = |block: ThreadBlock, counted: u64, pages: u32| {
        let mut file = FileWriter::begin(Vec::new(), header(0, 2)).unwrap();
        file.thread(0, &block).unwrap();
        file.signatures(0, 0, &signatures).unwrap();
        let entry = ProfileEntry { signature: 2, count: counted, ..ProfileEntry::new_zeroed() };
        file.profile(0, 0, &[entry]).unwrap();
        for page in 0..pages {
            let base = if page == 0 { BEGIN } else { polls(1).end };
            file.events(0, page, base, &progress::polls(&polls(1), polls(1).start as i64 - base as i64)).unwrap();
        }
        folder.write("rank-0000.ovh", &file.into_inner());
        RankFile::open(&folder.0.join("rank-0000.ovh")).unwrap()
    };
    let stir = |before: (ThreadBlock, u64, u32), after: (ThreadBlock, u64, u32)| {
        let before = Pulse::of(&file(before.0, before.1, before.2));
        let later = file(after.0, after.1, after.2);
        before.until(&Pulse::of(&later), &later)[0].stir
    };
    let [outside, tests, sends] = [blank_block(), in_call(1, 5_000), in_call(2, 5_000)];
    assert_eq!(stir((outside, 3, 1), (tests, 3, 1)), Stir::Polls);
    assert_eq!(stir((outside, 3, 1), (sends, 3, 1)), Stir::Calls);
    assert_eq!(stir((sends, 3, 1), (outside, 3, 1)), Stir::Calls);
    assert_eq!(stir((sends, 3, 1), (sends, 3, 1)), Stir::None);
    assert_eq!(stir((outside, 3, 1), (outside, 4, 1)), Stir::Calls);
    // Polls fill a page seldom: of many new pages none is read.
    assert_eq!(stir((outside, 3, 1), (outside, 3, 3)), Stir::Polls);
    assert_eq!(stir((outside, 3, 1), (outside, 3, 90)), Stir::Calls);
}

#[test]
fn a_rank_that_has_gone_on_since_its_records_were_read_is_in_the_call_after_them() {
    let folder = Folder::new();
    let signatures = [signature(1, Call::Barrier, -1, 0, 0), signature(2, Call::Bcast, -1, 8, 0)];
    let write = |calls: u64, open: u64| {
        let block = in_call(open, 10_000 * calls);
        let header = FileHeader { state: INITIALIZED, ..header(0, 1) };
        let records = |words: &mut Vec<u64>| {
            let mut last = BEGIN;
            for at in 0..calls {
                last = call(words, last, 1, BEGIN + 10_000 * at, 1_000);
            }
        };
        folder.write("rank-0000.ovh", &rank_with(header, &block, &signatures, records));
    };
    write(2, 2);
    let run = Run::load(&folder.0).unwrap();
    write(3, 1);
    let standing = Standing::of(&run);
    let Position::Inside(entered) = standing.ranks[0].position() else { panic!() };
    assert_eq!((entered.signature.call, entered.since), (Call::Bcast.number(), 20e-6));
}

/// A run of polls that found nothing.
fn polls(signature: u64) -> Polls {
    Polls { start: 2_000, end: 2_050, count: 5, total: 40, signature, ..Polls::default() }
}
