//! Checks the uses between files: the head of each crate lists its floors, the upper of which use the lower.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use common::uses::{Module, Sources};

const CRATES: [&str; 17] = [
    "interposer",
    "interposer/agree",
    "interposer/core",
    "traces",
    "analyzer/tables",
    "analyzer/model",
    "analyzer/metrics",
    "analyzer/data",
    "analyzer/pictures",
    "analyzer/sql",
    "analyzer/engine",
    "analyzer",
    "synthetic",
    "examples",
    "examples/lab",
    "python",
    "xtask",
];

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

fn sources(of: &str) -> &'static Sources {
    static ALL: LazyLock<BTreeMap<&str, Sources>> =
        LazyLock::new(|| CRATES.map(|of| (of, Sources::read(&workspace().join(of).join("src")))).into());
    &ALL[of]
}

/// The floors of a crate, the highest first, each with its rooms.
fn floors(of: &str) -> Vec<Vec<String>> {
    let root = ["lib.rs", "main.rs"].map(|name| workspace().join(of).join("src").join(name));
    let text = root.iter().find_map(|path| fs::read_to_string(path).ok()).expect("a crate has a root");
    let lines =
        text.lines().skip_while(|line| !line.starts_with("//! Floors, ")).skip_while(|line| *line != "//! ```text");
    let floors = lines.skip(1).map_while(|line| line.strip_prefix("//! ").filter(|line| *line != "```"));
    floors.map(|line| line.split_whitespace().map(String::from).collect()).collect()
}

/// The floor that a file stands on, and its room: the longest that its path begins with.
fn stands<'a>(floors: &'a [Vec<String>], file: &Module) -> Option<(usize, &'a str)> {
    let rooms =
        floors.iter().enumerate().flat_map(|(floor, rooms)| rooms.iter().map(move |room| (floor, room.as_str())));
    let holds = |room: &str| file.name() == room || file.name().starts_with(&format!("{room}/"));
    rooms.filter(|(_, room)| holds(room)).max_by_key(|(_, room)| room.len())
}

/// The arrows of a crate that do not go down.
fn against_the_order(of: &str) -> Vec<String> {
    let (floors, sources) = (floors(of), sources(of));
    let mut wrong = Vec::new();
    for (from, to) in &sources.arrows {
        match (stands(&floors, from), stands(&floors, to)) {
            (Some((above, room)), Some((below, other))) if room == other || above < below => {}
            (Some((_, room)), Some((_, other))) => {
                wrong.push(format!("{of}: {from} uses {to}, but {room} does not stand above {other}"));
            }
            _ => wrong.push(format!("{of}: {from} or {to} stands on no floor")),
        }
    }
    wrong
}

#[test]
fn every_file_uses_only_what_stands_below_it() {
    for of in CRATES {
        let wrong = against_the_order(of);
        assert!(wrong.is_empty(), "against the floors in the crates' heads:\n{}", wrong.join("\n"));
    }
}

#[test]
fn every_room_on_a_floor_has_files() {
    for of in CRATES {
        let (floors, sources) = (floors(of), sources(of));
        let used: BTreeSet<_> = sources.files().filter_map(|file| Some(stands(&floors, file)?.1)).collect();
        let listed: BTreeSet<_> = floors.iter().flatten().map(String::as_str).collect();
        assert_eq!(used, listed, "{of}: the floors in the crate's head");
    }
}

#[test]
fn no_file_is_longer_than_five_hundred_lines_but_the_table_of_calls() {
    let of_crate = |of: &'static str| sources(of).lengths().map(move |(file, lines)| (format!("{of}/{file}"), lines));
    let long: Vec<(String, usize)> = CRATES.into_iter().flat_map(of_crate).filter(|(_, lines)| *lines > 500).collect();
    let names: Vec<&str> = long.iter().map(|(file, _)| file.as_str()).collect();
    assert_eq!(names, ["traces/calls/table"], "{long:?}");
}

#[test]
fn no_two_public_types_of_a_crate_have_the_same_name() {
    for of in CRATES {
        let mut named: BTreeMap<&str, Vec<&Module>> = BTreeMap::new();
        for (file, name) in sources(of).public_types() {
            named.entry(name).or_default().push(file);
        }
        assert!(of == "python" || !named.is_empty(), "{of} has no public types");
        named.retain(|_, files| files.len() > 1);
        assert!(named.is_empty(), "{of}: one name for {named:?}");
    }
}

/// A file may use what its own parent module has, which in turn uses its parts: this test ignores these arrows.
#[test]
fn no_files_use_each_other_in_a_circle() {
    for of in CRATES {
        let arrows = &sources(of).arrows;
        assert!(!arrows.is_empty(), "{of} has no arrows");
        let mut uses: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (from, to) in arrows.iter().filter(|(from, to)| !from.is_inside(to)) {
            uses.entry(from.clone()).or_default().insert(to.clone());
        }
        // A file that uses none of the rest is in no circle.
        loop {
            let left: BTreeSet<Module> = uses.keys().cloned().collect();
            for used in uses.values_mut() {
                used.retain(|file| left.contains(file));
            }
            uses.retain(|_, used| !used.is_empty());
            if uses.len() == left.len() {
                break;
            }
        }
        assert!(uses.is_empty(), "{of} has a circle in {uses:#?}");
    }
}

#[test]
fn a_use_is_seen_however_it_is_written() {
    let text = "
        //! [`crate::comment::x`]
        mod child;
        use crate::{a::{self, B}, c::d as e};
        pub(super) use super::{sibling::X, other};
        use child::Y;
        fn f() { crate::inline::g(\"crate::string::x\"); super::called(); child::h(); crate::macros!(x) }
        macro_rules! m { () => { sym crate::assembly::place }; }
        mod inner { use super::*; use super::super::outer::Z; }
    ";
    let here = Module::new(&["room", "file"]);
    let children = ["room/file/child"];
    let seen: BTreeSet<String> =
        common::uses::paths(text, &here, &|name| children.contains(&name)).into_iter().collect();
    let expected = [
        "a",
        "a/B",
        "assembly/place",
        "c/d",
        "inline/g",
        "room/called",
        "room/file",
        "room/file/child/Y",
        "room/file/child/h",
        "room/other",
        "room/outer/Z",
        "room/sibling/X",
    ];
    assert_eq!(seen, expected.map(String::from).into());
}

/// Words that only one file of the interposer may contain: each with its file.
const ALONE: [(&str, &[&str]); 4] = [
    ("config", &["var", "vars", "var_os", "vars_os", "getenv", "secure_getenv", "set_var", "remove_var", "environ"]),
    ("messages", &["STDERR_FILENO", "stderr", "eprint", "eprintln", "dbg"]),
    ("recorder/guard", &["panic", "catch_unwind"]),
    ("nobody", &["print", "println", "stdout", "STDOUT_FILENO", "exit", "_exit", "abort", "unwrap", "expect", "todo"]),
];

#[test]
fn what_one_file_alone_may_do_no_other_does() {
    let sources = sources("interposer");
    let mut seen = BTreeSet::new();
    for (file, words) in sources.words() {
        for (only, _) in ALONE.iter().filter(|(_, taken)| taken.iter().any(|word| words.contains(*word))) {
            assert_eq!(file.name(), *only, "of {ALONE:?}");
            seen.insert(*only);
        }
    }
    assert_eq!(seen, ["config", "messages", "recorder/guard"].into());
}
