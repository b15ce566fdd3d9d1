//! The page in a browser: it has no errors, tables sort and filter, both schemes have contrast, names stay text, it
//! prints.

mod browser;
mod call_paths;
#[path = "../all/common/mod.rs"]
mod common;
mod follow;
mod interaction;
mod message_lines;
mod pair;
mod pictures;
mod row_order;
mod row_shares;
mod source_lines;
mod timeline;
mod units;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use browser::Browser;
use common::named::named;
use common::recorded::recorded;
use examples::rota;
use serde_json::{Value, json};
use synthetic::{Shape, Topology};

/// Writes the page of a run.
fn page(run: &Path, name: &str) -> PathBuf {
    page_with(run, name, &[])
}

fn page_with(run: &Path, name: &str, flags: &[&str]) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.html"));
    let mut overhear = Command::new(env!("CARGO_BIN_EXE_overhear"));
    let output = overhear.arg("report").arg(run).args(flags).arg("--html").arg(&file).arg("--force").output().unwrap();
    assert!([Some(0), Some(4)].contains(&output.status.code()), "{output:?}");
    file
}

fn sorted() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/integer_sort-openmpi")
}

/// The page of a small run.
fn sample() -> &'static Path {
    static PAGE: OnceLock<PathBuf> = OnceLock::new();
    PAGE.get_or_init(|| page(&sorted(), "sample"))
}

/// The same with MPI_Init and MPI_Finalize.
fn whole_sample() -> &'static Path {
    static PAGE: OnceLock<PathBuf> = OnceLock::new();
    PAGE.get_or_init(|| page_with(&sorted(), "whole", &["--whole"]))
}

/// A run of 1,024 ranks.
fn run_of_a_thousand() -> &'static Path {
    static RUN: OnceLock<PathBuf> = OnceLock::new();
    RUN.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("run of a thousand");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        synthetic::run(&folder, &Shape { ranks: 1024, calls: 60, topology: Topology::Torus, seed: 1 }).unwrap();
        folder
    })
}

/// Its page.
fn page_of_a_thousand() -> &'static Path {
    static PAGE: OnceLock<PathBuf> = OnceLock::new();
    PAGE.get_or_init(|| page(run_of_a_thousand(), "thousand"))
}

/// Violations that axe finds. Limited to violations, it makes no selector for each element that is right.
const VIOLATIONS: &str = "axe.run({ resultTypes: ['violations'] }).then(found => found.violations.map(one => one.impact + ' ' + one.id + ': ' + one.nodes.map(node => node.html).slice(0, 3).join(' ')))";

/// A window's width, and its color scheme.
type Look = (u32, &'static str);

/// In each of these looks the page must not be wider than the window. Asks axe about it in those `by_axe`, since each takes
/// seconds. Returns how many axe has checked.
fn check_looks(browser: &mut Browser, name: &str, looks: &[Look], by_axe: &[Look]) -> usize {
    let axe = fs::read_to_string(examples::browser::axe()).expect("cargo xtask test brings axe");
    browser.ask(&format!("{axe}; undefined"));
    let mut checked = 0;
    for look @ (width, scheme) in looks {
        browser.look(*width, scheme);
        let fits = browser.ask("document.documentElement.scrollWidth <= innerWidth");
        assert_eq!(fits, true, "{name}: {width} pixels do not hold it");
        if by_axe.contains(look) {
            println!("{name}: checked by axe in {width} pixels, {scheme}");
            assert_eq!(browser.ask(VIOLATIONS), json!([]), "{name}: {scheme}");
            checked += 1;
        }
    }
    checked
}

/// Names in the first column of a section's first table.
const FIRST_COLUMN: &str =
    "[...document.querySelectorAll('#functions tbody tr td:first-child')].map(cell => cell.textContent).join()";

#[test]
fn a_table_is_sorted_by_its_headings_and_narrowed_by_its_filter() {
    let mut browser = Browser::start();
    browser.open(whole_sample());
    assert!(browser.text(FIRST_COLUMN).starts_with("MPI_Init,MPI_Finalize,MPI_Alltoallv,"));
    // Sorted by calls: functions with equally many keep their order.
    for (direction, first) in
        [("descending", "MPI_Alltoallv,MPI_Allreduce,MPI_Alltoall,"), ("ascending", "MPI_Send,MPI_Irecv,")]
    {
        // Keys work, too: a button reacts to them as to a click.
        browser.ask("document.querySelector('#functions th:nth-child(7) button').focus()");
        for kind in ["keyDown", "keyUp"] {
            let key =
                json!({ "type": kind, "key": "Enter", "code": "Enter", "text": "\r", "windowsVirtualKeyCode": 13 });
            browser.call("Input.dispatchKeyEvent", key);
        }
        assert_eq!(browser.text("document.querySelector('#functions th:nth-child(7)').ariaSort"), direction);
        let column = browser.text(FIRST_COLUMN);
        assert!(column.starts_with(first), "{direction}: {column}");
    }
    assert_eq!(browser.ask("document.querySelectorAll('#functions th[aria-sort]').length"), 1);
    browser.ask("(box => { box.value = 'allto'; box.dispatchEvent(new Event('input')); })(document.querySelector('#functions input'))");
    let narrowed = browser.text(FIRST_COLUMN);
    let mut left: Vec<&str> = narrowed.split(',').collect();
    left.sort_unstable();
    assert_eq!(left, ["MPI_Alltoall", "MPI_Alltoallv"]);
    assert_eq!(browser.text("document.querySelector('#functions .count').textContent"), "2 of 10 rows");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn pages_of_all_kinds_of_runs_are_drawn_without_a_complaint_and_usable_by_everybody() {
    let programs = ["false_overlap", "killed_between", "regions"];
    let mut pages = vec![("sample", sample().to_path_buf())];
    pages.extend(programs.map(|program| (program, page(&recorded(program)[0].run, program))));
    let mut browser = Browser::start();
    let mut checked = 0;
    let looks = [(1280, "light"), (700, "dark")];
    let each = looks.iter().flat_map(|look| programs.map(|program| (program, *look)));
    let by_axe = rota::one_case(each.collect());
    for (name, page) in &pages {
        browser.open(page);
        let of_page = |of: &&(&str, Look)| of.0 == *name;
        let by_axe: Vec<Look> = match *name {
            "sample" => looks.into(),
            _ => by_axe.iter().filter(of_page).map(|(_, look)| *look).collect(),
        };
        checked += check_looks(&mut browser, name, &looks, &by_axe);
        let pictures = browser.ask("[...document.querySelectorAll('.picture svg')].every(one => one.ariaLabel || one.getAttribute('aria-label'))");
        assert_eq!(pictures, true);
        let dead = browser.ask("[...document.querySelectorAll('a[href^=\"#\"]')].filter(link => !document.querySelector(link.hash)).length");
        assert_eq!(dead, 0, "{}: links lead nowhere", page.display());
    }
    assert!(checked > 2);
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn the_legend_leaves_a_part_of_the_ranks_time_out_and_brings_it_back() {
    let mut browser = Browser::start();
    browser.open(whole_sample());
    let top = "[...document.querySelectorAll('#ranks svg text')].filter(text => text.textContent.includes(' ms'))\
               .map(text => parseFloat(text.textContent)).reduce((a, b) => Math.max(a, b))";
    let parts = "document.querySelectorAll('#ranks .part-start_and_end_s:not(.swatch)').length";
    let whole = browser.ask(top).as_f64().unwrap();
    assert_eq!(browser.ask(parts), 4);
    for (left, least) in [(0, 0.0), (4, whole)] {
        browser.ask("[...document.querySelectorAll('#ranks .legend button')].at(-1).click()");
        assert_eq!(browser.ask(parts), left);
        let now = browser.ask(top).as_f64().unwrap();
        assert!(now >= least && (left == 4 || now < whole), "{left}: {now} of {whole}");
    }
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn tables_follow_what_the_timeline_shows_and_the_address_brings_it_back() {
    let mut browser = Browser::start();
    browser.open(whole_sample());
    let columns = |browser: &mut Browser| {
        let total = "[...document.querySelectorAll('#functions tbody tr td:nth-child(5)')].map(cell => parseFloat(cell.textContent)).reduce((a, b) => a + b)";
        (browser.text(FIRST_COLUMN), browser.ask(total).as_f64().unwrap())
    };
    let (all, whole) = columns(&mut browser);
    let selected = "document.querySelector('#functions .table.selected') !== null";
    assert_eq!(browser.ask(selected), false);
    // The run's middle: the ranks have begun, and compute and communicate.
    for _ in 0..3 {
        browser.ask("document.querySelector('.timeline-canvas').dispatchEvent(new KeyboardEvent('keydown', { key: 'w', bubbles: true }))");
    }
    browser.wait_for(selected);
    let (part, time) = columns(&mut browser);
    assert!(all.contains("MPI_Finalize") && !part.contains("MPI_Finalize"), "{part}");
    assert!(time < whole, "{time} of {whole}");
    // Wall time and time in MPI of each rank.
    let of_ranks = |column: usize| {
        format!(
            "[...document.querySelectorAll('#ranks .table:nth-child(2).selected tbody tr td:nth-child({column})')].map(cell => cell.textContent)"
        )
    };
    let ranks = [3, 4].map(|column| browser.ask(&of_ranks(column)));
    let sum = |cells: &Value| -> f64 {
        cells.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().parse::<f64>().unwrap()).sum()
    };
    assert_eq!(ranks[0].as_array().unwrap().len(), 4);
    assert!((sum(&ranks[1]) / time - 1.0).abs() < 1e-3, "{ranks:?}: {time}");
    assert!(sum(&ranks[1]) < sum(&ranks[0]), "{ranks:?}");
    browser.ask("location.reload()");
    browser.wait_for("document.documentElement?.dataset.ready !== undefined");
    browser.wait_for(selected);
    assert_eq!(columns(&mut browser).0, part);
    // Another scheme has other colors.
    let drawn = "document.querySelector('.timeline-canvas').toDataURL()";
    let light = browser.text(drawn);
    browser.look(1280, "dark");
    browser.wait_for(&format!("{drawn} !== '{light}'"));
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn the_theme_button_overrules_the_system_and_the_page_prints_light() {
    let mut browser = Browser::start();
    browser.open(sample());
    browser.look(1280, "dark");
    let ground = "getComputedStyle(document.body).backgroundColor";
    let dark = browser.text(ground);
    browser.ask("document.getElementById('theme').click()");
    let light = browser.text(ground);
    assert_eq!((dark.as_str(), light.as_str()), ("rgb(20, 24, 29)", "rgb(255, 255, 255)"));
    browser.ask("document.getElementById('theme').click()");
    assert_eq!(browser.text(ground), dark);
    let printed = browser.call("Page.printToPDF", json!({ "printBackground": true }));
    assert!(printed["data"].as_str().unwrap().starts_with("JVBERi0"), "no PDF");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn names_with_markup_are_shown_as_they_are() {
    let name = "</script><img src=x onerror=alert(1)><b>\u{202e}&amp;";
    let folder = named(name);
    let mut browser = Browser::start();
    browser.open(&page(&folder.0, "markup"));
    assert_eq!(browser.ask("document.querySelectorAll('img, b').length"), 0);
    let shown = name.replace('\u{202e}', "\\u{202e}");
    for place in ["h1", "#ranks", "#sites", "#regions", "#run"] {
        let text = browser.text(&format!("document.querySelector('{place}').textContent"));
        assert!(text.contains(&shown), "{place}: {text}");
    }
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_thousand_ranks_share_bars_and_places() {
    let file = page_of_a_thousand();
    assert!(fs::metadata(file).unwrap().len() < 5 << 20);
    let mut browser = Browser::start();
    browser.open(file);
    browser.wait_for("performance.getEntriesByType('paint').length > 0");
    let paint = browser.ask("performance.getEntriesByType('paint')[0].startTime").as_f64().unwrap();
    println!("1,024 ranks: first paint after {paint:.0} ms");
    let bars = browser.ask("document.querySelectorAll('#ranks .part-computation_s').length").as_u64().unwrap();
    assert!((100..400).contains(&bars), "{bars}");
    let places =
        browser.ask("new Set([...document.querySelectorAll('#matrix .heat')].map(one => one.getAttribute('x'))).size");
    assert_eq!(places, 128);
    assert_eq!(browser.complaints, [""; 0]);
    // From 8 ranks a place down to single ones.
    let zoom = "[...document.querySelectorAll('#matrix .zoom button')]";
    for most in [64, 16, 8, 8] {
        browser.ask(&format!("{zoom}[0].click()"));
        let sides = "['data-from', 'data-to'].map(side => new Set([...document.querySelectorAll('#matrix .heat')].map(one => one.getAttribute(side))).size)";
        let sides: Vec<u64> = serde_json::from_value(browser.ask(sides)).unwrap();
        assert!(sides.iter().all(|side| (1..=most * 8).contains(side)), "{most}: {sides:?}");
    }
    let names = browser.ask("[...document.querySelectorAll('#matrix .heat title')].map(one => one.textContent)");
    let names: Vec<String> = serde_json::from_value(names).unwrap();
    let traffic = browser.ask("JSON.parse(document.getElementById('tables').textContent).matrix.find(one => one.name === 'heat').rows.map(row => `${row[0]} to ${row[1]}`)");
    let traffic: BTreeSet<String> = serde_json::from_value(traffic).unwrap();
    assert!(
        !names.is_empty() && names.iter().all(|name| traffic.contains(name.split(':').next().unwrap())),
        "{names:?}"
    );
    browser.ask(&format!("for (let times = 0; times < 5; times++) {zoom}[1].click()"));
    let places =
        browser.ask("new Set([...document.querySelectorAll('#matrix .heat')].map(one => one.getAttribute('x'))).size");
    assert_eq!(places, 128);
}
