//! Every command prints the same for ranks that share a file as for the same ranks in files of their own.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use examples::{fixture, rota};
use traces::file::NO_RANK;
use traces::read::RankFile;
use traces::write::{MemberWriter, NodeWriter};

const COMMANDS: [&str; 23] = [
    "",
    "report --by rank",
    "report --by site",
    "report --by peer",
    "waits",
    "pop",
    "why",
    "path",
    "matrix",
    "imbalance",
    "teams",
    "files",
    "sleeps",
    "settings",
    "progress",
    "overlap",
    "network",
    "fanout",
    "check",
    "hang",
    "diagnose",
    "timeline",
    "report --format json",
];

/// One in this many recorded runs is packed; in a full run, more are.
const ONE_IN: u64 = 40;
const ONE_IN_OF_ALL: u64 = 5;

fn chosen() -> Vec<String> {
    let one_in = if rota::is_all() { ONE_IN_OF_ALL } else { ONE_IN };
    let mut names = fixture::names();
    names.retain(|name| rota::is_its_turn(name, one_in) || name.starts_with("spawns-"));
    names
}

/// Moves the ranks' files of a run into node files, those of every second rank into another one.
fn pack(run: &Path) -> usize {
    let entries = fs::read_dir(run).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|is| is == "ovh")).collect();
    files.sort();
    let begin = |host| NodeWriter::begin(&run.join(format!("node-{host}.ovh")), host).unwrap();
    let nodes: Vec<NodeWriter> = ["h1", "h2"].into_iter().take(files.len()).map(begin).collect();
    let mut members: Vec<(MemberWriter, Vec<u8>)> = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let header = *RankFile::open(file).unwrap().header();
        assert!(header.rank != NO_RANK, "{}", file.display());
        let member = nodes[at % 2].member(header.pid, header.world, header.rank).unwrap();
        members.push((member, fs::read(file).unwrap()));
        fs::remove_file(file).unwrap();
    }
    // Large enough that a member is in several pieces, and small enough that its neighbors lie between them.
    const PIECE: usize = 40_000;
    for piece in 0..members.iter().map(|(_, bytes)| bytes.len()).max().unwrap().div_ceil(PIECE) {
        for (member, bytes) in &mut members {
            member.write_all(bytes.chunks(PIECE).nth(piece).unwrap_or_default()).unwrap();
        }
    }
    files.len()
}

fn said(words: &str, beside: &Path) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    command.args(words.split_whitespace()).arg("run").current_dir(beside).env_remove("COLUMNS");
    let Output { status, stdout, stderr } = command.output().unwrap();
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (status.code(), out, err)
}

#[test]
fn every_command_says_of_a_node_file_what_it_says_of_files_of_ranks() {
    let here = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (mut ranks, mut runs) = (0, 0);
    for name in &chosen() {
        let place = here.join(format!("{name}-packed-{}", std::process::id()));
        let run = fixture::unpack(name, &place).run;
        let says = || COMMANDS.map(|words| said(words, &place));
        let own = says();
        ranks += pack(&run);
        for (words, (own, packed)) in COMMANDS.iter().zip(own.iter().zip(says())) {
            assert_eq!(*own, packed, "{name}: overhear {words}");
        }
        runs += 1;
        fs::remove_dir_all(&place).unwrap();
    }
    assert!(runs > 3 && ranks > runs, "{ranks} ranks of {runs} runs");
}
