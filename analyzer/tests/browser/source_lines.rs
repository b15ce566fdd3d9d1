//! A page shows the program's lines where they lie on this machine and are those that ran.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::common::Folder;
use crate::page_with;

/// A copy of a sample whose call sites lie in a file of this name in the folder; each of its lines says its number.
fn with_source(folder: &Folder, name: &str, changed: SystemTime) {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/integer_sort-openmpi");
    for entry in fs::read_dir(&sample).unwrap().flatten() {
        fs::copy(entry.path(), folder.0.join(entry.file_name())).unwrap();
    }
    let sites = folder.0.join("sites.json");
    let mut kept: Value = serde_json::from_slice(&fs::read(&sites).unwrap()).unwrap();
    let source = folder.0.join(name);
    for module in kept["modules"].as_array_mut().unwrap() {
        for frame in
            module["sites"].as_object_mut().unwrap().values_mut().flat_map(|frames| frames.as_array_mut().unwrap())
        {
            frame["file"] = json!(source);
        }
    }
    fs::write(&sites, kept.to_string()).unwrap();
    let lines: String = (1..2000).map(|line| format!("    line_{line}(</script><b>);\n")).collect();
    fs::write(&source, lines).unwrap();
    File::options().write(true).open(&source).unwrap().set_modified(changed).unwrap();
}

const SHOWN: &str = "[...document.querySelectorAll('#sites .source')].map(one => [one.parentElement.firstChild.textContent, one.textContent])";

#[test]
fn a_call_site_has_its_line_in_its_table_and_under_the_pointer() {
    let folder = Folder::new();
    with_source(&folder, "sort.c", UNIX_EPOCH + Duration::from_secs(1_000_000_000));
    let mut browser = Browser::start();
    browser.open(&page_with(&folder.0, "sources", &["--no-cache"]));
    let shown: Vec<[String; 2]> = serde_json::from_value(browser.ask(SHOWN)).unwrap();
    assert!(shown.len() > 5, "{shown:?}");
    for [place, line] in &shown {
        let number = place.split("sort.c:").nth(1).unwrap().trim_end_matches(')');
        assert_eq!(*line, format!("line_{number}(</script><b>);"), "{place}");
    }
    assert_eq!(browser.ask("document.querySelectorAll('b').length"), 0);
    // The longest wait is selected by its key.
    browser.ask("document.querySelector('.timeline-canvas').dispatchEvent(new KeyboardEvent('keydown', { key: ']', bubbles: true }))");
    let fact = "[...document.querySelectorAll('.timeline-facts dt')].find(one => one.textContent === 'source')";
    browser.wait_for(&format!("{fact} !== undefined"));
    assert!(browser.text(&format!("{fact}.nextSibling.textContent")).starts_with("line_"));
    assert!(browser.text("document.querySelector('#waits td[title]').title").contains("  line_"));
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_page_has_no_line_of_what_is_no_source_has_changed_or_was_left_out() {
    let old = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let cases: [(&str, SystemTime, &[&str]); 3] =
        [("secret.txt", old, &[]), ("sort.c", SystemTime::now(), &[]), ("sort.c", old, &["--no-source"])];
    let mut browser = Browser::start();
    for (name, changed, flags) in cases {
        let folder = Folder::new();
        with_source(&folder, name, changed);
        let page = page_with(&folder.0, "no sources", &[&["--no-cache"], flags].concat());
        assert!(!fs::read_to_string(&page).unwrap().contains("line_"), "{name} {flags:?}");
        browser.open(&page);
        assert_eq!(browser.ask(SHOWN), json!([]), "{name} {flags:?}");
    }
    assert_eq!(browser.complaints, [""; 0]);
}
