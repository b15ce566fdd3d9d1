//! Rows of a timeline stand in the order that the reader chooses, and everything beside them follows.

use serde_json::Value;
use synthetic::{Shape, Topology};

use crate::browser::Browser;
use crate::common::{Folder, overhear};
use crate::{page, run_of_a_thousand};

/// Chooses an order, and waits until the address has it.
fn choose(browser: &mut Browser, name: &str) {
    browser.ask(&format!(
        "(select => {{ select.value = '{name}'; select.dispatchEvent(new Event('change')); }})(document.querySelector('.timeline-order select'))"
    ));
    browser.ask("new Promise(resolve => setTimeout(resolve, 400))");
}

/// Of each row, from top to bottom: its rank, and what it waited, computed and spent in MPI. Of each pair of ranks: its messages.
const SEEN: &str = "(async () => {
  const { store, view } = timeline;
  const sums = await timeline.sums(view.from, view.to, store.data.ranks.map((_, at) => at));
  const add = (list, of) => list.reduce((sum, one) => sum + one[of], 0);
  const rank = (row) => store.data.ranks[row].label;
  return {
    rows: sums.rows.map(({ row, there, calls, waits }) => [Number(rank(row)), add(waits, 'waited'), there.ofThreads - add(calls, 'ns'), add(calls, 'ns')]),
    pairs: sums.pairs.map(({ from, to, messages }) => `${rank(from)} to ${rank(to)}: ${messages}`).sort(),
  };
})()";

fn rows(seen: &Value) -> Vec<[f64; 4]> {
    serde_json::from_value(seen["rows"].clone()).unwrap()
}

#[test]
fn of_a_thousand_ranks_the_extremes_are_on_top_and_every_row_keeps_its_calls_and_messages() {
    let folder = Folder::new();
    let page = folder.0.join("page.html");
    let output = overhear("timeline", run_of_a_thousand(), &["--no-cache", "--html", page.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut browser = Browser::start();
    browser.open(&page);
    let by_rank = browser.ask(SEEN);
    assert!(rows(&by_rank).iter().map(|row| row[0]).eq((0..1024).map(f64::from)));
    assert!(by_rank["pairs"].as_array().unwrap().len() > 1024);
    for (name, figure) in [("most waiting first", 1), ("most computing first", 2), ("longest in MPI first", 3)] {
        choose(&mut browser, name);
        let seen = browser.ask(SEEN);
        let (now, mut before) = (rows(&seen), rows(&by_rank));
        // Bins round each time to a tick.
        let falls = now.windows(2).all(|two| two[0][figure] >= two[1][figure] - 2_000.0);
        assert!(falls && now[0][figure] > now[1023][figure], "{name}: {:?}", &now[..8]);
        let mut sorted = now.clone();
        for rows in [&mut sorted, &mut before] {
            rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
        }
        assert_eq!(sorted, before, "{name}: a rank has another's calls");
        assert_eq!(seen["pairs"], by_rank["pairs"], "{name}");
    }
    // The address brings the order back.
    browser.ask("location.reload()");
    browser.wait_for("document.documentElement?.dataset.ready !== undefined");
    browser.wait_for("document.querySelector('.timeline-order select')?.value === 'longest in MPI first'");
    assert_eq!(browser.text("timeline.store.ordered"), "longest in MPI first");
    choose(&mut browser, "");
    assert_eq!(browser.ask(SEEN), by_rank);
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_command_for_the_rows_in_view_names_their_ranks_in_order_whatever_the_rows_stand_in() {
    let folder = Folder::new();
    synthetic::run(&folder.0, &Shape { ranks: 64, calls: 200, topology: Topology::Torus, seed: 3 }).unwrap();
    let mut browser = Browser::start();
    browser.open(&page(&folder.0, "ordered"));
    choose(&mut browser, "most computing first");
    let order = browser.ask("JSON.parse(document.getElementById('timeline-data').textContent).orders.find(one => one.name === 'most computing first').rows");
    let mut first: Vec<u64> = serde_json::from_value::<Vec<u64>>(order).unwrap();
    first.truncate(4);
    assert_ne!(first, [0, 1, 2, 3]);
    browser.ask("location.hash = location.hash.replace(/timeline=([^_]*)_[^_]*/, 'timeline=$1_0-4')");
    browser.wait_for("document.querySelectorAll('#ranks .table.selected').length > 0");
    let said = browser.text("document.querySelector('#ranks .choice').textContent");
    let ranks = said.split("--rank ").nth(1).unwrap();
    let shown: Vec<u64> = ranks
        .split(',')
        .flat_map(|part| {
            let ends: Vec<u64> = part.split('-').map(|end| end.trim().parse().unwrap()).collect();
            ends[0]..=*ends.last().unwrap()
        })
        .collect();
    let mut wanted = first.clone();
    wanted.sort_unstable();
    assert_eq!(shown, wanted, "{said}");
    let of_table = "[...document.querySelectorAll('#ranks .table:nth-child(2) tbody tr td:first-child')].map(cell => Number(cell.textContent))";
    let mut listed: Vec<u64> = serde_json::from_value(browser.ask(of_table)).unwrap();
    listed.sort_unstable();
    assert_eq!(listed, wanted);
    assert_eq!(browser.complaints, [""; 0]);
}
