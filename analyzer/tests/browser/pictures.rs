//! Compares pages with pictures that were checked by eye.
//!
//! `GOLDEN=write cargo test -p overhear --test browser pictures::` replaces them: look at them then. Another version of
//! the browser draws differently, so pictures are compared only with the version that made them.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use resvg::tiny_skia::Pixmap;
use serde_json::json;

use crate::browser::Browser;
use crate::common::golden::is_written;
use crate::{page, page_of_a_thousand, sample};

/// Half the size shows the layout, and is small enough to keep.
const SCALE: f64 = 0.5;
/// Pixels per side of a block that is compared as one, and allowed difference of its mean color, of 255.
const BLOCK: u32 = 16;
const TOLERANCE: i64 = 12;

fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/page").join(name)
}

/// Goes to the longest wait by its key.
const LONGEST_WAIT: &str = "document.querySelector('.timeline-canvas').dispatchEvent(new KeyboardEvent('keydown', { key: ']', bubbles: true }))";

/// The upper part of a page, in pixels of height.
fn picture(browser: &mut Browser, height: u32, scale: f64) -> Vec<u8> {
    browser.ask("document.activeElement?.blur(), scrollTo(0, 0)");
    // Tables follow the view a moment later.
    browser.ask("new Promise(resolve => setTimeout(resolve, 800))");
    let width = browser.ask("innerWidth").as_f64().unwrap();
    let all = browser.ask("document.documentElement.scrollHeight").as_f64().unwrap();
    let clip = json!({ "x": 0, "y": 0, "width": width, "height": all.min(height.into()), "scale": scale });
    let how = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true, "optimizeForSpeed": false });
    let mut take =
        || STANDARD.decode(browser.call("Page.captureScreenshot", how.clone())["data"].as_str().unwrap()).unwrap();
    // On a busy machine the first picture may lack details that are drawn late, such as sticky headings.
    let mut taken = take();
    for _ in 0..5 {
        let again = take();
        if again == taken {
            break;
        }
        taken = again;
    }
    taken
}

/// Mean color of each block.
fn blocks(picture: &Pixmap) -> Vec<[i64; 3]> {
    let (across, down) = (picture.width().div_ceil(BLOCK), picture.height().div_ceil(BLOCK));
    let mut sums = vec![([0i64; 3], 0i64); (across * down) as usize];
    for (at, pixel) in (0..).zip(picture.pixels()) {
        let (x, y) = (at % picture.width(), at / picture.width());
        let (sum, count) = &mut sums[(y / BLOCK * across + x / BLOCK) as usize];
        for (channel, value) in sum.iter_mut().zip([pixel.red(), pixel.green(), pixel.blue()]) {
            *channel += i64::from(value);
        }
        *count += 1;
    }
    sums.into_iter().map(|(sum, count)| sum.map(|channel| channel / count)).collect()
}

/// The browser's version, and the width of a text in its fonts.
fn who_draws(browser: &mut Browser) -> String {
    let version = browser.call("Browser.getVersion", json!({}))["product"].as_str().unwrap().to_string();
    let width = "(font => { const c = document.createElement('canvas').getContext('2d'); c.font = font; \
                 return c.measureText('MPI_Allreduce 0123456789').width; })";
    let widths = ["100px system-ui", "100px monospace"].map(|font| browser.ask(&format!("{width}('{font}')")));
    format!("{version} {} {}", widths[0], widths[1])
}

/// Keeps a picture, or compares it with the kept one.
fn look(browser: &mut Browser, name: &str, height: u32) {
    let taken = picture(browser, height, SCALE);
    compare(browser, &taken, &kept(&format!("{name}.png")));
}

fn compare(browser: &mut Browser, taken: &[u8], file: &Path) {
    let name = file.display();
    let version = who_draws(browser);
    if is_written() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, taken).unwrap();
        fs::write(kept("browser.txt"), format!("{version}\n")).unwrap();
    }
    let [is, was] = [taken.to_vec(), fs::read(file).unwrap()].map(|bytes| Pixmap::decode_png(&bytes).unwrap());
    let [is_blocks, was_blocks] = [&is, &was].map(blocks);
    assert!(is_blocks.iter().any(|color| color != &is_blocks[0]), "{name}: an empty picture");
    if fs::read_to_string(kept("browser.txt")).unwrap().trim() != version {
        println!("{name}: not compared, {version} is another browser, or has other fonts");
        return;
    }
    assert_eq!((is.width(), is.height()), (was.width(), was.height()), "{name}: another size");
    let differs =
        |(is, was): &(&[i64; 3], &[i64; 3])| is.iter().zip(*was).any(|(is, was)| (is - was).abs() > TOLERANCE);
    let (differ, all) = (is_blocks.iter().zip(&was_blocks).filter(differs).count(), is_blocks.len());
    let drawn = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file.file_name().unwrap());
    if differ * 100 > all {
        is.save_png(&drawn).unwrap();
        panic!("{differ} of {all} blocks differ: compare {} with what was kept", drawn.display());
    }
}

#[test]
fn a_page_looks_as_it_did_in_light_in_dark_narrow_and_printed() {
    let mut browser = Browser::start();
    let file = sample();
    browser.look(1280, "light");
    browser.open(file);
    look(&mut browser, "light", 5000);
    // The middle of the run, with the longest wait selected.
    browser.look(1280, "dark");
    browser.open(file);
    browser.ask(LONGEST_WAIT);
    look(&mut browser, "dark", 2400);
    browser.look(420, "light");
    browser.open(file);
    look(&mut browser, "narrow", 3000);
    browser.look(1000, "light");
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    browser.open(file);
    look(&mut browser, "print", 3000);
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn the_picture_of_a_page_in_the_documents_is_of_the_page_as_it_is() {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/wavefront-16");
    let mut browser = Browser::start();
    browser.look(1200, "light");
    browser.open(&page(&run, "documents"));
    // The longest wait, and the time between MPI_Init and MPI_Finalize.
    browser.ask(LONGEST_WAIT);
    browser.wait_for("/_c/.test(location.hash)");
    browser.ask("location.hash = location.hash.replace(/timeline=[^_]*/, 'timeline=235000000-575000000')");
    browser.wait_for("document.querySelector('.timeline-facts dt') !== null");
    let end = browser.ask("document.getElementById('timeline').getBoundingClientRect().bottom + scrollY");
    let taken = picture(&mut browser, end.as_f64().unwrap() as u32, 1.0);
    compare(&mut browser, &taken, &Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/page.png"));
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_page_of_a_thousand_ranks_looks_as_it_did() {
    let mut browser = Browser::start();
    browser.look(1280, "light");
    browser.open(page_of_a_thousand());
    look(&mut browser, "thousand", 3600);
    assert_eq!(browser.complaints, [""; 0]);
}
