//! Exports for engines: exports of the ranks of each node make one data set, and `--engine duckdb` prints SQL over it.

use std::fs;
use std::path::{Path, PathBuf};

use model::objects::Objects;
use model::rank_roles::{RankRoles, RoleKind, TakenRole};
use traces::calls::Call;
use traces::signature::{CREATES, Signature};

use crate::common::made::{Calls, made, on_nobody};
use crate::common::recorded::recorded;
use crate::common::{BEGIN, Folder, overhear, stderr, stdout};

/// Files below a folder by their paths in it.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    fn add(below: &Path, root: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
        for path in fs::read_dir(below).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => add(&path, root, found),
                false => found.push((path.strip_prefix(root).unwrap().into(), fs::read(&path).unwrap())),
            }
        }
    }
    let mut found = Vec::new();
    add(folder, folder, &mut found);
    found.sort();
    found
}

#[test]
fn exports_of_some_ranks_each_make_the_data_set_of_one_export_to_the_byte() {
    let mut ran = 0;
    for fixture in ["ring", "wildcard", "collectives"].iter().flat_map(|program| recorded(program)) {
        let (whole, joined) = (Folder::new(), Folder::new());
        let export = |out: &Folder, more: &[&str]| {
            let out = out.0.join("set");
            let arguments =
                [&[out.to_str().unwrap(), "--to", "parquet", "--tables", "engine", "--no-cache"], more].concat();
            let output = overhear("export", &fixture.run, &arguments);
            assert!(output.status.success(), "{}", stderr(&output));
        };
        export(&whole, &[]);
        let names = fs::read_dir(&fixture.run).unwrap().map(|entry| entry.unwrap().file_name());
        let ranks = names.filter(|name| name.to_string_lossy().starts_with("rank-")).count();
        export(&joined, &["--join", "--rank", "0"]);
        export(&joined, &["--join", "--rank", &format!("1-{}", ranks - 1)]);
        let (whole, joined) = (files(&whole.0), files(&joined.0));
        let names = |files: &[(PathBuf, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&whole), names(&joined));
        assert!(whole == joined, "the same files with other bytes");
        ran += whole.len();
    }
    assert!(ran >= 3 * 7 * 2, "{ran}");
}

#[test]
fn every_start_of_a_persistent_collective_call_is_a_role_of_its_own() {
    let create = Signature { flags: CREATES, ..on_nobody(Call::Barrier_init) };
    let mut calls = Calls::default().call(on_nobody(Call::Barrier), 0, 10).call(create, 100, 10);
    for (start, age) in [(200, 1), (400, 2)] {
        calls = calls.call(on_nobody(Call::Start), start, 10).started(age);
        calls = calls.call(on_nobody(Call::Wait), start + 50, 10).completed(1);
    }
    let (_folder, run) = made(vec![calls], 1);
    let (objects, contents) = (Objects::of(&run), run.ranks[0].contents());
    let mut reader = RankRoles::of(&run, &objects, 0, &contents);
    let (mut all, mut some) = (Vec::new(), Vec::new());
    while reader.read(1, &mut some) {
        all.append(&mut some);
    }
    let parts = all.iter().filter(|role| matches!(role.kind, RoleKind::Collective(_)));
    let done = |role: &TakenRole| role.done.unwrap().end - BEGIN;
    let found: Vec<_> = parts.map(|role| (role.ordinal, role.start_number, role.start - BEGIN, done(role))).collect();
    assert_eq!(found, [(1, 0, 0, 10), (2, 1, 200, 260), (2, 2, 400, 460)]);
}

#[test]
fn a_rank_is_not_exported_twice_into_one_data_set() {
    let fixture = &recorded("ring")[0];
    let out = Folder::new();
    let set = out.0.join("set");
    let arguments =
        [set.to_str().unwrap(), "--to", "parquet", "--tables", "engine", "--no-cache", "--join", "--rank", "0"];
    assert!(overhear("export", &fixture.run, &arguments).status.success());
    let again = overhear("export", &fixture.run, &arguments);
    assert_eq!(again.status.code(), Some(3));
    assert!(stderr(&again).contains("another export has written this rank"), "{}", stderr(&again));
}

#[test]
fn tables_that_match_all_ranks_cannot_be_written_rank_by_rank() {
    let fixture = &recorded("ring")[0];
    let out = Folder::new();
    let output =
        overhear("export", &fixture.run, &[out.0.to_str().unwrap(), "--to", "parquet", "--join", "--rank", "0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("messages, collectives, waits match all ranks"), "{}", stderr(&output));
}

#[test]
fn the_sql_for_duckdb_names_the_files_of_each_table_and_ends_with_the_question() {
    let folder = Folder::new();
    let output = overhear("waits", &folder.0, &["--engine", "duckdb"]);
    let script = stdout(&output);
    assert!(output.status.success(), "{}", stderr(&output));
    for table in data::engine_sql::TABLES {
        let files = format!("{}/{table}/*/*.parquet", folder.0.display());
        assert!(script.contains(&format!("CREATE VIEW {table} AS SELECT * FROM read_parquet('{files}'")), "{table}");
    }
    let view = script.find("CREATE VIEW single_waits").unwrap();
    let question = script.find("-- Who waited for whom").unwrap();
    assert!(view < question && script.trim_end().ends_with(';'), "{script}");
}

#[test]
fn what_engines_cannot_do_is_refused() {
    let folder = Folder::new();
    let refused = |command: &str, arguments: &[&str], why: &str| {
        let output = overhear(command, &folder.0, arguments);
        assert_eq!(output.status.code(), Some(2), "{command} {arguments:?}");
        assert!(stderr(&output).contains(why), "{command} {arguments:?}: {}", stderr(&output));
    };
    refused("report", &["--engine", "duckdb", "--by", "site"], "--engine has the breakdown by function alone");
    refused("matrix", &["--engine", "duckdb", "--only", "messages"], "--engine has the matrix of all traffic alone");
    refused("waits", &["--engine", "http://here"], "expected sc://HOST:PORT");
    refused("waits", &["--engine", "duckdb", "--from", "1s"], "--from");
    if !cfg!(feature = "engine") {
        refused("waits", &["--engine", "sc://here:1"], "was built without Spark Connect");
    }
}
