//! The page formats numbers as the command's text does.

use serde_json::{Value as Json, json};
use tables::Value;
use tables::scale::Scale;

use crate::browser::Browser;
use crate::sample;

#[test]
fn the_page_writes_times_bytes_and_ratios_as_text_does() {
    let seconds = [0.0, 1e-13, 31e-9, 42e-6, 9.99e-4, 1e-3, 0.5, 0.9999, 1.0, 1.23456, 12.5, 98_765.4];
    let bytes = [0, 1, 1023, 1024, 102_348, 102_400, 1 << 20, 999 << 20, 5 << 40];
    // No halves of the last digit: Rust rounds those to the even digit, the browser up.
    let ratios = [0.0, 0.004, 0.126, 1.0, 9.996, 31.26, 99.5, 100.0, 12_345.6];
    let mut asked: Vec<(Json, String)> = Vec::new();
    for longest in seconds {
        asked.push((json!(["timeAlone", longest]), Value::Seconds(longest).to_string()));
        for time in seconds.into_iter().filter(|time| *time <= longest) {
            asked.push((json!(["time", time, longest]), Scale::of(longest).text(time)));
        }
    }
    asked.extend(bytes.map(|bytes| (json!(["bytes", bytes]), Value::Bytes(bytes).to_string())));
    asked.extend(ratios.map(|ratio| (json!(["ratio", ratio]), Value::Ratio(ratio).to_string())));
    let questions: Vec<&Json> = asked.iter().map(|(question, _)| question).collect();
    let mut browser = Browser::start();
    browser.open(&sample());
    let said = browser.ask(&format!(
        "import('#units').then((units) => {}.map(([kind, number, longest]) => {{
          if (kind === 'ratio') return units.words({{ unit: 'ratio' }}, number, null);
          if (kind !== 'time') return units[kind](number);
          const scale = units.scaleOf(longest);
          return `${{units.time(number, scale)}} ${{scale.unit}}`;
        }}))",
        json!(questions)
    ));
    let said: Vec<&str> = said.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    assert!(said.len() > 100, "{}", said.len());
    for ((question, text), said) in asked.iter().zip(said) {
        assert_eq!(said, text, "{question}");
    }
    assert_eq!(browser.complaints, [""; 0]);
}
