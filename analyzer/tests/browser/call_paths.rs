//! The picture of call paths: it has the figures of `overhear paths`, is zoomed, searched and read by keys, and follows the timeline.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use examples::rota;
use serde_json::{Value, json};
use synthetic::{Shape, Topology, names};

use crate::browser::Browser;
use crate::common::{Folder, overhear};
use crate::{check_looks, page, sample};

fn recorded(seed: u64) -> Folder {
    let folder = Folder::new();
    synthetic::run_with_paths(&folder.0, &Shape { ranks: 5, calls: 400, topology: Topology::Ring, seed }).unwrap();
    folder.write("sites.json", names().as_bytes());
    folder
}

/// A run with paths, and its page.
fn run() -> &'static (Folder, PathBuf) {
    static RUN: OnceLock<(Folder, PathBuf)> = OnceLock::new();
    RUN.get_or_init(|| {
        let folder = recorded(3);
        let file = page(&folder.0, "call paths");
        (folder, file)
    })
}

/// Calls, bytes, the rank with the most time, time and waits in nanoseconds, by the functions and places that lead there.
type Figures = BTreeMap<String, (Option<u64>, Option<u64>, Option<u64>, i64, i64)>;

const KEYS: [&str; 9] =
    ["path", "caller_path", "function", "site", "calls", "bytes", "time_max_rank", "time_total_s", "wait_s"];

/// Rows whose callers stand before them.
fn figures<'a>(rows: impl Iterator<Item = [&'a Value; KEYS.len()]>) -> Figures {
    let nanoseconds = |value: &Value| (value.as_f64().unwrap() * 1e9).round() as i64;
    let (mut names, mut figures) = (BTreeMap::<u64, String>::new(), Figures::new());
    for [path, caller, function, site, calls, bytes, rank, time, waited] in rows {
        let outer = caller.as_u64().map_or("", |caller| &*names[&caller]);
        let name = format!("{outer} {site} {function}");
        let row = (calls.as_u64(), bytes.as_u64(), rank.as_u64(), nanoseconds(time), nanoseconds(waited));
        assert_eq!(figures.insert(name.clone(), row), None, "{name}");
        names.insert(path.as_u64().unwrap(), name);
    }
    figures
}

/// Figures that the command prints.
fn printed(folder: &Path, part: &[&str]) -> Figures {
    let words = [&["--least", "0", "--format", "json"], part].concat();
    let report: Value = serde_json::from_slice(&overhear("paths", folder, &words).stdout).unwrap();
    figures(report["paths"].as_array().unwrap().iter().map(|row| KEYS.map(|key| &row[key])))
}

/// Rows of the page's table.
fn drawn(columns: &Value, rows: &Value) -> Figures {
    let columns = columns.as_array().unwrap();
    let at = KEYS.map(|key| columns.iter().position(|column| column["key"] == key).unwrap());
    figures(rows.as_array().unwrap().iter().map(|row| at.map(|at| &row[at])))
}

/// The table of the page, and for shares of the run its rows of ranks 1 to 3, and what is typed for these.
const FRAMES: &str = "(async (shares) => {
  const [{ Store }, { sums }, { rowsOfPart }, { choiceOf }] = await Promise.all(['#timeline-store', '#timeline-sums', '#part', '#follow'].map((name) => import(name)));
  const [tables, data] = ['tables', 'timeline-data'].map((id) => JSON.parse(document.getElementById(id).textContent));
  const [table] = tables.paths;
  const rows = data.ranks.map((_, row) => row).slice(1, 4);
  const parts = await Promise.all(shares.map(async (of) => {
    const [from, to] = of.map((share) => Math.round(data.from + share * (data.to - data.from)));
    const part = await sums(new Store(data, () => {}), from, to, rows, () => false);
    return { rows: rowsOfPart(table, data, part), typed: choiceOf(data, { from, to, rows }).trim() };
  }));
  return { columns: table.columns, rows: table.rows, parts };
})([[0, 1], [0.3, 0.8]])";

#[test]
fn the_picture_has_the_figures_of_the_command_for_the_run_and_for_a_part() {
    let (folder, file) = run();
    let mut browser = Browser::start();
    browser.open(file);
    let frames = browser.ask(FRAMES);
    let whole = drawn(&frames["columns"], &frames["rows"]);
    assert!(whole.len() > 20);
    assert_eq!(whole, printed(&folder.0, &[]));
    let [ranks, time] = [0, 1].map(|at| {
        let part = &frames["parts"][at];
        let typed: Vec<&str> = part["typed"].as_str().unwrap().split(' ').collect();
        (drawn(&frames["columns"], &part["rows"]), printed(&folder.0, &typed))
    });
    assert_eq!(ranks.0.len(), ranks.1.len());
    for (path, row) in &ranks.1 {
        let drawn = &ranks.0[path];
        assert_eq!((drawn.0, drawn.1, drawn.2), (row.0, row.1, row.2), "{path}");
        // The run's clock and a rank's differ slightly.
        for (drawn, printed) in [(drawn.3, row.3), (drawn.4, row.4)] {
            assert!((drawn - printed).abs() <= 100 + printed / 100, "{path}: {drawn} ns for {printed}");
        }
    }
    // The page has the rest of a call that began before the part, too.
    let begun = |of: &Figures| -> BTreeMap<String, (Option<u64>, Option<u64>)> {
        let rows = of.iter().filter(|(_, row)| row.0 > Some(0));
        rows.map(|(path, row)| (path.clone(), (row.0, row.1))).collect()
    };
    assert!(begun(&time.1).len() > 20);
    assert_eq!(begun(&time.0), begun(&time.1));
    assert_eq!(browser.complaints, [""; 0]);
}

/// Computation of each function of the page in milliseconds, of all ranks and of rank 1 in two thirds of the run, with what is typed
/// for that; and what the timeline says of a moment between calls.
const COMPUTING: &str = "(async () => {
  const [{ Store }, { sums }, { rowsOfPart }, { choiceOf }] = await Promise.all(['#timeline-store', '#timeline-sums', '#part', '#follow'].map((name) => import(name)));
  const [tables, data] = ['tables', 'timeline-data'].map((id) => JSON.parse(document.getElementById(id).textContent));
  const [table] = tables.paths;
  const at = ['path', 'function', 'compute_s'].map((key) => table.columns.findIndex((column) => column.key === key));
  const computing = (rows) => rows.map((row) => at.map((at) => row[at])).filter(([, , time]) => time > 0).sort(([a], [b]) => a - b).map(([, name, time]) => [name, Math.round(1e3 * time)]);
  const [from, to] = [0, 2 / 3].map((share) => Math.round(data.from + share * (data.to - data.from)));
  const store = new Store(data, () => {});
  const part = await sums(store, from, to, [1], () => false);
  const last = store.ofRows[1].at(-1);
  return {
    whole: computing(table.rows), part: computing(rowsOfPart(table, data, part)), typed: choiceOf(data, { from, to, rows: [1] }).trim(),
    between: store.computes(1, last.at - last.computed / 2), behind: store.computes(1, last.at + 1),
  };
})()";

#[test]
fn the_picture_of_a_sampled_run_has_the_computation_of_each_function_for_the_run_and_for_a_part() {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/solver");
    let mut browser = Browser::start();
    browser.open(&page(&run, "sampled"));
    let page = browser.ask(COMPUTING);
    let printed = |part: &[&str]| -> Value {
        let words = [&["--least", "0", "--format", "json"], part].concat();
        let report: Value = serde_json::from_slice(&overhear("paths", &run, &words).stdout).unwrap();
        let mut rows: Vec<&Value> = report["paths"].as_array().unwrap().iter().collect();
        rows.retain(|row| row["compute_s"].as_f64() > Some(0.0));
        rows.sort_by_key(|row| row["path"].as_u64());
        let row = |row: &&Value| json!([row["function"], (1e3 * row["compute_s"].as_f64().unwrap()).round() as i64]);
        rows.iter().map(row).collect()
    };
    assert_eq!(page["whole"], printed(&[]));
    let typed: Vec<&str> = page["typed"].as_str().unwrap().split(' ').collect();
    assert_eq!(page["part"], printed(&typed));
    assert!(page["part"].as_array().unwrap().len() > 2 && page["part"] != page["whole"]);
    assert_eq!((&page["between"], &page["behind"]), (&json!("compute, called by solve"), &json!("")));
    assert_eq!(browser.complaints, [""; 0]);
}

/// Presses a key where the focus is.
fn press(browser: &mut Browser, key: &str) {
    browser.ask(&format!(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
    ));
}

const FOCUSED: &str = "document.activeElement.textContent";
/// Functions that are as wide as the picture, the outermost first.
const WIDE: &str = "[...document.querySelectorAll('#paths .box')].filter((box) => box.style.width === '100%').map((box) => box.textContent)";

#[test]
fn boxes_are_zoomed_by_click_and_key_searched_and_tell_their_figures() {
    let (_, file) = run();
    let mut browser = Browser::start();
    browser.open(file);
    let first = |name: &str| {
        format!("[...document.querySelectorAll('#paths .box')].find((box) => box.textContent === '{name}')")
    };
    assert_eq!(browser.ask(WIDE), json!(["main"]));
    let wide: f64 = serde_json::from_value(browser.ask("[...document.querySelectorAll('#paths .box[aria-level=\"2\"], #paths .others')].filter((box) => box.style.top === '26px').reduce((sum, box) => sum + parseFloat(box.style.width), 0)")).unwrap();
    assert!((wide - 100.0).abs() < 1.0, "what main calls is {wide} % of it");
    let function = browser.text("document.querySelector('#paths .box[aria-level=\"2\"]').textContent");

    browser.ask(&format!("{}.dispatchEvent(new PointerEvent('pointerenter'))", first(&function)));
    let figures = browser.text("document.querySelector('#paths .figures').textContent");
    for word in [&function, "called at", "main.c:", "in MPI", "waiting", "calls", "bytes", "rank"] {
        assert!(figures.contains(word), "{word}: {figures}");
    }
    browser.ask(&format!("{}.click()", first(&function)));
    assert!(browser.ask(WIDE).as_array().unwrap().starts_with(&[json!("main"), json!(function)]));
    browser.ask(&format!("{}.click()", first("main")));
    assert_eq!(browser.ask(WIDE), json!(["main"]));

    browser.ask(&format!("{}.focus()", first("main")));
    press(&mut browser, "ArrowDown");
    assert_eq!(browser.text(FOCUSED), function);
    press(&mut browser, "ArrowRight");
    let other = browser.text(FOCUSED);
    assert_ne!(other, function);
    press(&mut browser, "Enter");
    browser.wait_for(&format!("{FOCUSED} === '{other}'"));
    assert!(browser.ask(WIDE).as_array().unwrap().starts_with(&[json!("main"), json!(other)]));
    press(&mut browser, "Escape");
    press(&mut browser, "Escape");
    assert_eq!(browser.ask(WIDE), json!(["main"]));

    let search = |text: &str| {
        format!(
            "(box => {{ box.value = '{text}'; box.dispatchEvent(new Event('input')); return document.querySelector('#paths [role=status]').textContent; }})(document.querySelector('#paths input'))"
        )
    };
    // Calls from main are inside main, and count once.
    assert!(browser.text(&search("m")).ends_with(" found: 100 % of the time in MPI"));
    let said = browser.text(&search(&function));
    let share = browser.ask("(table => table.rows.find((row) => row[2] === document.querySelector('#paths .found').textContent)[5])(JSON.parse(document.getElementById('tables').textContent).paths[0])");
    let said: f64 = said.split(": ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((said - share.as_f64().unwrap()).abs() < 0.1, "{said} for {share}");
    assert_eq!(browser.text(&search("no such name")), "no such function");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn everybody_can_use_the_picture_at_any_width_and_runs_without_paths_have_none() {
    let mut browser = Browser::start();
    browser.open(&run().1);
    let looks = [(420, "dark"), (1440, "light")];
    let checked = check_looks(&mut browser, "paths", &looks, &rota::one_case(looks.into()));
    assert!(checked > 0);
    browser.open(sample());
    assert_eq!(browser.ask("document.getElementById('paths') === null"), true);
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn boxes_of_two_runs_have_the_time_of_both_and_the_color_of_the_difference() {
    let (a, b) = (&run().0, recorded(4));
    let file = b.0.join("two.html");
    let words = [b.0.to_str().unwrap(), "--html", file.to_str().unwrap()];
    assert_eq!(overhear("diff", &a.0, &words).status.code(), Some(0));
    let mut browser = Browser::start();
    browser.open(&file);
    let main =
        |side: &Folder| printed(&side.0, &[]).into_iter().find(|(path, _)| path.ends_with("\"main\"")).unwrap().1.3;
    let [of_a, of_b] = [main(a), main(&b)];
    let row = browser.ask("(({ columns, rows }) => Object.fromEntries(columns.map(({ key }, at) => [key, rows[0][at]])))(JSON.parse(document.getElementById('tables').textContent).path_pairs[0])");
    let nanoseconds = |key: &str| (row[key].as_f64().unwrap() * 1e9).round() as i64;
    assert_eq!(row["function"], "main");
    let said = ["a_s", "b_s", "difference_s", "time_total_s"].map(nanoseconds);
    assert_eq!(said, [of_a, of_b, of_b - of_a, of_a + of_b]);
    let color = if of_b > of_a { "is-more" } else { "is-less" };
    let main = "document.querySelector('#path_pairs .box').classList.contains";
    assert_eq!(browser.ask(&format!("{main}('{color}')")), true);
    let looks = [(800, "light"), (800, "dark")];
    let checked = check_looks(&mut browser, "two runs", &looks, &rota::one_case(looks.into()));
    assert!(checked > 0);
    assert_eq!(browser.complaints, [""; 0]);
}
