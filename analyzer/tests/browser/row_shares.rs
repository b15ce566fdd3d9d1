//! Rows agree with the tables: at every zoom a row's pixels are divided among the classes as its time is.

use std::path::Path;

use serde_json::Value;
use synthetic::{Shape, Topology};

use crate::browser::Browser;
use crate::common::{Folder, overhear};

/// For each row: the classes' shares of its pixels, and of its time in the tables' data.
const SHARES: &str = "
async (from, to) => {
  const { view, scene, store } = timeline;
  scene.showsMessages = false;
  view.show(from, to);
  // What is not there yet is loaded by a script, which then draws again.
  do {
    scene.draw();
    await new Promise((resolve) => setTimeout(resolve, 100));
  } while (document.querySelector('head script[src$=\".js\"]') !== null);
  scene.draw();
  const { plot, lines } = scene.layout();
  const copy = new OffscreenCanvas(scene.canvas.width, scene.canvas.height).getContext('2d', { willReadFrequently: true });
  copy.drawImage(scene.canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, scene.canvas.width, scene.canvas.height);
  const picture = new Uint32Array(data.buffer);
  const colors = new Map([...scene.colors.packed].map((color, at) => [color, at]));
  const drawn = lines.map((line) => {
    const room = line.height - (line.height >= 5 ? Math.max(1, Math.round(line.height * 0.2)) : 0) - (line.height >= 6 ? 1 : 0);
    const sums = scene.colors.classes.map(() => 0);
    for (let y = line.y; y < line.y + room; y++) {
      for (let x = plot.left; x < plot.left + plot.width; x++) {
        const color = colors.get(picture[y * scene.canvas.width + x]);
        if (color !== undefined) sums[color] += 1;
      }
    }
    const all = sums.reduce((a, b) => a + b, 0);
    return sums.map((sum) => sum / all);
  });
  const sums = await timeline.sums(view.from, view.to, store.data.ranks.map((_, at) => at));
  const counted = lines.map(({ first, count }) => {
    const times = scene.colors.classes.map(() => 0);
    let there = 0;
    for (const row of sums.rows.slice(first, first + count)) {
      there += row.there.ofThreads;
      for (const { fn, ns } of row.calls) times[store.classOf[fn]] += ns;
    }
    times[0] = there - times.reduce((a, b) => a + b, 0);
    return times.map((time) => time / there);
  });
  return { drawn, counted, mode: document.getElementById('timeline').dataset.calls };
}";

fn shares(value: &Value) -> Vec<Vec<f64>> {
    serde_json::from_value(value.clone()).unwrap()
}

/// Compares the rows of a run's page from far and near. Returns their number, and the modes in which they were drawn.
fn compare(shape: &Shape, spans: &[f64]) -> (usize, Vec<String>) {
    let folder = Folder::new();
    let run = folder.0.join("run");
    std::fs::create_dir(&run).unwrap();
    synthetic::run(&run, shape).unwrap();
    let page = folder.0.join("page.html");
    let output = overhear("timeline", &run, &["--no-cache", "--whole", "--html", page.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    look(&page, spans)
}

fn look(page: &Path, spans: &[f64]) -> (usize, Vec<String>) {
    let mut browser = Browser::start();
    browser.look(1440, "light");
    browser.open(page);
    let (mut rows, mut modes) = (0, Vec::new());
    for span in spans {
        // After MPI_Init, where ranks compute and communicate.
        let range = "const [a, b] = timeline.view.bounds; const middle = a + (b - a) * 0.97;";
        let seen = browser.ask(&format!(
            "(async () => {{ {range} const half = (b - a) * {span} / 2; return ({SHARES})(middle - half, middle + half); }})()"
        ));
        let (drawn, counted) = (shares(&seen["drawn"]), shares(&seen["counted"]));
        assert!(!drawn.is_empty() && drawn.len() == counted.len());
        for (row, (drawn, counted)) in drawn.iter().zip(&counted).enumerate() {
            for (class, (drawn, counted)) in drawn.iter().zip(counted).enumerate() {
                let apart = (drawn - counted).abs();
                assert!(
                    apart < 0.02,
                    "{span} of the run, row {row}, class {class}: {drawn:.3} drawn, {counted:.3} counted"
                );
            }
            rows += 1;
        }
        modes.push(seen["mode"].as_str().unwrap().into());
    }
    assert_eq!(browser.complaints, [""; 0]);
    (rows, modes)
}

#[test]
fn a_row_shows_the_shares_that_its_table_has_from_far_and_near() {
    // 40,000 calls share 1,000 pixels.
    let two = Shape { ranks: 2, calls: 20_000, topology: Topology::Ring, seed: 1 };
    let (rows, modes) = compare(&two, &[2.0, 0.05, 0.005]);
    assert_eq!((rows, modes.iter().all(|mode| mode == "calls")), (6, true));
    let many = Shape { ranks: 64, calls: 5_000, topology: Topology::Torus, seed: 2 };
    let (rows, modes) = compare(&many, &[2.0, 0.02]);
    assert!(rows >= 64 && modes == ["bins", "calls"], "{rows} rows, {modes:?}");
}

#[test]
fn rows_that_stand_for_several_of_a_thousand_ranks_show_their_shares_down_to_single_calls() {
    let shape = Shape { ranks: 1024, calls: 300, topology: Topology::Torus, seed: 1 };
    let (rows, modes) = compare(&shape, &[2.0, 0.01, 0.0005]);
    assert!(rows > 150, "{rows} rows");
    assert_eq!(modes.last().map(String::as_str), Some("calls"), "{modes:?}");
}
