//! The page of two runs: both on one scale, moved together, tables with their difference.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use examples::rota;
use serde_json::{Value, json};
use synthetic::{Shape, Topology};

use crate::browser::Browser;
use crate::common::Folder;
use crate::{Look, check_looks, run_of_a_thousand};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples").join(name)
}

fn overhear_words(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_overhear")).args(words).output().unwrap()
}

/// Writes the page of two runs.
fn pair(folder: &Folder, a: &Path, b: &Path) -> PathBuf {
    let file = folder.0.join("two.html");
    let words = ["diff", a.to_str().unwrap(), b.to_str().unwrap(), "--html", file.to_str().unwrap()];
    let output = overhear_words(&words);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    file
}

/// The time that both timelines show: since the begin of each run, and its length.
const VIEWS: &str = "['a', 'b'].map(side => {
  const [from, to] = /timeline-SIDE=(-?\\d+)-(-?\\d+)/.exec(location.hash.replace('timeline-' + side, 'timeline-SIDE')).slice(1).map(Number);
  return [from - JSON.parse(document.getElementById('timeline-data-' + side).textContent).from, to - from];
})";

fn press(browser: &mut Browser, side: &str, key: &str) {
    browser.ask(&format!(
        "document.querySelector('#timeline-{side} canvas').dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
    ));
    browser.ask("new Promise(resolve => setTimeout(resolve, 400))");
}

#[test]
fn two_runs_begin_at_one_place_and_zooming_either_zooms_the_other() {
    let folder = Folder::new();
    let file = pair(&folder, &sample("integer_sort-openmpi"), &sample("integer_sort-mpich"));
    let mut browser = Browser::start();
    browser.look(1440, "light");
    browser.open(&file);
    let mut before = 0.0;
    for (side, key) in [("a", "w"), ("b", "w"), ("b", "d"), ("a", "a")] {
        press(&mut browser, side, key);
        let views = browser.ask(VIEWS);
        assert_eq!(views[0], views[1], "{side} {key}: {views}");
        assert!(views[0][1].as_f64().unwrap() > 0.0 && views[0][0].as_f64() != Some(before), "{side} {key}: {views}");
        before = views[0][0].as_f64().unwrap();
    }
    // One pixel is the same time in both.
    let lefts = browser.ask("['a', 'b'].map(side => document.querySelector(`#timeline-${side} canvas`).getBoundingClientRect()).map(box => [box.left, box.width])");
    assert_eq!(lefts[0], lefts[1]);
    browser.ask("document.querySelector('#timeline-a .timeline-entry').click()");
    assert_eq!(
        browser.text("document.querySelector('#timeline-b .timeline-entry').getAttribute('aria-pressed')"),
        "false"
    );
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn tables_of_two_runs_have_the_figures_that_diff_prints_the_largest_difference_first() {
    let folder = Folder::new();
    let (a, b) = (sample("integer_sort-openmpi"), sample("integer_sort-mpich"));
    let file = pair(&folder, &a, &b);
    let said = overhear_words(&["diff", a.to_str().unwrap(), b.to_str().unwrap(), "--format", "json"]);
    let said: Value = serde_json::from_slice(&said.stdout).unwrap();
    let figures = said["figures"].as_array().unwrap();
    let mut browser = Browser::start();
    browser.open(&file);
    let rows = browser.ask("JSON.parse(document.getElementById('tables').textContent).functions[0].rows");
    let rows = rows.as_array().unwrap();
    let mut least = f64::INFINITY;
    for row in rows {
        let figure = figures
            .iter()
            .find(|one| one["table"] == "functions" && one["row"] == row[0] && one["figure"] == "time_mean_s");
        let figure = figure.unwrap_or_else(|| panic!("{row}"));
        assert_eq!((&row[1], &row[2]), (&figure["a"], &figure["b"]));
        let difference = row[3].as_f64().unwrap();
        assert!((difference - (row[2].as_f64().unwrap() - row[1].as_f64().unwrap())).abs() < 1e-12);
        assert!(difference.abs() <= least, "{row} is after a smaller one");
        least = difference.abs();
    }
    assert!(rows.len() > 5);
    let summary = browser.text("document.querySelector('#summary').textContent");
    assert!(summary.contains("B takes 446.86 ms longer than A"), "{summary}");
    assert!(summary.contains("MPI_Allreduce"), "{summary}");
}

#[derive(Clone, Copy)]
enum Pair {
    Sorts,
    Wavefronts,
    ManyRanks,
}

impl Pair {
    /// The folders of both runs; `half` is an empty one.
    fn runs(self, half: &Path) -> [PathBuf; 2] {
        match self {
            Pair::Sorts => ["integer_sort-openmpi", "integer_sort-mpich"].map(sample),
            Pair::Wavefronts => ["wavefront-1", "wavefront-16"].map(sample),
            Pair::ManyRanks => {
                synthetic::run(half, &Shape { ranks: 512, calls: 60, topology: Topology::Torus, seed: 1 }).unwrap();
                [run_of_a_thousand().into(), half.into()]
            }
        }
    }
}

#[test]
fn pages_of_two_runs_are_drawn_without_a_complaint_and_usable_by_everybody() {
    let looks: [Look; 2] = [(1440, "light"), (800, "dark")];
    let others = looks.iter().rev().flat_map(|look| [(Pair::Wavefronts, *look), (Pair::ManyRanks, *look)]);
    let mut pairs: Vec<(Pair, Vec<Look>)> = vec![(Pair::Sorts, rota::one_case(looks.into()))];
    pairs.extend(rota::one_case(others.collect()).into_iter().map(|(pair, look)| (pair, vec![look])));
    assert!(pairs.len() > 1);
    let mut checked = 0;
    let mut browser = Browser::start();
    for (of, by_axe) in &pairs {
        let (half, folder) = (Folder::new(), Folder::new());
        let [a, b] = of.runs(&half.0);
        let file = pair(&folder, &a, &b);
        for look in looks {
            browser.look(look.0, look.1);
            browser.open(&file);
            for _ in 0..14 {
                browser.ask("document.querySelector('#timeline-b canvas').dispatchEvent(new KeyboardEvent('keydown', { key: 'w', bubbles: true }))");
            }
            browser.wait_for(
                "['a', 'b'].every(side => document.getElementById('timeline-' + side).dataset.calls === 'calls')",
            );
            checked += check_looks(&mut browser, &a.to_string_lossy(), &[look], by_axe);
        }
        let printed = browser.call("Page.printToPDF", json!({ "printBackground": true }));
        assert!(printed["data"].as_str().unwrap().starts_with("JVBERi0"), "no PDF");
    }
    assert!(checked >= pairs.len());
    assert_eq!(browser.complaints, [""; 0]);
}
