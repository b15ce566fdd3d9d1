//! Runs with call paths, and what commands say of them.

use std::path::Path;

use serde_json::{Value, json};
use synthetic::{Shape, Topology, names};
use traces::calls::Call;
use traces::definitions::CalledFrom::{Site as From, Start};
use traces::definitions::{CalledFrom, Caller, Definition, Module, Site};
use traces::signature::{Signature, peer};

use super::made::{Calls, on_nobody, send};
use super::{Folder, overhear, signature};

/// A site of the program `app`: its number, which is its offset, too, its caller, and the functions around it, innermost first.
pub type PlantedSite = (u32, CalledFrom, &'static [(&'static str, &'static str, u32)]);

/// Sites 1 and 4 are one place, which two paths lead to.
fn offset(site: u32) -> u32 {
    if site == 4 { 1 } else { site }
}

pub fn planted_definitions(sites: &[PlantedSite]) -> Vec<Definition> {
    let mut all = vec![Definition::Module(Module { number: 1, path: "/opt/app".into(), build_id: vec![1] })];
    for (number, caller, _) in sites {
        all.push(Definition::Site(Site { number: *number, module: 1, offset: offset(*number).into() }));
        all.push(Definition::Caller(Caller { site: *number, caller: *caller }));
    }
    all
}

pub fn write_names(folder: &Folder, sites: &[PlantedSite]) {
    let frame = |(function, file, line): &(&str, &str, u32)| json!({"function": function, "file": file, "line": line});
    let mut of_module = serde_json::Map::new();
    for (number, _, frames) in sites {
        of_module.insert(offset(*number).to_string(), frames.iter().map(frame).collect());
    }
    let module = json!({"path": "/opt/app", "build_id": "01", "sites": of_module});
    let names = json!({"schema": "overhear-sites/1", "modules": [module]});
    folder.write("sites.json", names.to_string().as_bytes());
}

/// With five ranks no mean lies between two printed numbers, where the order of adding would decide.
const SHAPE: Shape = Shape { ranks: 5, calls: 400, topology: Topology::Ring, seed: 3 };

/// A run with paths.
pub fn with_paths() -> Folder {
    let folder = Folder::new();
    synthetic::run_with_paths(&folder.0, &SHAPE).unwrap();
    folder.write("sites.json", names().as_bytes());
    folder
}

/// Two folders of one run, without paths and with them.
pub fn plain_and_with_paths() -> (Folder, Folder) {
    let plain = Folder::new();
    synthetic::run(&plain.0, &SHAPE).unwrap();
    plain.write("sites.json", names().as_bytes());
    (plain, with_paths())
}

pub fn printed(command: &str, folder: &Path, arguments: &[&str]) -> String {
    let output = overhear(command, folder, arguments);
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    text.replace(folder.to_str().unwrap(), "RUN")
}

/// `solve` and `checkpoint` call the same place of `comm_sum`, which is inlined into `comm_all`; `solve` sends and receives, too.
pub const PLANTED: &[PlantedSite] = &[
    (1, From(2), &[("comm_sum", "/src/comm.c", 12), ("comm_all", "/src/comm.c", 30)]),
    (2, From(3), &[("solve", "/src/solver.c", 41)]),
    (3, Start, &[("main", "/src/main.c", 88)]),
    (4, From(5), &[("comm_sum", "/src/comm.c", 12), ("comm_all", "/src/comm.c", 30)]),
    (5, From(6), &[("checkpoint", "/src/output.c", 7)]),
    (6, Start, &[("main", "/src/main.c", 90)]),
    (7, From(3), &[("solve", "/src/solver.c", 50)]),
];

/// Two ranks sum in `solve`, rank 1 is 5 µs late; then in `checkpoint`, rank 0 is 2 µs late. Rank 0 sends from `solve` for 3 µs and
/// waits 2 µs of that for the receiver.
pub fn planted() -> Folder {
    let folder = Folder::new();
    let sum = |site| Signature { site, sent: 8, received: 8, ..on_nobody(Call::Allreduce) };
    let send = Signature { site: 7, ..send(Call::Send, 1, 100) };
    let receive = Signature { site: 7, ..signature(0, Call::Recv, 0, 0, 100) };
    let first = Calls::default().call(sum(1), 10_000, 6_000).call(send, 20_000, 3_000).call(sum(4), 32_000, 1_000);
    let second = Calls::default().call(sum(1), 15_000, 1_000).call(receive, 22_000, 1_000).call(sum(4), 30_000, 3_000);
    for (rank, calls) in (0..).zip([first, second]) {
        calls.defines(planted_definitions(PLANTED)).write(&folder, rank, 2);
    }
    write_names(&folder, PLANTED);
    folder
}

pub fn in_json(folder: &Folder, words: &[&str]) -> Value {
    let arguments = [&words[1..], &["--whole", "--format", "json"][..]].concat();
    let output = overhear(words[0], &folder.0, &arguments);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {output:?}"))
}

/// The rows of the table of paths, by depth, function and place.
pub fn tree(report: &Value) -> Vec<(u64, &str, &str)> {
    let rows = report["paths"].as_array().unwrap();
    rows.iter().map(|row| (row["depth"].as_u64().unwrap(), text(row, "function"), text(row, "site"))).collect()
}

pub fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap()
}

/// A figure in nanoseconds.
pub fn nanoseconds(row: &Value, key: &str) -> i64 {
    (row[key].as_f64().unwrap_or_else(|| panic!("{key} in {row}")) * 1e9).round() as i64
}

/// A run of one rank that calls MPI_Barrier for 5 µs at each of some sites.
pub fn calling(sites: &[PlantedSite], from: &[u32]) -> Folder {
    let folder = Folder::new();
    let mut calls = Calls::default();
    for (site, at) in from.iter().zip(1..) {
        let barrier = Signature { site: *site, ..signature(0, Call::Barrier, peer::NONE, 0, 0) };
        calls = calls.call(barrier, at * 10_000, 5_000);
    }
    calls.defines(planted_definitions(sites)).write(&folder, 0, 1);
    write_names(&folder, sites);
    folder
}
