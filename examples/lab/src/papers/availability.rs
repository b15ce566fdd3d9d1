//! Doerfler and Brightwell: overhead and application availability.

use examples::answer::{Answer, number};
use serde_json::{Value, json};

use super::page::Page;
use super::processor::machine;
use super::setting::Setting;

/// Sizes in tables; figures have all.
const SHOWN: [u64; 6] = [64, 1024, 8192, 65_536, 524_288, 4_194_304];
/// Percent of availability from which a program can compute during communication.
const HIGH: f64 = 75.0;
/// Percentage points beyond noise.
const APART: f64 = 10.0;

pub fn write(settings: &[Setting]) -> Result<(), String> {
    let mut page = Page::new("availability", "Host overhead and application availability");
    page.paragraph(
        "D. Doerfler and R. Brightwell, *Measuring MPI send and receive overhead and application availability in high performance network \
         interfaces*, EuroPVM/MPI 2006. A rank posts a message, works, and waits; the work doubles until the iteration takes half as long \
         again as the message alone. Overhead is what the iteration takes beyond its work, availability is 1 - overhead / transfer time.",
    );
    page.paragraph(
        "The benchmark `post_work_wait` carries this out and prints what it measures; `overhear overlap` finds the same in the trace of any \
         program. Each cell below has both: program / trace. `cargo lab papers availability` makes this page anew.",
    );
    page.paragraph(&machine());
    let mut answers = Vec::new();
    let mut figures = Page::new("availability", "");
    for setting in settings {
        let recorded = setting.record("post_work_wait", 2, &["--min-bytes", "64"])?;
        let caption = format!(
            "{}: overhead and availability from the trace; figures 3 to 6 of the document in one",
            setting.name()
        );
        let analysis = ["overlap", "--rank", "0"];
        recorded.draw(&analysis, &figures.picture(&setting.name(), &caption))?;
        let said = recorded.ask(&analysis);
        // The second run overwrites the first one's folder.
        let tested = setting.record("post_work_wait", 2, &["--min-bytes", "524288", "--test-every", "16384"])?;
        answers.push((setting.name(), recorded.measured, said, tested.measured));
    }
    for (heading, column, direction) in [
        ("Availability of the sender, %", "availability_percent", "send"),
        ("Availability of the receiver, %", "availability_percent", "receive"),
        ("Overhead of MPI_Isend, µs", "overhead_s", "send"),
        ("Overhead of MPI_Irecv, µs", "overhead_s", "receive"),
    ] {
        page.heading(heading);
        page.table(&heads(), &rows(&answers, column, direction));
    }
    page.heading("What the document finds, and what shows here");
    page.list(verdicts(&answers));
    page.heading("Figures");
    page.append(figures);
    page.heading("What could not be done here");
    page.paragraph(
        "The document compares Red Storm, Elan4, InfiniBand, InfiniPath and Myri-10G between hosts: network cards that move messages by \
         themselves, or not. Here both ranks share a machine, so shared memory and TCP over loopback stand in for them; what a network card \
         offloads cannot be seen. The two ranks and the work share two cores, and a few transfers in every row are disturbed.",
    );
    page.write()
}

type Measured = (String, Value, Answer, Value);

fn heads() -> Vec<String> {
    let sizes = SHOWN.map(|bytes| match bytes {
        bytes if bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
        bytes if bytes >= 1 << 10 => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} B"),
    });
    std::iter::once(String::new()).chain(sizes).collect()
}

fn rows(answers: &[Measured], column: &str, direction: &str) -> Vec<Vec<String>> {
    let row = |(name, measured, said, _): &Measured| {
        let cells = SHOWN.map(|bytes| {
            let figure = |value: Option<f64>| match (value, column.ends_with("_s")) {
                (None, _) => "-".into(),
                (Some(seconds), true) => format!("{:.1}", seconds * 1e6),
                (Some(percent), false) => format!("{percent:.0}"),
            };
            let own = program(measured, bytes, direction).map(|row| number(row, column));
            format!("{} / {}", figure(own), figure(trace(said, bytes, direction, column)))
        });
        std::iter::once(name.clone()).chain(cells).collect()
    };
    answers.iter().map(row).collect()
}

/// The benchmark's row for this size and direction.
fn program<'a>(measured: &'a Value, bytes: u64, direction: &str) -> Option<&'a Value> {
    let mut rows = measured["rows"].as_array()?.iter();
    rows.find(|row| row["bytes"] == bytes && row["direction"] == direction)
}

/// The trace's value.
fn trace(said: &Answer, bytes: u64, direction: &str, column: &str) -> Option<f64> {
    let rows = said.matching("messages", &[("traffic", json!(direction)), ("size_bytes", json!(bytes))]);
    rows.first().and_then(|row| row[column].as_f64())
}

/// Tells if availability changes as the paper predicts: falls from eager to rendezvous messages, and rises again with
/// MPI_Test.
fn verdicts(answers: &[Measured]) -> Vec<String> {
    const SMALL: u64 = 1 << 10;
    const LARGE: u64 = 1 << 20;
    let verdict = |(name, measured, _, tested): &Measured| {
        let side = |direction: &str| {
            let of = |measured: &Value, bytes: u64| {
                program(measured, bytes, direction).map_or(f64::NAN, |row| number(row, "availability_percent"))
            };
            let (small, large, tested) = (of(measured, SMALL), of(measured, LARGE), of(tested, LARGE));
            let falls = if small - large >= APART { "falls" } else { "does not fall" };
            let rises = match tested - large {
                _ if large >= HIGH => "needs no MPI_Test",
                more if more >= APART => "rises with MPI_Test",
                _ => "does not rise with MPI_Test",
            };
            format!(
                "{falls} from {small:.0} % at 1 KiB to {large:.0} % at 1 MiB, and {rises} every 16 KiB: {tested:.0} %"
            )
        };
        format!("{name}: the sender's availability {}. The receiver's {}.", side("send"), side("receive"))
    };
    answers.iter().map(verdict).collect()
}
