//! A machine goes down, and its file system leaves zeros in a run's files, 4 KiB at a time: each piece that held anything is
//! missed, and so is a part of a page.

use std::fs;
use std::ops::Range;
use std::path::Path;

use examples::fixture;
use model::Run;
use traces::file::{FIRST_PAGE, FileHeader, PageHeader, PageKind};
use zerocopy::FromBytes;

use crate::common::{Folder, overhear, stdout};

const PIECE: usize = 4096;

/// Runs of one thread and of several, whose ranks ended, hung or were killed.
const FIXTURES: [&str; 10] = [
    "killed_between-ompi4",
    "ended_threads-ompi5",
    "regions-ompi5",
    "cycle-ompi4",
    "rma_fence-ompi4",
    "late_sender-mpich4",
    "communicators-mpich5abi",
    "partitioned-impi",
    "threads-mpich5abi",
    "turned-ompi4",
];

fn copy_of_sample(name: &str, into: &Folder) {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples").join(name);
    for entry in fs::read_dir(sample).unwrap().map(|entry| entry.unwrap().path()) {
        into.write(&entry.file_name().unwrap().to_string_lossy(), &fs::read(&entry).unwrap());
    }
}

/// The last page of definitions, whose end these files do not tell: later recorders count definitions.
fn last_definitions(file: &[u8]) -> Range<usize> {
    let unit = FileHeader::read_from_prefix(file).unwrap().0.unit as usize;
    let (mut at, mut last) = (FIRST_PAGE, 0..0);
    while at < file.len() {
        let header = PageHeader::read_from_prefix(&file[at..]).unwrap().0;
        if header.kind == PageKind::Definitions as u32 {
            last = at..at + unit * header.units as usize;
        }
        at += unit * (header.units as usize).max(1);
    }
    last
}

fn is_said(run: &Path, name: &str) -> bool {
    match Run::load(run) {
        Err(_) => true,
        Ok(run) => {
            let damaged = run.ranks.iter().filter(|rank| rank.file == name).any(|rank| !rank.damage.is_empty());
            damaged || run.unreadable.iter().any(|reason| reason.contains(name))
        }
    }
}

/// Zeroes each piece of each file of a run that holds anything. Returns the number of pieces that are said.
fn zero_each_piece(run: &Path) -> usize {
    let mut said = 0;
    let paths = fs::read_dir(run).unwrap().map(|entry| entry.unwrap().path());
    for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "ovh")) {
        let whole = fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(!is_said(run, &name), "{} is damaged already", path.display());
        let untold = last_definitions(&whole);
        for at in (0..whole.len()).step_by(PIECE) {
            let until = (at + PIECE).min(whole.len());
            if whole[at..until].iter().all(|byte| *byte == 0) {
                continue;
            }
            let mut bytes = whole.clone();
            bytes[at..until].fill(0);
            fs::write(&path, &bytes).unwrap();
            if is_said(run, &name) {
                said += 1;
            } else {
                assert!(
                    at < untold.end && until > untold.start,
                    "{}: nothing is said of zeros from byte {at} on",
                    path.display()
                );
            }
        }
        fs::write(&path, &whole).unwrap();
    }
    said
}

#[test]
fn each_piece_of_zeros_in_recorded_runs_that_held_anything_is_said() {
    let mut said = 0;
    for name in ["integer_sort-mpich", "integer_sort-openmpi", "missing", "solver", "wavefront-1", "wavefront-16"] {
        let folder = Folder::new();
        copy_of_sample(name, &folder);
        said += zero_each_piece(&folder.0);
    }
    for name in FIXTURES {
        let folder = Folder::new();
        said += zero_each_piece(&fixture::unpack(name, &folder.0.join("unpacked")).run);
    }
    assert!(said > 200, "{said}");
}

#[test]
fn zeros_among_records_are_told_by_place_and_the_status_is_that_of_partial_data() {
    let folder = Folder::new();
    copy_of_sample("wavefront-1", &folder);
    let path = folder.0.join("rank-0001.ovh");
    let mut bytes = fs::read(&path).unwrap();
    bytes[16_384..20_480].fill(0);
    fs::write(&path, bytes).unwrap();
    let output = overhear("report", &folder.0, &["--format", "json"]);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(4), "{said}");
    let place = "rank-0001.ovh: zeros from byte 16384 to byte 20480, where records of thread 0 were written";
    assert!(said.contains(&format!("{place}: all up to byte 20992 are lost")), "{said}");
}
