//! Compares what pages draw with golden descriptions that were read beside a picture: elements, colors and shapes, in several
//! looks. Fonts and versions of the browser draw other pixels, and the same content.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::browser::Browser;
use crate::common::golden::{GoldenFiles, kept};
use crate::{page, page_of_a_thousand, sample};

/// Goes to the longest wait by its key.
const LONGEST_WAIT: &str = "document.querySelector('.timeline-canvas').dispatchEvent(new KeyboardEvent('keydown', { key: ']', bubbles: true }))";

/// Describes what a page draws.
const CONTENT: &str = include_str!("content.js");

/// Waits until the page draws the same twice, since tables follow the view a moment later, and returns that.
fn content(browser: &mut Browser) -> String {
    browser.ask("document.activeElement?.blur(), scrollTo(0, 0)");
    let mut seen = String::new();
    for _ in 0..20 {
        browser.ask("new Promise(resolve => setTimeout(resolve, 500))");
        let now = browser.ask(CONTENT).as_str().unwrap().to_string();
        if now == seen {
            break;
        }
        seen = now;
    }
    seen
}

/// A picture of the upper part of a page, in pixels of height.
fn picture(browser: &mut Browser, height: u32) -> Vec<u8> {
    let width = browser.ask("innerWidth").as_f64().unwrap();
    let all = browser.ask("document.documentElement.scrollHeight").as_f64().unwrap();
    let clip = json!({ "x": 0, "y": 0, "width": width, "height": all.min(height.into()), "scale": 1.0 });
    let how = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true, "optimizeForSpeed": false });
    STANDARD.decode(browser.call("Page.captureScreenshot", how)["data"].as_str().unwrap()).unwrap()
}

/// Compares what the page draws, and keeps a picture of it in the target folder, to be looked at.
fn look(browser: &mut Browser, name: &str, comparison: &mut GoldenFiles) {
    let content = content(browser);
    let drawn = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
    fs::write(&drawn, picture(browser, 5000)).unwrap();
    println!("{name}: look at {}", drawn.display());
    comparison.text(&kept(&format!("page/{name}")), &content);
}

#[test]
fn a_page_draws_what_it_did_in_light_in_dark_narrow_and_printed() {
    let (mut browser, mut comparison) = (Browser::start(), GoldenFiles::default());
    let file = sample();
    browser.look(1280, "light");
    browser.open(file);
    look(&mut browser, "light", &mut comparison);
    // The middle of the run, with the longest wait selected.
    browser.look(1280, "dark");
    browser.open(file);
    browser.ask(LONGEST_WAIT);
    look(&mut browser, "dark", &mut comparison);
    browser.look(420, "light");
    browser.open(file);
    look(&mut browser, "narrow", &mut comparison);
    browser.look(1000, "light");
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    browser.open(file);
    look(&mut browser, "print", &mut comparison);
    assert_eq!(browser.complaints, [""; 0]);
    comparison.finish();
}

/// Another font, of other widths and heights.
const OTHER_FONT: &str = "document.head.append(Object.assign(document.createElement('style'), { textContent: '* { font-family: monospace !important; }' })), dispatchEvent(new Event('resize'))";

#[test]
fn a_page_draws_the_same_in_another_font_and_something_else_without_its_legend() {
    let mut browser = Browser::start();
    browser.look(1280, "light");
    browser.open(sample());
    let own = content(&mut browser);
    browser.ask(OTHER_FONT);
    assert_eq!(content(&mut browser), own);
    browser.ask("document.querySelector('.legend').remove()");
    assert_ne!(content(&mut browser), own);
}

#[test]
fn the_picture_of_a_page_in_the_documents_is_of_the_page_as_it_is() {
    // The page names its folder, which is another one on each machine.
    let run = Path::new("../traces/samples/wavefront-16");
    let (mut browser, mut comparison) = (Browser::start(), GoldenFiles::default());
    browser.look(1200, "light");
    browser.open(&page(run, "documents"));
    // The longest wait, and the time between MPI_Init and MPI_Finalize.
    browser.ask(LONGEST_WAIT);
    browser.wait_for("/_c/.test(location.hash)");
    browser.ask("location.hash = location.hash.replace(/timeline=[^_]*/, 'timeline=235000000-575000000')");
    browser.wait_for("document.querySelector('.timeline-facts dt') !== null");
    let (description, now) = (kept("page/documents"), content(&mut browser));
    let end = browser.ask("document.getElementById('timeline').getBoundingClientRect().bottom + scrollY");
    let taken = picture(&mut browser, end.as_f64().unwrap() as u32);
    // A page that draws something else needs another picture, too.
    let is_same = fs::read_to_string(&description).is_ok_and(|was| was == now);
    comparison.judge(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/page.png"), is_same, &taken);
    comparison.text(&description, &now);
    assert_eq!(browser.complaints, [""; 0]);
    comparison.finish();
}

#[test]
fn a_page_of_a_thousand_ranks_draws_what_it_did() {
    let (mut browser, mut comparison) = (Browser::start(), GoldenFiles::default());
    browser.look(1280, "light");
    browser.open(page_of_a_thousand());
    look(&mut browser, "thousand", &mut comparison);
    assert_eq!(browser.complaints, [""; 0]);
    comparison.finish();
}
