//! The timeline reacts to mouse and keys as the page says.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::sample;

/// Moves the mouse, presses its button or turns its wheel at a point.
fn mouse(browser: &mut Browser, kind: &str, (x, y): (f64, f64), more: Value) {
    let mut event = json!({ "type": kind, "x": x, "y": y });
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    browser.call("Input.dispatchMouseEvent", event);
}

/// Edges of the timeline in the window: left, top, right, bottom.
fn edges(browser: &mut Browser) -> [f64; 4] {
    browser.ask("document.querySelector('.timeline-canvas').scrollIntoView({ block: 'center', behavior: 'instant' })");
    let seen = browser.ask(
        "(({ left, top, right, bottom }) => [left, top, right, bottom])(document.querySelector('.timeline-canvas').getBoundingClientRect())",
    );
    serde_json::from_value(seen).unwrap()
}

/// View in the page's address: from, to, first row, rows.
fn view(browser: &mut Browser) -> Vec<f64> {
    browser.ask("new Promise(resolve => setTimeout(resolve, 400))");
    let text = browser.text("location.hash");
    let numbers = text.trim_start_matches("#timeline=").split(['-', '_']).take(4);
    numbers.map(|number| number.parse().unwrap()).collect()
}

const DRAWN: &str = "document.querySelector('.timeline-canvas').toDataURL()";

#[test]
fn the_wheel_scrolls_the_page_and_with_ctrl_rows_grow() {
    let mut browser = Browser::start();
    browser.open(sample());
    let [left, top, ..] = edges(&mut browser);
    let scrolled = browser.ask("scrollY").as_f64().unwrap();
    mouse(&mut browser, "mouseWheel", (left + 300.0, top + 60.0), json!({ "deltaX": 0, "deltaY": 120 }));
    browser.wait_for(&format!("scrollY > {scrolled}"));
    let [left, top, ..] = edges(&mut browser);
    let ctrl = json!({ "deltaX": 0, "deltaY": -300, "modifiers": 2 });
    mouse(&mut browser, "mouseWheel", (left + 300.0, top + 60.0), ctrl);
    let rows = view(&mut browser)[3];
    assert!((1.0..3.9).contains(&rows), "{rows}");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_drag_over_the_axis_shows_the_time_between_its_ends() {
    let mut browser = Browser::start();
    browser.open(sample());
    let [left, _, right, bottom] = edges(&mut browser);
    let at = |share: f64| (left + (right - left) * share, bottom - 8.0);
    let whole: Vec<f64> = serde_json::from_value(
        browser.ask("(({ from, to }) => [from, to])(JSON.parse(document.getElementById('timeline-data').textContent))"),
    )
    .unwrap();
    mouse(&mut browser, "mousePressed", at(0.4), json!({ "button": "left", "clickCount": 1 }));
    mouse(&mut browser, "mouseMoved", at(0.6), json!({ "button": "left", "buttons": 1 }));
    mouse(&mut browser, "mouseReleased", at(0.6), json!({ "button": "left", "clickCount": 1 }));
    let shown = view(&mut browser);
    let share = (shown[1] - shown[0]) / (whole[1] - whole[0]);
    assert!((0.19..0.23).contains(&share), "{share}: {shown:?} of {whole:?}");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_search_that_is_left_and_a_class_that_comes_back_leave_the_picture_as_it_was() {
    let mut browser = Browser::start();
    browser.open(sample());
    browser.ask("new Promise(resolve => setTimeout(resolve, 500))");
    let before = browser.text(DRAWN);
    browser.ask("(find => { find.value = 'allto'; find.dispatchEvent(new Event('input')); })(document.querySelector('.timeline-find'))");
    browser.wait_for(&format!("{DRAWN} !== '{before}'"));
    browser.ask("document.querySelector('.timeline-find').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))");
    browser.wait_for(&format!("{DRAWN} === '{before}'"));
    for entry in ["collective", "messages"] {
        let click = format!(
            "[...document.querySelectorAll('.timeline-entry')].find(one => one.textContent === '{entry}').click()"
        );
        browser.ask(&click);
        if entry == "collective" {
            browser.wait_for(&format!("{DRAWN} !== '{before}'"));
        }
        browser.ask(&click);
        browser.wait_for(&format!("{DRAWN} === '{before}'"));
    }
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_row_of_waits_leads_to_its_longest_and_a_wait_to_the_call_that_came_late() {
    let mut browser = Browser::start();
    browser.open(sample());
    browser.wait_for("document.querySelector('#waits .lead') !== null");
    let longest = "(waits => waits.reduce((most, wait) => Math.max(most, wait.until - wait.from), 0))(JSON.parse(document.getElementById('timeline-data').textContent).waits)";
    assert!(browser.ask(longest).as_f64().unwrap() > 0.0);
    browser.ask("document.querySelector('#waits .lead').click()");
    browser.wait_for("document.querySelector('.timeline-link') !== null");
    let facts = "document.querySelector('.timeline-facts').textContent";
    let (waiting, blamed) = (browser.text(facts), browser.text("document.querySelector('.timeline-link').textContent"));
    browser.ask("document.querySelector('.timeline-link').click()");
    browser.wait_for(&format!("{facts} !== {}", json!(waiting)));
    let rank = blamed.split("for rank ").nth(1).unwrap().split(' ').next().unwrap();
    let late = browser.text(
        "[...document.querySelectorAll('.timeline-facts dt')].find(one => one.textContent === 'rank').nextSibling.textContent",
    );
    assert_eq!(late, rank, "{blamed}");
    assert_eq!(browser.complaints, [""; 0]);
}
