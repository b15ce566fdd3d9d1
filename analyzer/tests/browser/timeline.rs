//! The timeline of a page opened from disk agrees with the trace.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use model::levels::RankCalls;
use model::matching::{Follow, settled};
use model::rank::{function_of, is_nested};
use model::{Choice, Run};
use serde_json::Value;
use synthetic::{Shape, Topology};

use crate::browser::Browser;
use crate::common::{Folder, overhear};

/// Helpers for steps: keys and waiting.
const TOOLS: &str = "
const canvas = document.querySelector('.timeline-canvas');
const box = document.getElementById('timeline');
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const press = async (key, on = canvas) => {
  on.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  await pause(60);
};
const shown = async (is) => {
  for (let tries = 0; tries < 200 && !is(); tries++) await pause(50);
};
const facts = () => [...document.querySelectorAll('.timeline-side dt')].map((term) => [term.textContent, term.nextSibling.textContent]);
const colors = () => {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const all = new Set();
  for (let at = 0; at < pixels.length; at += 4) all.add(pixels[at] * 65536 + pixels[at + 1] * 256 + pixels[at + 2]);
  return all.size;
};
const call = () => {
  const { row, start } = timeline.view.selected;
  for (const chunk of timeline.scene.chunks ?? []) {
    const calls = chunk.rows[row];
    const at = calls.start.indexOf(start);
    if (at >= 0) return { row, start, end: calls.end[at], fn: timeline.store.data.functions[chunk.kinds[calls.kind[at]].fn].name };
  }
  return null;
};
";

/// Opens a page from disk at a fragment, runs some steps there, and returns their result.
fn browse(page: &Path, fragment: &str, scheme: &str, steps: &str) -> Value {
    let mut browser = Browser::start();
    browser.look(1280, scheme);
    browser.open_at(page, fragment);
    let result = browser.ask(&format!("(async () => {{ {TOOLS} await pause(300); {steps} }})()"));
    assert_eq!(browser.complaints, [""; 0]);
    result
}

/// Function and end of each call that began on a rank at a time, by the trace.
fn in_trace(run: &Run, rank: usize, start: i64) -> Vec<(String, i64)> {
    let timeline = settled(run, Follow::empty()).common_clock;
    let contents = run.ranks[rank].contents();
    let mut calls = RankCalls::new(&run.ranks[rank], &contents, &timeline.lines[rank]);
    let calls = calls.until(i64::MAX).0.into_iter().filter(|call| call.start == start);
    calls.map(|call| (function_of(call.signature.call), call.end)).collect()
}

fn run_of(folder: &Path) -> Run {
    Run::select(folder, &Choice { no_cache: true, ..Choice::default() }).unwrap()
}

#[test]
fn keys_lead_from_the_whole_run_to_the_call_that_the_trace_has_there() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/integer_sort-openmpi");
    let folder = Folder::new();
    let page = folder.0.join("sort.html");
    let output = overhear("timeline", &sample, &["--no-cache", "--html", page.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(fs::metadata(&page).unwrap().len() < 5 << 20);
    let steps = "
        const whole = colors();
        const sums = await timeline.sums(timeline.view.from, timeline.view.to, [0, 1, 2, 3]);
        const all = {};
        for (const { fn, ns } of sums.rows.flatMap(({ calls }) => calls)) {
          const { name } = timeline.store.data.functions[fn];
          all[name] = (all[name] ?? 0) + ns;
        }
        for (let times = 0; times < 8; times++) await press('w');
        await press('.'); await press('.');
        await shown(() => facts()[0]?.[1] === call()?.fn);
        const near = { call: call(), facts: facts(), mode: box.dataset.calls };
        await press('f'); await press('m'); await press('ArrowDown');
        const below = call();
        await press(']');
        await shown(() => call()?.start === timeline.store.data.waits[0].call);
        // The address follows when the view has rested.
        await pause(300);
        const wait = { call: call(), longest: timeline.store.data.waits[0] };
        return { whole, all, near, below, wait, hash: location.hash, view: [timeline.view.from, timeline.view.to], facts: facts() };";
    let seen = browse(&page, "", "light", steps);
    assert!(seen["whole"].as_u64().unwrap() > 5, "an empty picture: {seen}");
    let run = run_of(&sample);
    for one in [&seen["near"]["call"], &seen["below"], &seen["wait"]["call"]] {
        let (row, start) = (one["row"].as_u64().unwrap() as usize, one["start"].as_i64().unwrap());
        let shown = (one["fn"].as_str().unwrap().to_string(), one["end"].as_i64().unwrap());
        assert!(in_trace(&run, row, start).contains(&shown), "{one}: {:?}", in_trace(&run, row, start));
    }
    assert_eq!(seen["below"]["row"], 1, "the arrow goes to the next rank: {seen}");
    assert_eq!(seen["near"]["facts"][0][1], seen["near"]["call"]["fn"]);
    assert_eq!(seen["wait"]["call"]["start"], seen["wait"]["longest"]["call"], "the longest wait: {seen}");
    let mut said: BTreeMap<String, f64> = BTreeMap::new();
    for (rank, entry) in run.ranks.iter().flat_map(|rank| rank.entries().map(move |entry| (rank, entry))) {
        if !is_nested(entry) && entry.total > 0 {
            *said.entry(function_of(entry.signature.call)).or_default() += rank.clock.seconds(entry.total) * 1e9;
        }
    }
    let shown = seen["all"].as_object().unwrap();
    assert_eq!(shown.len(), said.len(), "{shown:?}");
    for (name, ns) in shown {
        let ns = ns.as_f64().unwrap();
        assert!((ns - said[name]).abs() < 1e4 + said[name] * 1e-5, "{name}: {ns} for {}", said[name]);
    }
    // A colleague opens the same address.
    let steps =
        "return { view: [timeline.view.from, timeline.view.to], facts: facts(), marks: timeline.view.marks.length };";
    let again = browse(&page, seen["hash"].as_str().unwrap(), "dark", steps);
    assert_eq!((&again["facts"], &again["marks"]), (&seen["facts"], &Value::from(1)));
    for at in 0..2 {
        let [was, is] = [&seen, &again].map(|seen| seen["view"][at].as_f64().unwrap());
        assert!((was - is).abs() <= 2.0, "{was} {is}");
    }
}

#[test]
fn single_calls_of_a_long_run_come_from_parts_beside_the_page() {
    let folder = Folder::new();
    let run = folder.0.join("run");
    fs::create_dir(&run).unwrap();
    synthetic::run(&run, &Shape { ranks: 8, calls: 40_000, topology: Topology::Ring, seed: 1 }).unwrap();
    let page = folder.0.join("long run.html");
    let output = overhear("timeline", &run, &["--no-cache", "--html", page.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(fs::metadata(&page).unwrap().len() < 5 << 20);
    let parts = fs::read_dir(folder.0.join("long run-parts")).unwrap().count();
    assert!(parts > 2, "{parts} parts");
    let steps = "
        const chunks = () => [...timeline.store.parts.keys()].filter((name) => name.startsWith('calls-')).length;
        const whole = { mode: box.dataset.calls, loaded: chunks(), background: timeline.scene.colors.ground };
        for (let times = 0; times < 24 && (timeline.view.to - timeline.view.from) * 400 > timeline.view.bounds[1]; times++) await press('w');
        await pause(500);
        await press('.');
        const near = { mode: box.dataset.calls, loaded: chunks(), call: call(), messages: timeline.scene.chunks?.[0].messages.length };
        const find = document.querySelector('.timeline-find');
        find.value = 'bcast';
        find.dispatchEvent(new Event('input'));
        await press('Enter', find);
        await pause(500);
        return { whole, near, found: call(), counted: timeline.store.data.chunks.reduce((sum, chunk) => sum + chunk.calls, 0) };";
    let seen = browse(&page, "", "dark", steps);
    assert_eq!((&seen["whole"]["mode"], &seen["whole"]["loaded"]), (&Value::from("bins"), &Value::from(0)));
    assert_eq!(seen["whole"]["background"], "#14181d", "the dark scheme");
    assert_eq!(seen["near"]["mode"], "calls", "{seen}");
    assert!(
        seen["near"]["loaded"].as_u64().unwrap() < parts as u64 && seen["near"]["messages"].as_u64().unwrap() > 0,
        "{seen}"
    );
    let run = run_of(&run);
    for one in [&seen["near"]["call"], &seen["found"]] {
        let (row, start) = (one["row"].as_u64().unwrap() as usize, one["start"].as_i64().unwrap());
        let shown = (one["fn"].as_str().unwrap().to_string(), one["end"].as_i64().unwrap());
        assert!(in_trace(&run, row, start).contains(&shown), "{one}");
    }
    assert_eq!(seen["found"]["fn"], "MPI_Bcast");
    let calls = |entry: &&model::tally::CallTotal| !is_nested(entry);
    let said: u64 = run.ranks.iter().flat_map(|rank| rank.entries().filter(calls)).map(|entry| entry.count).sum();
    assert_eq!(seen["counted"], said, "every call is in one part");
}
