//! Tables follow the timeline: for an interval and some ranks they agree with the trace.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use model::levels::{self, PlacedCall, RankCalls};
use model::matching::{Follow, settled};
use model::rank::function_of;
use model::site_naming::SiteNaming;
use model::{Choice, Run};
use serde_json::Value;
use synthetic::{Shape, Topology};
use traces::signature::{CREATES, UNKNOWN_BYTES};

use crate::browser::Browser;
use crate::common::recorded::recorded;
use crate::common::{Folder, report};
use crate::{page, sample, sorted};

/// Tables of a section, with all rows: headings, cells, and the part they claim to cover.
const TABLES: &str = "(section => [...document.querySelectorAll(`#${section} .table`)].map((table) => {
  const more = table.querySelector('.more');
  if (!more.hidden && more.ariaExpanded !== 'true') more.click();
  const texts = (row) => [...row.children].map((cell) => cell.textContent);
  return {
    heads: texts(table.querySelector('thead tr')),
    rows: [...table.querySelectorAll('tbody tr')].map(texts),
    part: table.querySelector('.part').textContent,
  };
}))";

/// Sums over an interval, by the first columns of each table: count, and seconds or bytes.
#[derive(Default)]
struct Truth {
    functions: BTreeMap<String, (u64, f64)>,
    bytes: BTreeMap<String, f64>,
    sites: BTreeMap<String, (u64, f64)>,
    sizes: BTreeMap<String, (u64, f64)>,
    ranks: BTreeMap<String, (u64, f64)>,
    waits: BTreeMap<String, (u64, f64)>,
    pairs: BTreeMap<String, (u64, f64)>,
    /// For each rank, seconds between MPI_Init and MPI_Finalize, and those of them outside MPI.
    useful: Vec<(f64, f64)>,
}

fn add(map: &mut BTreeMap<String, (u64, f64)>, key: String, count: u64, amount: f64) {
    let sum = map.entry(key).or_default();
    *sum = (sum.0 + count, sum.1 + amount);
}

/// Seconds that two intervals share.
fn shared(begin: i64, end: i64, (from, to): (i64, i64)) -> f64 {
    (end.min(to) - begin.max(from)).max(0) as f64 / 1e9
}

fn seconds_inside(call: &PlacedCall<'_>, time: (i64, i64)) -> f64 {
    let all = (call.end - call.start) as f64 / 1e9;
    if all > 0.0 { shared(call.start, call.end, time) / all * call.inside as f64 / 1e9 } else { 0.0 }
}

/// Bytes of a call, as in the data set's table `calls`.
fn bytes(call: &PlacedCall<'_>) -> f64 {
    let signature = call.signature;
    let (sent, posted) = if signature.flags & CREATES != 0 { (0, 0) } else { signature.moves() };
    let came = call.arrived.map(|(_, bytes)| bytes).filter(|bytes| posted > 0 && *bytes != UNKNOWN_BYTES);
    if call.failed || call.open { 0.0 } else { (sent + came.unwrap_or(posted)) as f64 * call.count as f64 }
}

/// Call sites are named as on the page.
fn choice() -> Choice {
    let naming = SiteNaming { is_short: true, ..SiteNaming::default() };
    Choice { no_cache: true, naming, ..Choice::default() }
}

impl Truth {
    /// Sums of some ranks in an interval.
    fn of(run: &Run, ranks: std::ops::Range<usize>, time: (i64, i64)) -> Truth {
        let settled = settled(run, Follow::SPANS | Follow::DELIVERIES);
        let lives = levels::lives(run, &settled.common_clock);
        let begins = |at: i64| time.0 <= at && at < time.1;
        let mut truth = Truth::default();
        for at in ranks.clone() {
            let rank = &run.ranks[at];
            let contents = rank.contents();
            let mut calls = RankCalls::new(rank, &contents, &settled.common_clock.lines[at]);
            let ran: f64 = lives[at].spans.iter().map(|(begin, end)| shared(*begin, *end, time)).sum();
            let mut useful = (ran, ran);
            for call in calls.until(i64::MAX).0 {
                if call.end < time.0 || call.start > time.1 {
                    continue;
                }
                let (count, inside) = (if begins(call.start) { call.count } else { 0 }, seconds_inside(&call, time));
                if count == 0 && inside == 0.0 {
                    continue;
                }
                let function = function_of(call.signature.call);
                useful.0 -= if ["MPI_Init", "MPI_Finalize"].contains(&&*function) { inside } else { 0.0 };
                // Efficiency is of the first thread.
                useful.1 -= if call.thread == 0 { inside } else { 0.0 };
                let known = |bytes: u64| if bytes == UNKNOWN_BYTES { 0 } else { bytes };
                let size = known(call.signature.sent).max(known(call.signature.received));
                if size > 0 {
                    add(&mut truth.sizes, format!("{} {function}", 1u64 << size.ilog2()), count, inside);
                }
                let site = run.sites.name(rank, call.signature.site);
                add(&mut truth.sites, format!("{site} {function}"), count, inside);
                add(&mut truth.ranks, at.to_string(), count, inside);
                *truth.bytes.entry(function.clone()).or_default() += if count > 0 { bytes(&call) } else { 0.0 };
                add(&mut truth.functions, function, count, inside);
            }
            truth.useful.push(useful);
            for wait in &settled.account.spans[at] {
                let waited = shared(wait.from, wait.until, time);
                if waited > 0.0 || begins(wait.from) {
                    add(&mut truth.waits, wait.key.state.name().into(), u64::from(begins(wait.from)), waited);
                }
            }
        }
        for message in settled.account.deliveries.iter().filter(|message| begins(message.begin)) {
            let (from, to) = (message.from.rank, message.to.rank);
            if [from, to].iter().any(|rank| ranks.contains(&(*rank as usize))) {
                add(&mut truth.pairs, format!("{from} {to}"), 1, message.bytes as f64);
            }
        }
        truth
    }
}

/// A printed figure in seconds or bytes, and its rounding error.
fn figure(text: &str, head: &str) -> (f64, f64) {
    let text = text.replace(',', "");
    let (number, unit) = text.split_once(' ').unwrap_or((&text, head.rsplit(' ').next().unwrap()));
    let scale = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "µs" => 1e-6,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => 1.0,
    };
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
    let step = 10f64.powi(-decimals) * scale;
    // Times of single calls are whole nanoseconds.
    if let Some(bound) = number.strip_prefix('<') {
        return (0.0, bound.parse::<f64>().unwrap() * scale);
    }
    let value: f64 = number.parse().unwrap_or_else(|_| panic!("{text} in {head}"));
    (value * scale, step * 0.51 + value * scale * 1e-6)
}

/// Compares a table with the truth, by its key columns, count and amount.
fn compare(table: &Value, keys: &[&str], count: &str, amount: &str, truth: &BTreeMap<String, (u64, f64)>) {
    let heads: Vec<&str> = table["heads"].as_array().unwrap().iter().map(|head| head.as_str().unwrap()).collect();
    let at = |name: &str| {
        heads
            .iter()
            .position(|head| head.trim_end_matches([' ', '▲', '▼']).starts_with(name))
            .unwrap_or_else(|| panic!("no {name} in {heads:?}"))
    };
    let rows = table["rows"].as_array().unwrap();
    if truth.is_empty() {
        assert_eq!(rows[0][0], "Nothing of this kind is in this part of the run.");
        return;
    }
    assert_eq!(rows.len(), truth.len(), "{rows:#?} {truth:#?}");
    for row in rows {
        let cell = |name: &str| row[at(name)].as_str().unwrap();
        let key: Vec<String> = keys
            .iter()
            .map(|name| match *name {
                "from size" => format!("{}", figure(cell("from"), "").0),
                name => cell(name).to_string(),
            })
            .collect();
        let key = key.join(" ");
        let (counted, much) = truth.get(&key).unwrap_or_else(|| panic!("{key} of {truth:#?}"));
        assert_eq!(cell(count).replace(',', ""), counted.to_string(), "{key}");
        let (shown, error) = figure(cell(amount), heads[at(amount)]);
        assert!(
            (shown - much).abs() <= error + 2e-9 * *counted as f64 + 2e-9,
            "{key}: {shown} for {much}, within {error}"
        );
    }
}

/// Compares the factors of efficiency that need no replay with the truth.
fn compare_efficiency(efficiency: &Value, truth: &Truth) {
    let time = truth.useful.iter().map(|(time, _)| *time).fold(0.0, f64::max);
    let longest = truth.useful.iter().map(|(_, useful)| *useful).fold(0.0, f64::max);
    let mean = truth.useful.iter().map(|(_, useful)| useful).sum::<f64>() / truth.useful.len() as f64;
    for (row, factor) in [mean / time, mean / longest, longest / time].into_iter().enumerate() {
        let shown: f64 = efficiency["rows"][row][1].as_str().unwrap().parse().unwrap();
        assert!((shown - 100.0 * factor).abs() <= 0.051, "{factor}: {efficiency:#}");
    }
    assert!(efficiency["part"].as_str().unwrap().ends_with("ideal network would do is known of the whole run alone"));
}

/// Opens a page at a share of its run and some rows, and compares its tables with the trace.
fn follow(file: &Path, folder: &Path, shares: (f64, f64), rows: std::ops::Range<usize>) {
    let run = Run::select(folder, &choice()).unwrap();
    let common_clock = settled(&run, Follow::empty()).common_clock;
    let lives = levels::lives(&run, &common_clock);
    let begin = lives.iter().map(|life| life.begin).min().unwrap();
    let end = lives.iter().map(|life| life.end).max().unwrap();
    let at = |share: f64| begin + ((end - begin) as f64 * share) as i64;
    let time = (at(shares.0), at(shares.1));
    let truth = Truth::of(&run, rows.clone(), time);
    assert!(truth.functions.len() > 2 && !truth.waits.is_empty());

    let mut browser = Browser::start();
    let fragment = format!("#timeline={}-{}_{}-{}", time.0, time.1, rows.start, rows.len());
    browser.open_at(file, &fragment);
    browser.wait_for("document.documentElement.dataset.part?.length > 0");
    let mut tables = |section: &str| browser.ask(&format!("{TABLES}('{section}')"));
    let functions = tables("functions");
    compare(&functions[0], &["function"], "calls", "total", &truth.functions);
    let with_bytes = truth.functions.iter().map(|(name, (calls, _))| (name.clone(), (*calls, truth.bytes[name])));
    compare(&functions[0], &["function"], "calls", "bytes", &with_bytes.collect());
    compare(&tables("sites")[0], &["call site", "function"], "calls", "total", &truth.sites);
    compare(&tables("sizes")[0], &["from size", "function"], "calls", "total", &truth.sizes);
    compare(&tables("ranks")[1], &["rank"], "calls", "in MPI", &truth.ranks);
    compare(&tables("waits")[0], &["wait state"], "waits", "time", &truth.waits);
    compare(&tables("matrix")[0], &["from", "to"], "messages", "bytes", &truth.pairs);
    let waited: f64 = truth.waits.values().map(|(_, time)| time).sum();
    let places = tables("waits")[1].clone();
    let time_at =
        places["heads"].as_array().unwrap().iter().position(|head| head.as_str().unwrap().starts_with("time")).unwrap();
    let head = places["heads"][time_at].as_str().unwrap();
    let of_places = places["rows"].as_array().unwrap().iter().map(|row| figure(row[time_at].as_str().unwrap(), head));
    let (shown, error) = of_places.fold((0.0, 0.0), |sum, figure| (sum.0 + figure.0, sum.1 + figure.1));
    assert!((shown - waited).abs() <= error + 1e-7, "{shown} for {waited}");
    compare_efficiency(&tables("pop")[0], &truth);
    // Tables that do not follow say so.
    assert_eq!(tables("path")[0]["part"], "of the whole run");
    assert!(functions[0]["part"].as_str().unwrap().ends_with(&format!("{} of {} ranks", rows.len(), run.ranks.len())));
    let typed = browser.text("document.querySelector('#functions .command code').textContent");
    let of_run = format!("overhear report {} ", folder.display());
    let words = typed.strip_prefix(&of_run).unwrap_or_else(|| panic!("{typed} does not begin with {of_run}"));
    let words: Vec<&str> = words.split(' ').collect();
    let said: Value =
        serde_json::from_slice(&report(folder, &[&words[..], &["--format", "json"]].concat()).stdout).unwrap();
    let calls = said["functions"].as_array().unwrap().iter();
    let calls: BTreeMap<&str, u64> =
        calls.map(|row| (row["function"].as_str().unwrap(), row["calls"].as_u64().unwrap())).collect();
    let begun = truth.functions.iter().filter(|(_, (calls, _))| *calls > 0);
    assert_eq!(calls, begun.map(|(function, (calls, _))| (function.as_str(), *calls)).collect(), "{typed}");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn tables_of_a_part_of_a_short_run_have_the_figures_of_the_trace() {
    follow(sample(), &sorted(), (0.0, 0.61), 0..4);
    follow(sample(), &sorted(), (0.35, 1.0), 1..3);
}

#[test]
fn efficiency_of_a_part_of_a_run_with_threads_is_that_of_the_first_ones() {
    let threads = &recorded("threads")[0].run;
    let run = Run::select(threads, &choice()).unwrap();
    assert!(run.ranks.iter().all(|rank| rank.threads.len() > 1));
    let file = page(threads, "followed threads");
    let mut browser = Browser::start();
    browser.open(&file);
    let shown = "(({ from, to }) => [from, to])(JSON.parse(document.getElementById('timeline-data').textContent))";
    let [from, to]: [i64; 2] = serde_json::from_value(browser.ask(shown)).unwrap();
    let time = (from + (to - from) / 4, to - (to - from) / 4);
    browser.ask(&format!("location.hash = 'timeline={}-{}_0-{}'", time.0, time.1, run.ranks.len()));
    browser.wait_for("document.documentElement.dataset.part?.length > 0");
    let efficiency = browser.ask(&format!("{TABLES}('pop')"));
    compare_efficiency(&efficiency[0], &Truth::of(&run, 0..run.ranks.len(), time));
    assert_eq!(browser.complaints, [""; 0]);
}

/// A run whose page has parts beside it, and the page.
fn long() -> &'static (PathBuf, PathBuf) {
    static LONG: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    LONG.get_or_init(|| {
        let run = Path::new(env!("CARGO_TARGET_TMPDIR")).join("followed-long-run");
        let _ = fs::remove_dir_all(&run);
        fs::create_dir(&run).unwrap();
        synthetic::run(&run, &Shape { ranks: 8, calls: 85_000, topology: Topology::Ring, seed: 1 }).unwrap();
        let file = page(&run, "followed long");
        (run, file)
    })
}

#[test]
fn tables_wait_for_parts_that_come_late_and_say_which_never_come() {
    let (run, file) = long();
    let mut browser = Browser::start();
    browser.open(file);
    let shown = "(({ from, to }) => [from, to])(JSON.parse(document.getElementById('timeline-data').textContent))";
    let [from, to]: [i64; 2] = serde_json::from_value(browser.ask(shown)).unwrap();
    let of_functions = "document.querySelector('#functions .part').textContent";
    // As from a folder beyond a slow network.
    browser.ask(
        "(append => { document.head.append = script => setTimeout(() => append.call(document.head, script), 7000); })(document.head.append)",
    );
    let time = (from + (to - from) * 2 / 5, from + (to - from) * 41 / 100);
    browser.ask(&format!("location.hash = 'timeline={}-{}_0-8'", time.0, time.1));
    browser.wait_for(&format!("{of_functions} === 'of the whole run: what is in view is still being loaded'"));
    browser.wait_for(&format!("{of_functions}.endsWith('8 of 8 ranks')"));
    let truth = Truth::of(&Run::select(run, &choice()).unwrap(), 0..8, time);
    let functions = browser.ask(&format!("{TABLES}('functions')"));
    compare(&functions[0], &["function"], "calls", "total", &truth.functions);
    assert_eq!(browser.complaints, [""; 0]);

    browser.ask(
        "(append => { document.head.append = script => { script.src += '.gone'; append.call(document.head, script); }; })(Element.prototype.append)",
    );
    browser.ask(&format!(
        "location.hash = 'timeline={}-{}_0-8'",
        from + (to - from) * 4 / 5,
        from + (to - from) * 81 / 100
    ));
    browser.wait_for(&format!(
        "/^of the whole run: followed long-parts.*cannot be read. Keep the folder beside the page.$/.test({of_functions})"
    ));
}

#[test]
fn tables_of_a_part_of_a_long_run_have_the_figures_of_the_trace() {
    let (run, file) = long();
    assert!(fs::metadata(file).unwrap().len() < 5 << 20);
    let names = fs::read_dir(file.with_file_name("followed long-parts")).unwrap();
    let sums =
        names.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("sums-8-")).count();
    assert!(sums > 2, "{sums} files of what eight chunks come to");
    follow(file, run, (0.013, 0.97), 0..8);
    follow(file, run, (0.4, 0.41), 2..5);
}

#[test]
fn messages_between_more_rows_than_lines_are_drawn_for_are_a_square_of_who_sends_how_many_to_whom() {
    let folder = Folder::new();
    let run: PathBuf = folder.0.join("run");
    fs::create_dir(&run).unwrap();
    synthetic::run(&run, &Shape { ranks: 100, calls: 400, topology: Topology::Torus, seed: 2 }).unwrap();
    let file = page(&run, "square");
    let truth = {
        let run = Run::select(&run, &choice()).unwrap();
        Truth::of(&run, 0..run.ranks.len(), (i64::MIN / 4, i64::MAX / 4))
    };
    let all: u64 = truth.pairs.values().map(|(messages, _)| messages).sum();
    let mut browser = Browser::start();
    browser.open(&file);
    browser.wait_for("!document.querySelector('.timeline-pattern').hidden");
    let caption = browser.text("document.querySelector('.timeline-pattern').previousSibling.textContent");
    let digits: String = caption.split(" messages").next().unwrap().chars().filter(char::is_ascii_digit).collect();
    assert_eq!(digits, all.to_string(), "{caption}");
    // Each pair has a point where its row and column meet, two pixels apart.
    for (pair, (messages, _)) in truth.pairs.iter().step_by(37) {
        let (from, to) = pair.split_once(' ').unwrap();
        let said = browser.text(&format!(
            "(square => {{ const {{ left, top }} = square.getBoundingClientRect();
              square.dispatchEvent(new PointerEvent('pointermove', {{ clientX: left + 44 + 2 * {to} + 1, clientY: top + 16 + 2 * {from} + 1 }}));
              return square.title; }})(document.querySelector('.timeline-pattern'))"
        ));
        assert!(
            said.replace(',', "").starts_with(&format!("{from} to {to}: {messages} messages")),
            "{pair}, {messages}: {said}"
        );
    }
    // Lines appear again if there are few rows, and calls are far enough apart.
    browser.ask("location.hash = 'timeline=0-3000000_0-8'");
    browser.wait_for("document.querySelector('.timeline-pattern').hidden");
    assert_eq!(browser.complaints, [""; 0]);
}

/// Rows that each following table computes for the whole run, beside those of the analyzer.
const WHOLE: &str = "(async () => {
  const [{ Store }, { sums }, { rowsOfPart }] = await Promise.all(['#timeline-store', '#timeline-sums', '#part'].map((name) => import(name)));
  const [tables, data] = ['tables', 'timeline-data'].map((id) => JSON.parse(document.getElementById(id).textContent));
  const all = await sums(new Store(data, () => {}), data.from, data.to, data.ranks.map((_, row) => row), () => false);
  return Object.values(tables).flat().filter(({ part }) => part !== null)
    .map((table) => ({ name: table.name, columns: table.columns, whole: table.rows, part: rowsOfPart(table, data, all) }));
})()";

#[test]
fn a_rule_for_a_part_gives_the_columns_own_figures_where_the_part_is_the_whole_run() {
    let mut browser = Browser::start();
    browser.open(sample());
    let tables = browser.ask(WHOLE);
    let mut compared = BTreeMap::<String, usize>::new();
    for table in tables.as_array().unwrap() {
        let columns = table["columns"].as_array().unwrap();
        let is_name = |at: &usize| columns[*at]["part"]["name"].is_object() || columns[*at]["part"]["kept"] == true;
        let key =
            |row: &Value| -> Vec<String> { (0..columns.len()).filter(is_name).map(|at| row[at].to_string()).collect() };
        let whole = table["whole"].as_array().unwrap();
        for row in table["part"].as_array().unwrap() {
            // For the whole run the tables also have the bytes of collective calls, which the timeline lacks.
            let Some(own) = whole.iter().find(|own| key(own) == key(row)) else { continue };
            for (at, column) in columns.iter().enumerate() {
                let has_rule = column["part"]["figure"] != Value::Null || column["part"]["ofRow"] == true;
                let is_heat = table["name"] == "heat";
                let (Some(was), Some(is), true, false) = (own[at].as_f64(), row[at].as_f64(), has_rule, is_heat) else {
                    continue;
                };
                // The run's clock and a rank's differ slightly.
                let near = (was - is).abs() <= 0.01 * was.abs() + 2e-6;
                assert!(near, "{} {}: {is} for {was} in {own}", table["name"], column["key"]);
                *compared.entry(format!("{} {}", table["name"], column["key"])).or_default() += 1;
            }
        }
    }
    assert!(compared.len() >= 30, "{compared:#?}");
    assert_eq!(browser.complaints, [""; 0]);
}
