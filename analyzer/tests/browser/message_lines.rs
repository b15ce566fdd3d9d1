//! Lines of messages never hide the rows: of many, some are drawn, and the page says how many.

use std::path::Path;

use serde_json::Value;

use crate::browser::Browser;
use crate::common::{Folder, overhear};

/// The share of the rows that lines cover, the number of messages for each line drawn, and the page's words about it.
const SEEN: &str = "(async () => {
  const { scene } = timeline;
  scene.showsWaits = false;
  const pixels = () => {
    scene.draw();
    const { plot } = scene.layout();
    const copy = new OffscreenCanvas(scene.canvas.width, scene.canvas.height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(scene.canvas, 0, 0);
    return new Uint32Array(copy.getImageData(plot.left, plot.top, plot.width, plot.height).data.buffer);
  };
  const [with_, without] = [true, false].map((shows) => {
    scene.showsMessages = shows;
    return pixels();
  });
  scene.showsMessages = true;
  await new Promise((resolve) => setTimeout(resolve, 200));
  const covered = with_.filter((pixel, at) => pixel !== without[at]).length / with_.length;
  return { covered, thinned: scene.thinned, hint: document.querySelector('.timeline-hint').textContent };
})()";

#[test]
fn lines_of_messages_cover_few_of_the_rows_and_all_are_drawn_from_near() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/wavefront-1");
    let folder = Folder::new();
    let page = folder.0.join("page.html");
    let output = overhear("timeline", &sample, &["--no-cache", "--html", page.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut browser = Browser::start();
    browser.look(1440, "light");
    browser.open(&page);
    browser.ask("timeline.view.changed()");
    let far = browser.ask(SEEN);
    let covered = |seen: &Value| seen["covered"].as_f64().unwrap();
    assert!((0.001..0.25).contains(&covered(&far)) && far["thinned"].as_u64().unwrap() > 1, "{far}");
    assert_eq!(far["hint"], format!("1 of {} messages is drawn", far["thinned"]));
    browser.ask("(({ view }) => view.show((view.from + view.to) / 2, (view.from + view.to) / 2 + 2e6))(timeline)");
    let near = browser.ask(SEEN);
    assert!(covered(&near) > 0.0005 && near["thinned"] == 1 && near["hint"] == "", "{near}");
    assert_eq!(browser.complaints, [""; 0]);
}
