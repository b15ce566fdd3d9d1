//! `overhear explain`: what the words of reports mean.

use std::collections::{BTreeMap, BTreeSet};

use clap::ValueEnum;
use textwrap::{Options, WordSplitter};

use super::print::print_text;
use super::schema;
use crate::cli::{self, Analysis};
use metrics::topics::{Topic, topics};
use model::error::{Error, OK};
use tables::schema::ColumnMeaning;
use tables::terminal;

/// Columns that text fills at most, where the terminal is wider or none.
const WIDTH: usize = 80;

/// Prints what a name means. Returns the exit status.
pub fn run(arguments: &cli::ExplainArgs) -> Result<u8, Error> {
    let text = match &arguments.name {
        None => list(),
        Some(name) => of_name(name)?,
    };
    print_text(&text)?;
    Ok(OK)
}

/// Wait states and metrics, with the first sentence of each.
fn list() -> String {
    let line = |topic: &Topic| indented(&format!("{:25} ", topic.name), &" ".repeat(26), topic.meaning);
    let lines: String = topics().map(line).collect();
    format!("{lines}\nColumns of tables by their JSON key or heading: overhear explain wait_s\n")
}

fn of_name(asked: &str) -> Result<String, Error> {
    let columns = meanings();
    let found = topics().find(|topic| plain(topic.name) == plain(asked));
    let mut text = found.map_or_else(String::new, whole);
    let is_meant =
        |column: &&ColumnMeaning| plain(&column.key) == plain(asked) || column.heading.trim() == asked.trim();
    // Where several tables have the same column, what it means stands once.
    let mut by_meaning: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for column in columns.iter().filter(is_meant) {
        by_meaning.entry((&column.key, &column.meaning)).or_default().push(&column.place);
    }
    for ((key, meaning), places) in by_meaning {
        if !text.is_empty() {
            text.push('\n');
        }
        let places = format!("{key}, in {}", places.join(", "));
        text += &indented("", "", &places);
        text += &indented("  ", "  ", meaning);
    }
    if text.is_empty() {
        let topics = topics().map(|topic| topic.name.to_string());
        let names: BTreeSet<String> = topics.chain(columns.into_iter().map(|column| column.key)).collect();
        return Err(Error::no_meaning(asked, &names));
    }
    Ok(text)
}

/// Those of all analyses.
fn meanings() -> Vec<ColumnMeaning> {
    Analysis::value_variants().iter().flat_map(|analysis| schema::of(*analysis).meanings()).collect()
}

fn whole(topic: &Topic) -> String {
    let of = |name: &str, text: &str| indented(&format!("  {name:8} "), &" ".repeat(11), text);
    let head = indented("  ", "  ", topic.meaning);
    let rest = [of("formula", topic.formula), of("source", topic.source), of("advice", topic.advice)].concat();
    format!("{}\n{head}\n{rest}", topic.name)
}

/// A paragraph of as many lines as it takes.
fn indented(first: &str, others: &str, text: &str) -> String {
    let width = match terminal::width() {
        0 => WIDTH,
        width => width.clamp(40, WIDTH),
    };
    let options = Options::new(width).initial_indent(first).subsequent_indent(others);
    textwrap::fill(text, options.word_splitter(WordSplitter::NoHyphenation)) + "\n"
}

/// A name however it is written: `Late-Sender` is `late_sender`.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}
