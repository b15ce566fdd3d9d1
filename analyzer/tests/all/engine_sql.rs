//! The SQL for engines, run by DuckDB over recorded runs that are exported, finds what the analyses find.
//!
//! Takes one in twenty of the recorded runs; `cargo xtask engine` takes all of them.

use std::collections::{BTreeMap, HashSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use data::DataSet;
use data::engine_sql::{QUERIES, TABLES, VIEWS};
use data::export::{self, ExportFolder, FileFormat};
use examples::wheel::READERS;
use examples::{fixture, rota};
use metrics::matrix::matrix;
use metrics::reports::{Breakdown, ByPlace, RunAnalysis};
use model::matching::{Account, Follow, RankSite, Settled, WaitState, settled};
use model::run::Run;
use model::{Choice, Rank};
use serde_json::{Value, json};
use traces::calls::Call;
use traces::signature::{Signature, peer, tag};

use crate::common::Folder;
use crate::common::made::{Calls, on_nobody, receive, send};

/// A recorded run with what the analyses and DuckDB say of it.
struct Compared {
    name: String,
    native: Native,
    answers: Value,
}

struct Native {
    /// Time, waits, longest and error, in nanoseconds, by state and the two call sites.
    waits: BTreeMap<Vec<String>, [i64; 4]>,
    /// Waits within the clocks' error and their time, by state.
    unresolved: BTreeMap<String, [i64; 2]>,
    /// Messages that were matched, were not, and are uncertain; collective operations.
    counts: [u64; 4],
    functions: Value,
    imbalance: Value,
    pairs: BTreeMap<[i64; 2], [u64; 3]>,
    without_pairs: BTreeMap<&'static str, u64>,
}

/// For whom a one-sided call waits is not in the SQL.
const ONE_SIDED: [WaitState; 3] = [WaitState::LatePost, WaitState::EarlyWait, WaitState::LockContention];

static COMPARED: LazyLock<Vec<Compared>> = LazyLock::new(compared);

fn compared() -> Vec<Compared> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engine_sql");
    let _ = fs::remove_dir_all(&folder);
    let mut names = [fixture::names(), fixture::diagnosis_names()].concat();
    names.retain(|name| takes_all() || rota::is_its_turn(name, 20));
    let mut sets: Vec<(String, PathBuf, Native)> = names
        .into_iter()
        .filter_map(|name| {
            let place = folder.join(name.replace('/', "-"));
            let native = exported(&fixture::unpack(&name, &place).run, &place.join("set"))?;
            Some((name, place.join("set"), native))
        })
        .collect();
    for (name, run) in open_wildcards() {
        let set = folder.join(name);
        let native = exported(&run.0, &set).unwrap();
        sets.push((name.into(), set, native));
    }
    let mut answers = duckdb_answers(&folder, sets.iter().map(|(_, set, _)| set.as_path()));
    sets.into_iter()
        .map(|(name, set, native)| Compared { name, native, answers: answers[set.to_str().unwrap()].take() })
        .collect()
}

/// Runs whose rank 0 has a receive pending at its end, and behind it two that got messages of rank 1 by tags 5 and 6.
fn open_wildcards() -> Vec<(&'static str, Folder)> {
    let pending = [("open_any", peer::ANY, tag::ANY), ("open_any_source", peer::ANY, 5), ("open_any_tag", 1, tag::ANY)];
    let of_tag = |signature: Signature, tag: i32| Signature { tag, ..signature };
    let made = |source: i32, of: i32| {
        let receiver = Calls::default()
            .call(of_tag(receive(source), of), 0, 100)
            .call(receive(1), 1_000, 100)
            .call(of_tag(receive(1), 6), 2_000, 100)
            .call(on_nobody(Call::Wait), 3_000, 5_000)
            .completed(2)
            .call(on_nobody(Call::Wait), 9_000, 5_000)
            .completed(1);
        let sender = Calls::default().call(send(Call::Send, 0, 8), 4_000, 100).call(
            of_tag(send(Call::Send, 0, 8), 6),
            10_000,
            100,
        );
        let folder = Folder::new();
        receiver.write(&folder, 0, 2);
        sender.write(&folder, 1, 2);
        folder
    };
    pending.map(|(name, source, of)| (name, made(source, of))).into()
}

#[test]
fn a_pending_receive_with_a_wildcard_holds_up_those_that_could_have_got_its_message() {
    let matched = |name: &str| {
        let compared = COMPARED.iter().find(|compared| compared.name == name).unwrap();
        let [found] = whole(&rows(compared, "message_counts")[0], ["matched_messages"]);
        (found as u64, compared.native.counts[0])
    };
    // Of both messages; of the one by its tag; of both, as both are of its source.
    assert_eq!(["open_any", "open_any_source", "open_any_tag"].map(matched), [(0, 0), (1, 1), (0, 0)]);
}

/// True if all recorded runs are compared.
fn takes_all() -> bool {
    env::var_os("TEST_ENGINE").is_some()
}

/// Fails if the runs that were compared had fewer rows than this; `least` is for all of them.
fn enough(ran: usize, least: usize) {
    let least = if takes_all() { least } else { least / 40 };
    assert!(ran > least, "{ran} of {least}");
}

/// Exports a run and analyzes it. `None` if it has no single calls.
fn exported(folder: &Path, set: &Path) -> Option<Native> {
    let run = Run::select(folder, &Choice { whole: true, no_cache: true, ..Choice::default() }).unwrap();
    run.needs_calls("this test").ok()?;
    let Settled { account, common_clock, .. } = settled(&run, Follow::empty());
    let place = ExportFolder::claim(set, &[], false).unwrap();
    export::write(&DataSet::on(&run, common_clock), &TABLES, FileFormat::Parquet, &place).unwrap();
    Some(native(&run, &account))
}

fn native(run: &Run, account: &Account) -> Native {
    let process =
        |rank: &Rank| (i64::from(rank.header.world) << 32) + rank.number().map_or(u32::MAX, |number| number) as i64;
    let site = |at: RankSite| {
        let place = &run.call_sites()[at.place.number()];
        [process(&run.ranks[at.rank as usize]).to_string(), place.function.clone(), place.site.clone()]
    };
    let mut waits = BTreeMap::new();
    for (key, sum) in account.waits.sums.iter().filter(|(key, _)| !ONE_SIDED.contains(&key.state)) {
        // Calls that have not returned may wait for ever: that is not in the SQL.
        if sum.open > 0 {
            continue;
        }
        let is_threaded = run.ranks[key.waiter.rank as usize].thread_count() > 1;
        let state = if is_threaded { late_sender_anyway(key.state.name()) } else { key.state.name() };
        let key = [vec![state.to_string()], site(key.waiter).to_vec(), site(key.cause).to_vec()].concat();
        add(&mut waits, key, [sum.time, sum.count as i64, sum.longest, sum.error]);
    }
    let unresolved = account.waits.unresolved.iter().filter(|(state, _)| !ONE_SIDED.contains(state));
    let traffic = matrix(run, None, None).unwrap();
    let number = |at: u32| {
        let rank = traffic.ranks[at as usize];
        (i64::from(rank.world) << 32) + i64::from(rank.number.unwrap_or(u32::MAX))
    };
    let json = |analysis: RunAnalysis| serde_json::from_str::<Value>(&analysis.json(run).unwrap()).unwrap();
    Native {
        waits,
        unresolved: unresolved.map(|(state, sum)| (state.name().to_string(), [sum.count as i64, sum.time])).collect(),
        counts: [
            account.pairs.values().map(|pair| pair.messages).sum(),
            account.unreceived.values().sum::<u64>() + account.elsewhere,
            account.uncertain.values().sum(),
            account.collectives,
        ],
        functions: json(RunAnalysis::Report(Breakdown::Function))["functions"].take(),
        imbalance: json(RunAnalysis::Imbalance(ByPlace::Function))["functions"].take(),
        pairs: traffic
            .traffic
            .iter()
            .map(|((from, to), sum)| ([number(*from), number(*to)], [sum.messages, sum.bytes, sum.collective]))
            .collect(),
        without_pairs: BTreeMap::from([
            ("elsewhere", traffic.elsewhere.messages),
            ("spread", traffic.spread),
            ("nowhere", traffic.nowhere),
        ]),
    }
}

/// The calls of a rank's threads overlap, so the SQL does not tell messages in the wrong order apart.
fn late_sender_anyway(state: &str) -> &str {
    if state == "wrong_order" { "late_sender" } else { state }
}

fn add(waits: &mut BTreeMap<Vec<String>, [i64; 4]>, key: Vec<String>, [time, count, longest, error]: [i64; 4]) {
    let sum = waits.entry(key).or_default();
    *sum = [sum[0] + time, sum[1] + count, sum[2].max(longest), sum[3] + error];
}

fn duckdb_answers<'a>(folder: &Path, sets: impl Iterator<Item = &'a Path>) -> Value {
    READERS.iter().for_each(|wheel| wheel.install().unwrap());
    let wheels = env::join_paths(READERS.iter().map(|wheel| wheel.folder())).unwrap();
    let asked = json!({ "tables": TABLES, "views": VIEWS, "queries": QUERIES, "sets": sets.collect::<Vec<_>>() });
    let (questions, answers) = (folder.join("questions.json"), folder.join("answers.json"));
    fs::write(&questions, asked.to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine/duckdb_answers.py");
    let mut python = Command::new("python3");
    let status = python.env("PYTHONPATH", wheels).arg(script).args([&questions, &answers]).status().unwrap();
    assert!(status.success(), "{status}");
    serde_json::from_str(&fs::read_to_string(answers).unwrap()).unwrap()
}

fn rows<'a>(compared: &'a Compared, query: &str) -> &'a [Value] {
    compared.answers[query].as_array().unwrap()
}

fn texts(row: &Value, columns: &[&str]) -> Vec<String> {
    columns.iter().map(|column| row[column].as_str().map_or(row[column].to_string(), String::from)).collect()
}

fn whole<const N: usize>(row: &Value, columns: [&str; N]) -> [i64; N] {
    columns.map(|column| row[column].as_i64().unwrap_or_else(|| panic!("{column}: {row}")))
}

#[test]
fn duckdb_finds_the_waits_of_every_recorded_run_to_the_nanosecond() {
    let (mut runs, mut waits) = (0, 0);
    for compared in COMPARED.iter() {
        let native = &compared.native;
        let (mut found, mut unresolved) = (BTreeMap::new(), BTreeMap::new());
        for row in rows(compared, "wait_sums") {
            let state = row["state"].as_str().unwrap().to_string();
            let [time, count, longest, error] = whole(row, ["wait_ns", "waits", "longest_ns", "error_ns"]);
            if row["is_resolved"] == false {
                unresolved.insert(state, [count, time]);
                continue;
            }
            let columns =
                ["state", "process", "function", "call_site", "waited_process", "waited_function", "waited_site"];
            add(&mut found, texts(row, &columns), [time, count, longest, error]);
        }
        assert_eq!(found, native.waits, "{}", compared.name);
        assert_eq!(unresolved, native.unresolved, "{}", compared.name);
        let counts = whole(
            &rows(compared, "message_counts")[0],
            [
                "matched_messages",
                "unreceived_messages",
                "messages_elsewhere",
                "uncertain_messages",
                "matched_collectives",
            ],
        );
        let [matched, unreceived, elsewhere, uncertain, collectives] = counts.map(|count| count as u64);
        assert_eq!([matched, unreceived + elsewhere, uncertain, collectives], native.counts, "{}", compared.name);
        runs += 1;
        waits += found.len();
    }
    enough(runs, 120);
    enough(waits, 500);
}

fn is_close(one: &Value, other: &Value) -> bool {
    let [one, other] = [one, other].map(|value| value.as_f64().unwrap_or(0.0));
    // Sums of times are added in another order.
    (one - other).abs() <= 1e-12 * one.abs().max(other.abs())
}

#[test]
fn duckdb_adds_up_the_functions_of_every_recorded_run_as_report_and_imbalance_do() {
    let mut ran = 0;
    for compared in COMPARED.iter() {
        let by_name = |rows: &[Value]| -> BTreeMap<String, Value> {
            rows.iter().map(|row| (row["function"].as_str().unwrap_or("(computation)").into(), row.clone())).collect()
        };
        let agree = |native: &Value, query: &str, columns: &[(&str, &str)]| {
            let (told, found) = (by_name(native.as_array().unwrap()), by_name(rows(compared, query)));
            let names = |rows: &BTreeMap<String, Value>| rows.keys().cloned().collect::<HashSet<_>>();
            assert_eq!(names(&told), names(&found), "{}", compared.name);
            for (name, row) in &told {
                for (own, other) in columns {
                    assert!(is_close(&row[own], &found[name][other]), "{}: {own} {row} {}", compared.name, found[name]);
                }
            }
            told.len()
        };
        let columns = [
            ("calls", "calls"),
            ("open_calls", "open_calls"),
            ("failed_calls", "failed_calls"),
            ("sent_bytes", "sent_bytes"),
            ("received_bytes", "received_bytes"),
            ("time_total_s", "time_total_s"),
            ("time_max_s", "time_max_s"),
            ("call_min_s", "call_min_s"),
            ("call_max_s", "call_max_s"),
        ];
        ran += agree(&compared.native.functions, "functions", &columns);
        ran += agree(&compared.native.imbalance, "time_spread", &[("max_s", "max_s"), ("min_s", "min_s")]);
    }
    enough(ran, 1_000);
}

#[test]
fn duckdb_finds_the_traffic_of_every_recorded_run() {
    let mut ran = 0;
    for compared in COMPARED.iter() {
        let (mut pairs, mut without) =
            (BTreeMap::new(), BTreeMap::from([("elsewhere", 0), ("spread", 0), ("nowhere", 0)]));
        for row in rows(compared, "traffic_pairs") {
            let [messages, bytes, collective] =
                whole(row, ["messages", "bytes", "collective_bytes"]).map(|sum| sum as u64);
            match row["ends"].as_str().unwrap() {
                "pair" => {
                    pairs.insert(whole(row, ["from_process", "to_process"]), [messages, bytes, collective]);
                }
                "elsewhere" => drop(without.insert("elsewhere", messages)),
                "spread" => drop(without.insert("spread", collective)),
                _ => drop(without.insert("nowhere", collective)),
            }
        }
        assert_eq!(pairs, compared.native.pairs, "{}", compared.name);
        assert_eq!(without, compared.native.without_pairs, "{}", compared.name);
        ran += pairs.len();
    }
    enough(ran, 300);
}

#[test]
fn the_data_set_of_every_recorded_run_is_found_to_be_complete() {
    for compared in COMPARED.iter() {
        assert_eq!(rows(compared, "incomplete_tables"), [] as [Value; 0], "{}", compared.name);
        let versions: Vec<i64> = rows(compared, "data_set").iter().map(|row| whole(row, ["version"])[0]).collect();
        assert!(
            !versions.is_empty() && versions.iter().all(|version| *version == data::VERSION as i64),
            "{}",
            compared.name
        );
    }
}
