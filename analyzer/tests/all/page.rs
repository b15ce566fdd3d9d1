//! The page of a run: its summary, its figures, and the cases in which it is not written.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::golden::{GoldenFiles, kept};
use crate::common::recorded::recorded;
use crate::common::{Folder, header, json, rank, report, signature, stderr, two_ranks};
use examples::fixture::{diagnosis_names, unpack};
use serde_json::Value;
use synthetic::{Shape, Topology};
use traces::calls::Call;
use traces::file::{FileHeader, Mode};

/// Programs with a known cause: each summary states it.
const PROGRAMS: [&str; 8] = [
    "controlled",
    "early_reduce",
    "false_overlap",
    "imbalance",
    "killed_between",
    "late_receiver",
    "late_sender",
    "persistent_halo",
];

/// Path for a new page, in an existing folder.
fn wanted(folder: &Folder) -> PathBuf {
    folder.0.join("page.html")
}

fn write(run: &Path, file: &Path, more: &[&str]) -> Output {
    report(run, &[&["--html", file.to_str().unwrap()], more].concat())
}

fn page(run: &Path) -> String {
    let folder = Folder::new();
    let output = write(run, &wanted(&folder), &[]);
    assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    fs::read_to_string(wanted(&folder)).unwrap()
}

/// Contents of the files beside a page, without the names of the files themselves.
fn beside(folder: &Folder) -> Vec<String> {
    let entries = |path: &Path| fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let folders = entries(&folder.0).into_iter().filter(|path| path.is_dir());
    let text = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        fs::read_to_string(&path).unwrap().replace(name, "")
    };
    folders.flat_map(|path| entries(&path)).map(text).collect()
}

/// Text between two pieces of a text.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let behind = text.split_once(from).unwrap_or_else(|| panic!("no {from}")).1;
    behind.split_once(to).unwrap_or_else(|| panic!("no {to}")).0
}

fn tables(page: &str) -> Value {
    serde_json::from_str(between(page, "id=\"tables\">", "</script>")).unwrap()
}

/// The summary, a line for each sentence, with the linked sections in brackets.
fn summary(page: &str) -> String {
    let marked = between(page, "<section id=\"summary\"", "</section>")
        .replace("<li>", "\n")
        .replace("<p><a", "\n<a")
        .replace("<p class=\"next\">", "\n  ");
    let mut lines = String::new();
    for piece in marked.split('<') {
        let (tag, text) = piece.split_once('>').unwrap_or(("", piece));
        lines +=
            &tag.strip_prefix("a href=\"").map_or(String::new(), |link| format!("[{}] ", link.trim_end_matches('"')));
        lines += text;
    }
    // Numbers are held to their units.
    let lines = lines.replace("&lt;", "<").replace('\u{a0}', " ");
    lines.split_once('\n').map_or(lines.clone(), |(_, findings)| format!("{}\n", findings.trim_end()))
}

#[test]
fn every_link_to_a_place_of_the_page_leads_there() {
    for name in diagnosis_names() {
        let folder = format!("page-{}-{}", name.replace('/', "-"), std::process::id());
        let page = page(&unpack(&name, &Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder)).run);
        let links = page.split("href=\"#").skip(1).filter_map(|behind| behind.split_once('"'));
        let dead: Vec<&str> = links.map(|(id, _)| id).filter(|id| !page.contains(&format!("id=\"{id}\""))).collect();
        assert!(page.contains("href=\"#waits\"") && dead.is_empty(), "{name}: {dead:?}");
    }
}

#[test]
fn the_summary_of_each_program_says_what_it_said() {
    let mut comparison = GoldenFiles::default();
    for program in PROGRAMS {
        let said = summary(&page(&recorded(program)[0].run));
        comparison.text(&kept(&format!("summary/{program}")), &said);
    }
    comparison.finish();
}

#[test]
fn the_summary_names_the_rank_and_the_line_that_a_program_is_late_at() {
    for fixture in recorded("late_sender") {
        let said = summary(&page(&fixture.run));
        let sentence = said.lines().find(|line| line.contains("[#waits]")).unwrap();
        assert!(sentence.starts_with("Rank 0 works") && sentence.contains("late_sender.c:"), "{said}");
        assert!(sentence.contains("while the others wait"), "{said}");
    }
}

#[test]
fn a_page_has_the_figures_that_the_report_prints() {
    let folder = two_ranks();
    let page = page(&folder.0);
    let (table, report) = (&tables(&page)["functions"][0], json(&folder.0, "function"));
    let keys: Vec<&str> =
        table["columns"].as_array().unwrap().iter().map(|column| column["key"].as_str().unwrap()).collect();
    let mut ran = 0;
    for (row, printed) in table["rows"].as_array().unwrap().iter().zip(report["functions"].as_array().unwrap()) {
        for (key, cell) in keys.iter().zip(row.as_array().unwrap()) {
            assert_eq!(cell, &printed[key], "{key}");
            ran += 1;
        }
    }
    assert_eq!(ran, 2 * keys.len());
}

#[test]
fn the_page_of_a_run_says_what_shows_the_settings_that_it_leaves_out() {
    let page = page(&two_ranks().0);
    assert!(page.contains(
        "What the MPI library was set to, and by whom, is not here: <code>overhear settings</code> shows it."
    ));
}

#[test]
fn a_file_that_exists_is_replaced_only_by_force() {
    let folder = two_ranks();
    fs::write(wanted(&folder), "mine").unwrap();
    let output = write(&folder.0, &wanted(&folder), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("page.html: exists") && stderr(&output).contains("--force"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_to_string(wanted(&folder)).unwrap(), "mine");
    assert_eq!(write(&folder.0, &wanted(&folder), &["--force"]).status.code(), Some(0));
    assert!(fs::read_to_string(wanted(&folder)).unwrap().starts_with("<!DOCTYPE html>"));
}

#[test]
fn a_page_that_cannot_be_written_is_named_and_none_is_begun_where_the_run_is_unreadable() {
    let folder = two_ranks();
    let output = write(&folder.0, Path::new("/nowhere/page.html"), &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("/nowhere/page.html: No such file"), "{}", stderr(&output));
    let empty = Folder::new();
    assert_eq!(write(&empty.0, &wanted(&empty), &[]).status.code(), Some(3));
    assert_eq!(fs::read_dir(&empty.0).unwrap().count(), 0);
}

#[test]
fn flags_that_choose_a_table_or_a_format_do_not_go_with_a_page() {
    let folder = two_ranks();
    for flags in [
        ["--by", "rank"],
        ["--format", "json"],
        ["--output", "x"],
        ["--top", "3"],
        ["--sort", "calls"],
        ["--plot", "x.svg"],
    ] {
        let output = write(&folder.0, &wanted(&folder), &flags);
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(stderr(&output).contains("cannot be used with"), "{}", stderr(&output));
    }
    let output = report(&folder.0, &["--force"]);
    assert!(stderr(&output).contains("--html <FILE>"), "{}", stderr(&output));
}

#[test]
fn of_a_profile_the_page_says_what_its_totals_say_and_why_there_is_no_more() {
    let folder = Folder::new();
    let profile = FileHeader { mode: Mode::Profile as u16, ..header(0, 1) };
    folder.write("rank-0000.ovh", &rank(profile, &[signature(1, Call::Barrier, 0, 0, 0)], &[]));
    let page = page(&folder.0);
    let waits = between(&page, "id=\"waits-title\"", "</section>");
    assert!(waits.contains("recorded as a profile"), "{waits}");
    assert!(tables(&page)["ranks"][0]["rows"].as_array().is_some_and(|rows| rows.len() == 1));
}

#[test]
fn what_is_asked_about_holds_for_the_whole_page() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/integer_sort-openmpi");
    let folder = Folder::new();
    let output = write(&sample, &wanted(&folder), &["--rank", "1-2", "--from", "100ms", "--to", "250ms"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = fs::read_to_string(wanted(&folder)).unwrap();
    assert!(page.contains("all figures are for these ranks"));
    assert_eq!(tables(&page)["ranks"][0]["rows"].as_array().unwrap().len(), 2);
}

#[test]
fn the_page_of_a_short_run_has_all_its_calls_and_nothing_beside_it() {
    let written = Folder::new();
    assert!(write(&recorded("late_sender")[0].run, &wanted(&written), &[]).status.success());
    assert!(beside(&written).is_empty());
}

#[test]
fn very_many_ranks_share_rows_and_the_page_stays_below_five_mebibytes() {
    let folder = Folder::new();
    synthetic::run(&folder.0, &Shape { ranks: 1500, calls: 20, topology: Topology::Torus, seed: 1 }).unwrap();
    let written = Folder::new();
    assert!(write(&folder.0, &wanted(&written), &[]).status.success());
    let parts = beside(&written);
    let different: BTreeSet<&String> = parts.iter().collect();
    // All ranks compute most of the time; the first part has their first calls, the last one their last.
    assert!(parts.len() > 10 && different.len() > 2, "{} of {}", different.len(), parts.len());
    let page = fs::read_to_string(wanted(&written)).unwrap();
    assert!(page.len() < 5 << 20, "{}", page.len());
    let rows = &tables(&page)["ranks"][0]["rows"];
    assert_eq!(rows.as_array().unwrap().len(), 750);
    assert!(rows.as_array().unwrap().iter().all(|row| row[1] == 2));
    let pairs = tables(&page)["matrix"][1].clone();
    assert_eq!(pairs["rows"].as_array().unwrap().len(), 1024);
    assert!(pairs["more"].as_u64().unwrap() > 1000, "{}", pairs["more"]);
}
