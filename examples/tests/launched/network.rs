//! Analyses reconstruct latency and bandwidth as programs measure them in the same run.

use crate::common::agreement::{Differences, agree_everywhere, recorded};
use crate::common::{both_families, case, in_rust, transports};
use examples::answer::number;
use examples::mpi::Mpi;
use examples::run::Case;
use serde_json::{Value, json};

/// Allowed difference of times: a share, and seconds.
const TIME: (f64, f64) = (0.05, 0.3e-6);
/// Compared protocols, by the program's and the analysis' names.
const PROTOCOLS: [(&str, &str); 4] =
    [("0,1", "Isend+Recv"), ("0,3", "Irecv+Isend"), ("1,0", "Send+Recv/Recv+Send"), ("1,2", "Irecv+Send/Recv+Send")];

#[test]
fn the_times_of_exchanges_are_reconstructed_as_the_program_measures_them() {
    agree_everywhere(differences);
}

/// Protocols and sizes with different times.
fn differences(mpi: &Mpi, variables: &[(&str, &str)]) -> Differences {
    let words = "--json --volumes 131072 --min-messages 2 --max-messages 64 --forms basic --ways kept --iterations 21 --protocols";
    let words = words.split(' ').chain(PROTOCOLS.map(|(id, _)| id)).map(String::from);
    let case = Case { arguments: words.collect(), ranks: 2, ..in_rust("swap", mpi) };
    let (output, run) = recorded(case, variables, "swap");
    let measured: Value = serde_json::from_str(&output).unwrap();
    let said = run.ask("network", &[]);
    let (mut differences, mut compared) = (Differences::new(), 0);
    for (row, (id, calls)) in measured["rows"].as_array().unwrap().iter().zip(PROTOCOLS) {
        assert_eq!(row["protocol"], id);
        let pattern = if row["is_ordered"] == true { "ordered" } else { "unordered" };
        for point in row["points"].as_array().unwrap() {
            let bytes = point["message_bytes"].clone();
            let of = [("calls", json!(calls)), ("pattern", json!(pattern)), ("size_bytes", bytes.clone())];
            let found = said.matching("sizes", &of);
            let [found] = found[..] else { panic!("{}: {point} is {found:#?}", mpi.name) };
            let key = format!("{id} {bytes}");
            differences.extend(difference(point, found).map(|difference| (key, difference)));
            compared += 1;
        }
    }
    assert_eq!(compared, 4 * 6);
    differences
}

/// o_r of a run of `late_receives`, or the reason for none.
fn receive_overhead(mpi: &Mpi, variables: &[(&str, &str)]) -> Result<f64, String> {
    let case = variables.iter().fold(case("late_receives", mpi, 2, &[]), |case, (name, value)| case.with(name, value));
    let (output, run) = case.recorded("late_receives");
    assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
    let said = run.ask("network", &[]);
    let row = &said.matching("loggp", &[("parameter", json!("receive_overhead"))])[0];
    row["value_s"].as_f64().ok_or_else(|| row["reason"].as_str().unwrap_or_default().into())
}

#[test]
fn the_overhead_of_a_receive_is_not_told_where_the_engine_has_read_the_message_from_a_socket() {
    for mpi in both_families() {
        let [(_, memory), (_, tcp)] = &transports(&mpi)[..2] else { panic!("{} has no transports", mpi.name) };
        let by_memory = receive_overhead(&mpi, memory);
        assert!(by_memory.as_ref().is_ok_and(|overhead| *overhead > 0.0), "{}: {by_memory:?}", mpi.name);
        let by_sockets = receive_overhead(&mpi, tcp);
        let is_told = by_sockets.as_ref().is_err_and(|why| why.starts_with("messages came through sockets"));
        assert!(is_told, "{} over tcp: {by_sockets:?}", mpi.name);
    }
}

/// Describes the difference in an exchange's time. The program gives bounds for its median.
fn difference(point: &Value, found: &Value) -> Option<String> {
    let one = |name: &str| number(point, name) / number(point, "messages");
    let may = TIME.1.max(TIME.0 * one("time_s"));
    let trace = number(found, "time_s");
    let is_as_measured = (one("time_least_s") - may..=one("time_most_s") + may).contains(&trace);
    (!is_as_measured).then(|| format!("{trace} and not {} s", one("time_s")))
}
