//! Checksums in the trace equal those that the program computes itself.

use std::collections::BTreeMap;

use crate::common::{case, libraries};
use examples::run::Run;
use traces::read::{RankFile, Visitor, walk};
use traces::record::Content;
use traces::signature::peer;

#[derive(Default)]
struct Contents(Vec<String>);

impl Visitor for Contents {
    fn call(&mut self, _: u32, _: u64, _: u64) {}

    fn content(&mut self, content: Content) {
        let way = if content.received { 'r' } else { 's' };
        let part = if content.part == peer::NONE { "-".into() } else { content.part.to_string() };
        let checksum = content.checksum.map_or_else(|reason| format!("{reason:?}"), |crc| format!("{crc:08x}"));
        self.0.push(format!("{way} {part} {} {checksum}", content.bytes));
    }
}

/// Contents in each rank's file, in order.
fn recorded(run: &Run) -> BTreeMap<u32, Vec<String>> {
    let contents = |path: &std::path::PathBuf| {
        let file = RankFile::open(path).unwrap();
        let mut contents = Contents::default();
        for page in file.contents().threads.iter().flat_map(|thread| &thread.pages) {
            walk(page, &mut contents).unwrap();
        }
        (file.header().rank, contents.0)
    };
    run.files().iter().map(contents).collect()
}

/// Contents that each rank printed, in order.
fn stated(output: &str) -> BTreeMap<u32, Vec<String>> {
    let mut ranks: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for line in output.lines().filter_map(|line| line.strip_prefix("rank ")) {
        let (rank, said) = line.split_once(": ").unwrap();
        ranks.entry(rank.parse().unwrap()).or_default().push(said.into());
    }
    ranks
}

#[test]
fn every_message_and_every_part_of_a_collective_call_has_the_checksum_that_the_program_computes() {
    let mut ran = 0;
    for mpi in libraries() {
        let case = case("contents", &mpi, 2, &[]).with("OVERHEAR_CHECKSUM", "crc32");
        let (output, run) = case.recorded("contents");
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        let (recorded, stated) = (recorded(&run), stated(&output.stdout));
        assert_eq!(stated.len(), 2, "{}: {}", mpi.name, output.stdout);
        for (rank, stated) in &stated {
            assert!(stated.len() > 60, "{}: rank {rank} said {} lines", mpi.name, stated.len());
            for (at, said) in stated.iter().enumerate() {
                assert_eq!(recorded[rank].get(at), Some(said), "{}: rank {rank}, line {at}", mpi.name);
            }
            assert_eq!(recorded[rank].len(), stated.len(), "{}: rank {rank}", mpi.name);
        }
        ran += 1;
    }
    assert!(ran > 0);
}

#[test]
fn without_the_setting_no_checksum_is_in_the_file() {
    let mpi = crate::common::one();
    let (output, run) = case("contents", &mpi, 2, &[]).recorded("no-contents");
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(stated(&output.stdout).len() == 2 && recorded(&run).values().all(Vec::is_empty));
}
