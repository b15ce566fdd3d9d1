//! Records of the progress engine match its actual activity.

use std::path::PathBuf;
use std::process::Command;

use crate::common::{ATTEMPTS, Turns, both_families, case, those, transports};
use examples::answer::{Answer, number};
use examples::launch_turns::alone;
use examples::mpi::Mpi;
use examples::program::{Program, compile};
use examples::run::{Case, Run, finish};
use examples::{target, workspace};
use serde_json::{Value, json};

fn with<'a>(case: Case<'a>, variables: &[(&str, &str)]) -> Case<'a> {
    variables.iter().fold(case, |case, (name, value)| case.with(name, value))
}

fn counter() -> PathBuf {
    let folder = target().join("programs");
    let library = folder.join("counter.so");
    std::fs::create_dir_all(&folder).unwrap();
    let source = workspace().join("examples/tests/programs/counter.c");
    let mut build = Command::new("cc");
    build.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl");
    let built = finish(&mut build);
    assert_eq!(built.status, 0, "{}", built.stderr);
    library
}

fn progress(run: &Run, by: &str) -> Answer {
    run.ask("progress", &["--by", by])
}

#[test]
fn entries_are_as_many_as_an_independent_count_finds() {
    let counter = counter();
    for mpi in both_families() {
        for (way, variables) in transports(&mpi) {
            let case = with(case("turned", &mpi, 2, &[]), &variables).with("LD_PRELOAD", counter.to_str().unwrap());
            let (output, run) = case.recorded(&format!("turned-{way}"));
            let under = format!("{} over {way}", mpi.name);
            assert_eq!(output.status, 0, "{under}: {}", output.stderr);
            let report = run.report("rank");
            let mut ranks = 0;
            for line in output.stdout.lines() {
                let (rank, counted) = line.split_once(' ').unwrap();
                let rank: u32 = rank.parse().unwrap();
                let of_rank = [("rank", json!(rank))];
                let all = report.sum("rank_functions", "engine_entries", &of_rank);
                let outside = ["MPI_Init", "MPI_Finalize"].map(|function| {
                    report.sum("rank_functions", "engine_entries", &[of_rank[0].clone(), ("function", json!(function))])
                });
                let seen = all - outside[0] - outside[1];
                assert_eq!(seen, counted.parse::<u64>().unwrap(), "rank {rank} of {under}");
                ranks += 1;
            }
            assert_eq!(ranks, 2, "{under}: {output:?}");
        }
    }
}

#[test]
fn reads_of_libfabrics_queues_are_seen_below_the_entries() {
    let ofi = [("MPIR_CVAR_NOLOCAL", "1"), ("MPIR_CVAR_CH4_NETMOD", "ofi"), ("FI_PROVIDER", "tcp")];
    for mpi in those("can be told to use libfabric", |mpi| mpi.name.starts_with("mpich5")) {
        let (output, run) = with(case("turned", &mpi, 2, &[]), &ofi).recorded("ofi");
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        let components = progress(&run, "component");
        let of = |column| components.sum("components", column, &[("component", json!("fi_cq_read"))]);
        let entries = progress(&run, "rank").sum("ledger", "entries", &[]);
        // A provider may read another's queue below its own.
        assert!(of("calls") >= entries && of("productive_calls") > 0, "{}: {} of {entries}", mpi.name, of("calls"));
    }
}

#[test]
fn the_ledger_and_the_calls_tell_of_the_same_entries_in_every_depth() {
    for mpi in both_families() {
        for depth in ["off", "count", "time", "events"] {
            let case = with(case("turned", &mpi, 2, &[]), &transports(&mpi)[1].1).with("OVERHEAR_PROGRESS", depth);
            let (output, run) = case.recorded(&format!("depth-{depth}"));
            let under = format!("{}, {depth}", mpi.name);
            assert_eq!((output.status, output.stdout.as_str()), (0, ""), "{under}: {}", output.stderr);
            let ledger = progress(&run, "rank");
            let functions = progress(&run, "function");
            for (column, of) in [("entries", "entries"), ("productive_entries", "productive_entries")] {
                let (all, calls) = (ledger.sum("ledger", column, &[]), functions.sum("engine_functions", of, &[]));
                assert_eq!(all, calls, "{under}: {column}");
                assert_eq!(all > 0, depth != "off", "{under}: {column}");
            }
            let time: f64 = ledger.total("ledger", "engine_s", &[]);
            assert_eq!(time > 0.0, depth == "time" || depth == "events", "{under}: {time}");
            let off = ledger.warnings().contains("OVERHEAR_PROGRESS=off");
            assert_eq!(off, depth == "off", "{under}");
        }
    }
}

#[test]
fn asking_in_vain_costs_few_bytes_and_loses_no_call() {
    for mpi in both_families() {
        let case = case("turned", &mpi, 2, &[]).with("OVERHEAR_PROGRESS", "off");
        let (_, run) = case.recorded("polls");
        let report = run.report("rank");
        let tests = report.sum("rank_functions", "calls", &[("function", json!("MPI_Testall"))]);
        // Each of the 50 rounds on 2 ranks tests at least once; unsuccessful tests fold into one record per round.
        assert!(tests >= 100, "{}: {tests}", mpi.name);
        assert_eq!(report.sum("rank_functions", "calls", &[("function", json!("MPI_Iprobe"))]), 100, "{}", mpi.name);
    }
}

#[test]
fn starved_requests_are_found_where_the_program_computes_and_well_fed_ones_are_not() {
    for mpi in both_families() {
        let starved = longest("starved_progress", &mpi);
        let fed = longest("well_fed", &mpi);
        let (starved, fed) = (starved.expect(mpi.name), fed.expect(mpi.name));
        let line = |mark: &str| {
            let source = std::fs::read_to_string(workspace().join("examples/programs/starved_progress.c")).unwrap();
            let at = source.lines().position(|line| line.ends_with(mark)).unwrap() + 1;
            format!("starved_progress.c:{at}")
        };
        assert_eq!(starved["rank"], 0, "{}", mpi.name);
        assert_eq!(starved["from_site"], line("// begins"), "{}", mpi.name);
        assert_eq!(starved["to_site"], line("// ends"), "{}", mpi.name);
        assert_eq!(starved["times"], 10, "{}: {starved}", mpi.name);
        // The program computes 50 ms at a stretch, or 0.2 ms.
        assert!(number(&starved, "longest_s") >= 0.049, "{}: {starved}", mpi.name);
        let usual = number(&fed, "percentile_99_s");
        assert!(usual < 0.04, "{}: {fed}", mpi.name);
    }
}

/// The most starved request of the sending rank.
fn longest(name: &str, mpi: &Mpi) -> Option<Value> {
    let program = Program::read(name);
    let (output, run) = Case::of(&program, mpi).recorded(&format!("fed-{name}"));
    assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
    let starved = progress(&run, "site");
    let mut of_sender = starved.rows("starved").iter().filter(|row| row["rank"] == 0);
    of_sender.next().cloned()
}

#[test]
fn however_often_the_engine_achieves_something_in_one_call_it_is_told_in_a_few_records() {
    let mut most = 0;
    for mpi in both_families() {
        let (way, variables) = &transports(&mpi)[1];
        let case = with(case("long_call", &mpi, 2, &[]), variables);
        let (output, run) = case.recorded("long-call");
        let under = format!("{} over {way}", mpi.name);
        assert_eq!(output.status, 0, "{under}: {}", output.stderr);
        let (turns, ledger) = Turns::of_run(&run);
        assert_eq!((turns.said, turns.placed), (ledger, ledger.productive), "{under}");
        let long = turns.calls.iter().max().copied().unwrap_or_default();
        println!("{under}: {} productive entries in {} runs", long.0, long.1);
        assert!(turns.calls.iter().all(|call| call.1 <= 8), "{under}: {:?}", turns.calls);
        most = most.max(long.0);
    }
    // A call records at most 8 runs of productive entries, so some run holds several.
    assert!(most > 8, "no call had more than {most} productive entries");
}

#[test]
fn bytes_on_sockets_are_those_the_kernel_counts() {
    // Creates a network namespace, whose loopback carries nothing else.
    let alone = "import fcntl,socket,struct,sys,os;s=socket.socket();\
        fcntl.ioctl(s,0x8914,struct.pack('16sH14s',b'lo',0x41,b''));os.execvp(sys.argv[1],sys.argv[1:])";
    let kernel = "overhear_status=$?; awk '/lo:/ {print $2}' /proc/net/dev >\"$OUT\"; exit $overhear_status";
    for mpi in those("is an Open MPI", Mpi::is_openmpi) {
        let (_, tcp) = transports(&mpi).swap_remove(1);
        // There is no other interface, and both libraries avoid this one by default.
        let loopback = [("OMPI_MCA_btl_tcp_if_include", "lo"), ("OMPI_MCA_oob_tcp_if_include", "lo")];
        let bytes = |rounds: &str| {
            let case = with(with(crate::common::case("turned", &mpi, 2, &[rounds]), &tcp), &loopback);
            let folder = examples::run::fresh_folder(&format!("{}-kernel-{rounds}", mpi.name));
            let out = folder.with_extension("bytes");
            let script = format!("\"$@\"; {kernel}");
            let mut command = Command::new("unshare");
            command.args(["--user", "--map-root-user", "--net", "python3", "-c", alone, "sh", "-c", &script, "sh"]);
            command.arg(examples::run::overhear()).arg("record").arg("--dir").arg(&folder).args(case.words());
            case.prepare(&mut command);
            let output = finish(command.env("OUT", &out));
            assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
            let kernel: f64 = std::fs::read_to_string(&out).unwrap().trim().parse().unwrap();
            let ledger = progress(&Run { folder }, "rank");
            let sum = |column| ledger.sum("ledger", column, &[]) as f64;
            (sum("socket_sent_bytes"), sum("socket_received_bytes"), kernel)
        };
        // Traffic between launcher and ranks is on the wire, too, and does not depend on the rounds.
        let (few, many) = (bytes("50"), bytes("250"));
        let (sent, received, kernel) = (many.0 - few.0, many.1 - few.1, many.2 - few.2);
        // The kernel counts headers and acknowledgements, too.
        assert!((0.98..=1.0).contains(&(sent / kernel)), "{}: {sent} sent, {kernel} on the wire", mpi.name);
        assert!((received / sent - 1.0).abs() < 0.001, "{}: {sent} sent, {received} received", mpi.name);
    }
}

#[test]
fn system_calls_of_a_library_that_the_program_looks_something_up_in_are_seen() {
    let mut ran = 0;
    for mpi in both_families() {
        let library = target().join("programs").join(mpi.built_as).join("selecting_plugin_part.so");
        let mut case = case("selecting_plugin", &mpi, 2, &[]);
        let flags = ["-shared", "-fPIC"].map(String::from);
        compile(&mpi, &workspace().join("examples/tests/programs/selecting_plugin_part.c"), &library, &flags);
        case.arguments = vec![library.display().to_string(), "50".into()];
        let (output, run) = case.recorded("selecting_plugin");
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        let calls = progress(&run, "component").sum("components", "calls", &[("component", json!("select"))]);
        assert_eq!(calls, 100, "{}", mpi.name);
        ran += 1;
    }
    assert!(ran > 0);
}

#[test]
fn a_component_that_only_every_eighth_entry_calls_has_its_time() {
    let _alone = alone();
    for mpi in those("is an Open MPI", Mpi::is_openmpi) {
        let mut seen = Vec::new();
        while seen.len() < ATTEMPTS {
            let (output, run) = case("seldom", &mpi, 1, &[]).recorded("seldom");
            assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
            let (calls, nanoseconds) = output.stdout.trim().split_once(' ').expect(&output.stderr);
            let components = progress(&run, "component");
            let own = |row: &&Value| row["component"].as_str().is_some_and(|name| name.starts_with("seldom"));
            let row = components.rows("components").iter().find(own).expect(mpi.name);
            assert_eq!(row["calls"].to_string(), calls, "{}", mpi.name);
            let share = number(row, "time_s") / (nanoseconds.parse::<f64>().unwrap() / 1e9);
            // If the scheduler takes the processor away in a call that is timed, that counts many times.
            if (0.5..2.0).contains(&share) {
                break;
            }
            seen.push(share);
        }
        assert!(seen.len() < ATTEMPTS, "{}: the component's time is these times what it took: {seen:?}", mpi.name);
    }
}

#[test]
fn bytes_to_a_file_that_the_program_gave_a_sockets_number_are_not_those_of_sockets() {
    let program = Program::read_in(&workspace().join("examples/tests/programs"), "reused_number");
    for mpi in both_families() {
        for way in ["closed", "replaced"] {
            let mut case = Case::of(&program, &mpi);
            case.arguments.push(way.into());
            let (output, run) = case.recorded("reused-number");
            let under = format!("{}, {way}", mpi.name);
            assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{under}: {}", output.stderr);
            let sent = progress(&run, "rank").sum("ledger", "socket_sent_bytes", &[]);
            // The library may write to sockets of its own, but less than the file got.
            assert!((100_008..1 << 20).contains(&sent), "{under}: {sent}");
        }
    }
}
