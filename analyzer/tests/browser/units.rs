//! The page formats numbers as the command's text does.

use serde_json::{Value as Json, json};
use tables::Value;
use tables::scale::Scale;

use crate::browser::Browser;
use crate::sample;

#[test]
fn the_page_writes_times_bytes_counts_and_ratios_as_text_does() {
    let seconds = [0.0, 1e-13, 31e-9, 42e-6, 9.99e-4, 1e-3, 0.5, 0.9999, 1.0, 1.23456, 12.5, 318.608_4, 98_765.4];
    let errors = [1e-9, 29e-6, 0.0293, 310.0];
    let bytes = [0, 1, 1023, 1024, 102_348, 102_400, 1 << 20, 999 << 20, 1_048_064, 5 << 40];
    let counts = [0, 7, 999, 1000, 81_204, 1_234_567];
    // Halves of the last digit among them: Rust rounds those to the even digit.
    let ratios = [0.0, 0.004, 0.125, 0.375, 1.0, 9.996, 12.25, 31.26, 99.5, 99.96, 100.5, 101.5, 12_345.6];
    let percents = [0.0, 0.25, 0.35, 12.75, 99.96, 100.0, 12_345.6];
    let mut asked: Vec<(Json, String)> = Vec::new();
    for longest in seconds {
        asked.push((json!(["timeAlone", longest]), Value::Seconds(longest).to_string()));
        for time in seconds.into_iter().filter(|time| *time <= longest) {
            let scale = Scale::of(longest);
            asked.push((json!(["time", time, longest]), scale.text(time)));
            for error in errors {
                asked.push((json!(["known", time, longest, error]), scale.known_to(error).text(time)));
            }
        }
    }
    asked.extend(bytes.map(|bytes| (json!(["bytes", bytes]), Value::Bytes(bytes).to_string())));
    asked.extend(counts.map(|count| (json!(["count", count]), Value::Count(count).to_string())));
    asked.extend(ratios.map(|ratio| (json!(["ratio", ratio]), Value::Ratio(ratio).to_string())));
    asked.extend(percents.map(|percent| (json!(["percent", percent]), Value::Percent(percent).to_string())));
    let questions: Vec<&Json> = asked.iter().map(|(question, _)| question).collect();
    let mut browser = Browser::start();
    browser.open(sample());
    let said = browser.ask(&format!(
        "Promise.all([import('#timeline-format'), import('#units')]).then(([format, units]) => {}.map((question) => {{
          const [kind, number, longest, error] = question;
          if (kind === 'ratio' || kind === 'percent') return units.words({{ unit: kind }}, number, null);
          if (kind !== 'time' && kind !== 'known') return format[kind](number);
          const scale = format.scaleOf(longest);
          return `${{format.time(number, kind === 'known' ? format.knownTo(scale, error) : scale)}} ${{scale.unit}}`;
        }}))",
        json!(questions)
    ));
    let said: Vec<&str> = said.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    assert!(said.len() > 300, "{}", said.len());
    for ((question, text), said) in asked.iter().zip(said) {
        assert_eq!(said, text, "{question}");
    }
    assert_eq!(browser.complaints, [""; 0]);
}
