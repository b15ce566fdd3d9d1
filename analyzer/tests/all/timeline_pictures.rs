//! Compares the timeline in a terminal and as SVG with golden files that were checked by eye, and the PNG with the SVG.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use model::levels::{Grid, RegionSpan};
use pictures::timeline::{Picture, page, svg};
use traces::calls::Call;
use traces::signature::{Signature, peer, tag};

use crate::common::drawn::assert_drawn;
use crate::common::golden::{compare, kept, kept_file};
use crate::common::made::Calls;
use crate::common::{Folder, overhear, signature, stderr, stdout};

const OPENMPI: &str = "traces/samples/integer_sort-openmpi";

fn timeline(arguments: &[&str], columns: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    command.args(["timeline", OPENMPI]).args(arguments).env("COLUMNS", columns);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).output().unwrap()
}

#[test]
fn a_terminal_of_forty_columns_shows_an_interval_of_some_ranks() {
    let output = timeline(&["--from", "150ms", "--to", "240ms", "--rank", "1-3", "--top", "3"], "40");
    let text = stdout(&output);
    let picture: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    assert!(picture.len() >= 5 && picture.iter().all(|line| line.chars().count() <= 40), "{text}");
    assert!(!text.contains('\x1b'), "colors in a pipe: {text:?}");
    compare(&kept("timeline/forty"), &text);
}

#[test]
fn waits_too_short_for_a_letter_are_in_the_sums_behind_it() {
    let folder = Folder::new();
    let barrier = Signature { tag: tag::NONE, ..signature(1, Call::Barrier, peer::NONE, 0, 0) };
    // Each millisecond rank 0 comes 0.2 ms before rank 1 to a barrier that takes 0.1 ms once both are there.
    for (rank, start, time) in [(0, 500_000, 300_000), (1, 700_000, 100_000)] {
        let calls = (0..1000).fold(Calls::default(), |calls, at| calls.call(barrier, 1_000_000 * at + start, time));
        calls.write(&folder, rank, 2);
    }
    let text = stdout(&overhear("timeline", &folder.0, &["--whole"]));
    let rows: Vec<Vec<&str>> = text.lines().take(3).map(|line| line.split_whitespace().collect()).collect();
    let [first, second, axis] = &rows[..] else { panic!("{text}") };
    assert_eq!([&first[2..], &second[2..]], [["30.0", "20.0"], ["10.0", "0.0"]], "{text}");
    assert!(first[1].chars().all(|letter| letter == '.') && axis.ends_with(&["MPI", "%", "wait", "%"]), "{text}");
}

#[test]
fn an_output_file_is_a_picture_by_its_name_unless_a_format_is_asked_for() {
    let folder = Folder::new();
    let written = |name: &str, words: &[&str]| {
        let path = folder.0.join(name);
        let output = timeline(&[&["-o", path.to_str().unwrap(), "--force"], words].concat(), "80");
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()), "{name} {words:?}");
        fs::read_to_string(&path).unwrap()
    };
    assert!(written("a.svg", &[]).starts_with("<svg"));
    assert!(written("a.HTM", &[]).starts_with("<!doctype html>"));
    assert!(written("a.svg", &["--format", "json"]).starts_with('{'));
}

#[test]
fn the_picture_is_drawn_as_it_was_when_somebody_looked_at_it() {
    let folder = Folder::new();
    let path = |name: &str| folder.0.join(name).to_str().unwrap().to_string();
    let (svg, png) = (path("sort.svg"), path("sort.png"));
    let output = timeline(&["--from", "150ms", "--to", "180ms", "--svg", &svg, "--png", &png], "80");
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), String::new()), "{}", stderr(&output));
    compare(&kept_file("timeline/sort.svg"), &fs::read_to_string(&svg).unwrap());
    assert_drawn(Path::new(&png), Path::new(&svg));
}

#[test]
fn a_file_that_exists_is_kept_unless_it_is_forced() {
    let folder = Folder::new();
    for flag in ["--svg", "--png", "--html"] {
        let file = folder.0.join(format!("kept{flag}"));
        fs::write(&file, "mine").unwrap();
        let output = timeline(&[flag, file.to_str().unwrap()], "80");
        assert_ne!(output.status.code(), Some(0));
        assert!(stderr(&output).contains("--force"), "{}", stderr(&output));
        assert_eq!(fs::read(&file).unwrap(), b"mine");
        let output = timeline(&[flag, file.to_str().unwrap(), "--force"], "80");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(fs::read(&file).unwrap().len() > 1000);
    }
}

#[test]
fn names_with_markup_and_escapes_are_shown_and_never_run() {
    let evil = "</script><img src=x onerror=alert(1)>\x1b[2J";
    let region = RegionSpan { from: 0, to: 1_000_000, depth: 0, name: evil.into() };
    let picture = Picture {
        title: evil.into(),
        grid: Grid::over(0, 1_000_000, 500),
        rows: Vec::new(),
        regions: vec![region],
        regions_left_out: 0,
        regions_of: String::new(),
        messages: &[],
    };
    let mut drawn = String::new();
    svg(&picture, &mut drawn).unwrap();
    assert!(drawn.contains("&lt;img src=x") && !drawn.contains("<img") && !drawn.contains('\x1b'), "{drawn}");
    let page = page(evil, "{}");
    let title = page.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap();
    assert!(title.contains("img src=x") && !title.contains('<') && !title.contains('\x1b'), "{title}");
}
