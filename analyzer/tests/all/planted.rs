//! Recorded programs plant regions, excluded times, starved requests, worlds, threads, and calls without a partner;
//! some runs have their files cut. All are analyzed without MPI.

use std::fs;
use std::path::Path;

use crate::common::recorded::{ask, measured, recorded};
use examples::answer::{Answer, WAIT_STATE, number};
use examples::fixture::Fixture;
use model::Run;
use model::matching::{Account, Follow, settled};
use serde_json::{Value, json};

/// A figure must agree with the program's measurement within 5 %.
fn assert_near(found: f64, measured: f64, what: &str) {
    assert!((found - measured).abs() <= 0.05 * measured, "{what}: {measured} s were measured, {found} s are found");
}

fn calls(report: &Answer, function: &str) -> u64 {
    report.sum("rank_functions", "calls", &[("function", json!(function))])
}

/// Numbers of messages by sender and receiver, in order.
fn pairs(run: &Path, analysis: &str, arguments: &[&str]) -> Vec<(String, String, u64)> {
    let name = |row: &Value, of: &str| match (&row[format!("{of}_rank")], &row[format!("{of}_world")]) {
        (rank, world) if *world == json!(0) => rank.to_string(),
        (rank, world) => format!("{rank} of world {world}"),
    };
    let pair = |row: &Value| (name(row, "from"), name(row, "to"), row["messages"].as_u64().unwrap());
    let mut pairs: Vec<_> = ask(run, analysis, arguments).rows("pairs").iter().map(pair).collect();
    pairs.sort();
    pairs
}

fn sorted(pairs: &[(&str, &str, u64)]) -> Vec<(String, String, u64)> {
    let mut pairs: Vec<_> = pairs.iter().map(|(from, to, count)| (from.to_string(), to.to_string(), *count)).collect();
    pairs.sort();
    pairs
}

/// Steps of regions.c.
const STEPS: u64 = 3;

#[test]
fn calls_messages_and_waits_are_of_the_regions_they_happened_in() {
    for fixture in recorded("regions") {
        let counts = |region: &str| {
            let report = ask(&fixture.run, "report", &["--by", "rank", "--region", region]);
            ["MPI_Send", "MPI_Recv", "MPI_Sendrecv", "MPI_Allreduce"].map(|function| calls(&report, function))
        };
        assert_eq!(counts("halo"), [STEPS, STEPS, 0, 0]);
        assert_eq!(counts("sum"), [0, 0, 0, 2 * STEPS]);
        assert_eq!(counts("step"), [STEPS, STEPS, 2 * STEPS, 2 * STEPS]);
        assert_eq!(counts("alone"), [1, 0, 0, 0]);
        for analysis in ["matrix", "check"] {
            let of = |region: &str| pairs(&fixture.run, analysis, &["--region", region]);
            assert_eq!(of("halo"), sorted(&[("0", "1", STEPS)]), "{analysis}");
            assert_eq!(of("step"), sorted(&[("0", "1", 2 * STEPS), ("1", "0", STEPS)]), "{analysis}");
            assert_eq!(of("alone"), sorted(&[("1", "1", 1)]), "{analysis}");
            assert_eq!(of("sum"), sorted(&[]), "{analysis}");
        }
        let halo = measured(&fixture, "wait late_sender rank 1 // halo <- rank 0");
        let sum = measured(&fixture, "wait wait_at_nxn rank 0 // sum <- rank 1");
        for (region, late_sender, wait_at_nxn) in [("halo", halo, 0.0), ("sum", 0.0, sum), ("step", halo, sum)] {
            let waits = ask(&fixture.run, "waits", &["--region", region]);
            let of = |state: &str, function: &str, rank: u32| {
                let meant = [(WAIT_STATE, json!(state)), ("function", json!(function)), ("rank", json!(rank))];
                waits.total("waits", "wait_s", &meant)
            };
            assert_near(of("late_sender", "MPI_Recv", 1), late_sender, region);
            assert_near(of("wait_at_nxn", "MPI_Allreduce", 0), wait_at_nxn, region);
        }
        let path = |arguments: &[&str]| ask(&fixture.run, "path", arguments).fact("path_s");
        let [halo, sum, step] = ["halo", "sum", "step"].map(|region| path(&["--region", region]));
        assert!(halo > 0.0 && sum > 0.0 && halo + sum <= step && step < path(&[]), "{halo} {sum} {step}");
        let pop = ask(&fixture.run, "pop", &["--region", "halo"]);
        assert_near(pop.fact("useful_max_s"), measured(&fixture, "computing rank 0"), "useful in halo");
    }
}

#[test]
fn what_the_program_takes_out_by_pcontrol_is_in_no_figure() {
    for fixture in recorded("controlled") {
        let report = ask(&fixture.run, "report", &["--by", "rank"]);
        let counts = ["MPI_Send", "MPI_Recv", "MPI_Irecv", "MPI_Init"].map(|function| calls(&report, function));
        assert_eq!(counts, [12, 10, 1, 0]);
        let bytes = |column: &str| report.sum("rank_functions", column, &[("function", json!("MPI_Send"))]);
        assert_eq!(bytes("sent_bytes"), 5 * 10 + 7 + 9 + 5 * 1000);
        let waits = ask(&fixture.run, "waits", &[]);
        assert_eq!(waits.sum("waits", "waits", &[("function", json!("MPI_Recv"))]), 10);
        let stopped = [0, 1].map(|rank| measured(&fixture, &format!("stopped rank {rank}")));
        assert!(waits.fact("taken_out_max_s") > stopped[0].min(stopped[1]));
        let whole = waits.fact("wall_time_s") + waits.fact("taken_out_max_s");
        assert_near(whole, waits.fact("whole_wall_time_s"), "what counts and what does not");
        assert!(report.warnings().contains("from these figures by MPI_Pcontrol"), "{}", report.warnings());
    }
}

#[test]
fn requests_are_starved_where_the_program_computes_and_fed_where_it_asks() {
    let longest = |fixture: &Fixture| {
        let progress = ask(&fixture.run, "progress", &["--by", "site"]);
        progress.matching("starved", &[("rank", json!(0))]).first().map(|row| Value::clone(row)).expect("it is starved")
    };
    for fixture in recorded("starved_progress") {
        let starved = longest(&fixture);
        let line = |mark: &str| {
            let source = fs::read_to_string(&fixture.program.source).unwrap();
            format!("starved_progress.c:{}", source.lines().position(|line| line.ends_with(mark)).unwrap() + 1)
        };
        assert_eq!((&starved["from_site"], &starved["to_site"]), (&json!(line("// begins")), &json!(line("// ends"))));
        assert_eq!((&starved["times"], &starved["pending_requests"]), (&json!(10), &json!(4)), "{starved}");
        // The program computes 50 ms each time.
        assert!(number(&starved, "longest_s") >= 0.049, "{starved}");
    }
    for fixture in recorded("well_fed") {
        let fed = longest(&fixture);
        assert!(number(&fed, "percentile_99_s") < 0.04, "{fed}");
    }
}

#[test]
fn requests_that_another_thread_completed_are_left_out_and_said() {
    for fixture in recorded("short_threads") {
        let overlap = ask(&fixture.run, "overlap", &[]).warnings();
        assert!(overlap.contains("2,000 requests were completed by another thread than posted them"), "{overlap}");
        let progress = ask(&fixture.run, "progress", &[]).warnings();
        assert!(progress.contains("threads completed each other's requests"), "{progress}");
    }
}

#[test]
fn spawned_processes_are_ranks_of_worlds_of_their_own() {
    for fixture in recorded("spawns") {
        let report = ask(&fixture.run, "report", &["--by", "rank"]);
        let [child, sibling] = ["0 of world 1", "1 of world 1"];
        let ranks: Vec<_> = report.rows("ranks").iter().map(|row| (&row["world"], &row["rank"])).collect();
        let [zero, one] = [json!(0), json!(1)];
        assert_eq!(ranks, [(&zero, &zero), (&zero, &one), (&one, &zero), (&one, &one)]);
        let across = [("0", child, 10), ("1", sibling, 10), (child, "0", 10), (sibling, "1", 10)];
        let expected = sorted(&[&across[..], &[(child, sibling, 30), (sibling, child, 30)]].concat());
        assert_eq!(pairs(&fixture.run, "check", &[]), expected);
        assert_eq!(pairs(&fixture.run, "matrix", &["--only", "messages"]), expected);
        remove(&fixture.run, "world-1");
        let warnings = ask(&fixture.run, "report", &[]).warnings();
        assert!(warnings.contains("spawned processes are not in this folder"), "{warnings}");
    }
    for fixture in recorded("spawns_twice") {
        let [first, second, alone] = ["0 of world 1", "1 of world 1", "0 of world 2"];
        let ring = [("0", "1", 5), ("1", first, 5), (first, second, 5), (second, "0", 5)];
        let expected = sorted(&[&ring[..], &[("0", alone, 7), (alone, "0", 7)]].concat());
        assert_eq!(pairs(&fixture.run, "check", &[]), expected);
        // Nothing tells which of the two worlds is missing, so nothing is guessed.
        remove(&fixture.run, "world-1");
        assert_eq!(pairs(&fixture.run, "check", &[]), sorted(&[("0", "1", 5)]));
    }
}

/// Removes the files of a run whose names begin so.
fn remove(run: &Path, begin: &str) {
    let files =
        fs::read_dir(run).unwrap().flatten().filter(|file| file.file_name().to_string_lossy().starts_with(begin));
    let removed = files.map(|file| fs::remove_file(file.path()).unwrap()).count();
    assert!(removed > 0, "no file of {begin}");
}

#[test]
fn calls_that_are_not_as_most_are_keep_their_partners_or_are_said_to_have_none() {
    let found = |program: &str, facts: &[(&str, u64)], unmatched: &[(&str, u32, u64)]| {
        for fixture in recorded(program) {
            let check = ask(&fixture.run, "check", &[]);
            for (name, value) in facts {
                assert_eq!(check.json["run"][name], json!(value), "{program}: {name}: {}", check.warnings());
            }
            for (what, rank, count) in unmatched {
                let calls = check.sum("unmatched", "calls", &[("what", json!(what)), ("rank", json!(rank))]);
                assert_eq!(calls, *count, "{program}: {what} by rank {rank}");
            }
            let told = unmatched.iter().map(|(_, _, count)| count).sum::<u64>();
            assert_eq!(check.sum("unmatched", "calls", &[]), told, "{program}: {:#?}", check.rows("unmatched"));
        }
    };
    found("first_taken", &[("matched_messages", 6)], &[]);
    found("sessions_only", &[("matched_messages", 3 * 10 + 3), ("matched_collectives", 5 + 4 + 3 + 1 + 1)], &[]);
    found("truncated", &[("matched_messages", 6)], &[("received, truncated", 1, 5)]);
    found("jumps", &[], &[("left, never returned", 0, 1)]);
    let killed = [
        ("sent, not received", 2, 1),
        ("received, not sent", 1, 1),
        ("others did not come", 0, 1),
        ("others did not come", 1, 1),
    ];
    found("killed_between", &[("matched_messages", 3)], &killed);
    for fixture in recorded("one_tag") {
        let check = ask(&fixture.run, "check", &[]);
        let facts = ["matched_messages", "backwards", "backwards_before"].map(|name| check.fact(name));
        assert_eq!(facts, [1200.0, 0.0, 0.0]);
        assert!(check.fact("uncertain_messages") > 0.0, "threads never called at once");
    }
}

#[test]
fn calls_before_and_after_a_moment_are_all_calls() {
    for program in ["collectives", "comm_churn", "one_sided", "spawns", "threads"] {
        for fixture in recorded(program) {
            let of = |arguments: &[&str]| {
                let report = ask(&fixture.run, "report", &[&["--by", "rank"][..], arguments].concat());
                let sum = |column: &str| report.sum("rank_functions", column, &[]);
                [sum("calls"), sum("sent_bytes"), sum("received_bytes")]
            };
            let whole = of(&[]);
            assert!(whole[0] > 0, "{program}");
            for percent in [20, 50, 80] {
                let at = ask(&fixture.run, "report", &[]).fact("wall_time_s") * f64::from(percent) / 100.0;
                let [before, after] = ["--to", "--from"].map(|flag| of(&[flag, &format!("{at:.9}")]));
                let both: Vec<u64> = before.iter().zip(after).map(|(before, after)| before + after).collect();
                assert_eq!(both, whole, "{program}, {at} s");
            }
        }
    }
}

/// Programs with every kind of waiting call, from several libraries.
const CUT: [&str; 8] = [
    "early_scan",
    "late_receiver",
    "neighbor_late",
    "persistent_halo",
    "rma_fence",
    "rma_lock",
    "rma_pscw",
    "wildcard",
];

#[test]
fn the_more_there_is_of_a_cut_file_the_more_has_found_its_partner() {
    for fixture in CUT.into_iter().flat_map(recorded) {
        let name = &fixture.program.name;
        let file = fixture.run.join("rank-0001.ovh");
        let whole = fs::read(&file).unwrap();
        let [messages, collectives, _] = found(&fixture.run);
        assert!(messages + collectives > 0, "{name}");
        let mut last = [0; 3];
        for part in 1..=16 {
            fs::write(&file, &whole[..whole.len() * part / 16]).unwrap();
            let now = found(&fixture.run);
            assert!(now.iter().zip(last).all(|(now, last)| *now >= last), "{name}, {part}/16: {now:?} after {last:?}");
            last = now;
        }
        assert_eq!([last[0], last[1]], [messages, collectives], "{name}");
    }
}

/// Matched messages, matched collective calls, and calls of rank 1.
fn found(folder: &Path) -> [u64; 3] {
    let run = Run::load(folder).unwrap();
    let Account { pairs, collectives, .. } = settled(&run, Follow::DEPENDENCIES).account;
    let of_cut = run.ranks.iter().filter(|rank| rank.number() == Some(1));
    let calls = of_cut.flat_map(|rank| rank.entries()).map(|entry| entry.count).sum();
    [pairs.values().map(|pair| pair.messages).sum(), collectives, calls]
}
