//! `overhear explain`: the meaning of words in reports.

use std::collections::{BTreeMap, BTreeSet};

use clap::{CommandFactory, ValueEnum};

use super::print::print_text;
use super::schema;
use crate::cli::{self, Analysis};
use metrics::summary::rules::{RULES, RuleSpec, rule_named};
use metrics::topics::{Topic, topics};
use model::error::{Error, OK};
use tables::schema::ColumnMeaning;
use tables::terminal;
use tables::text::is_heading;
use tables::wrapping::wrap_to;

/// Widest text, in columns, on a wide terminal or without one.
const WIDTH: usize = 80;

/// Prints the meaning of a name. Returns the exit status.
pub fn run(arguments: &cli::ExplainArgs) -> Result<u8, Error> {
    let text = match arguments.name.as_slice() {
        [] => list(),
        words => of_name(&words.join(" "))?,
    };
    print_text(&text)?;
    Ok(OK)
}

/// Lists wait states and metrics, with the first sentence of each.
fn list() -> String {
    let lines: String = topics().map(in_list).collect();
    let keys = RULES.iter().map(|rule| rule.kind.key()).collect::<Vec<_>>().join(", ");
    let rules = indented("Findings of the first screen: ", "  ", &keys);
    format!("{lines}\n{rules}\nColumns of tables by their JSON key or heading: overhear explain wait_s\n")
}

fn in_list(topic: &Topic) -> String {
    indented(&format!("{:25} ", topic.name), &" ".repeat(26), topic.meaning)
}

fn of_name(asked: &str) -> Result<String, Error> {
    let columns = meanings();
    // The first screen calls factors of the efficiency by their first words.
    let alias = alias(asked);
    let [name, factor] = [plain(alias), format!("{}_efficiency", plain(asked))];
    let found = topics().find(|topic| [&name, &factor].contains(&&plain(topic.name)));
    let mut text = found.map_or_else(String::new, whole);
    if let Some(rule) = rule_named(&name) {
        text.insert_str(0, &of_rule(rule));
    }
    let is_meant =
        |column: &&ColumnMeaning| plain(&column.key) == plain(alias) || is_heading(asked.trim(), &column.heading);
    // A meaning is printed once for all tables with that column.
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
        text = of_part(asked, &columns);
    }
    text.insert_str(0, &of_command(asked));
    if text.is_empty() {
        let topics = topics().map(|topic| topic.name.to_string());
        let rules = RULES.iter().map(|rule| rule.kind.key().to_string());
        let names: BTreeSet<String> = topics.chain(rules).chain(columns.into_iter().map(|column| column.key)).collect();
        return Err(Error::no_meaning(asked, &names));
    }
    Ok(text)
}

/// The command of this name, and its purpose.
fn of_command(asked: &str) -> String {
    let all = cli::Cli::command();
    let Some(command) = all.find_subcommand(plain(asked)) else { return String::new() };
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    indented("", "  ", &format!("overhear {}: {about}", command.get_name()))
}

/// Other words for some names, among them headings that no table declares.
const ALIASES: [(&str, &str); 17] = [
    ("most_in", "most_time_function"),
    ("start,_end", "start_mean_s"),
    ("engine_called", "entries"),
    ("b_/_a", "b_by_a"),
    ("o_s", "LogGP"),
    ("o_r", "LogGP"),
    ("load_imbalance", "load balance"),
    ("hidden", "availability"),
    ("sampling", "sample"),
    ("recording", "overhear_delay_percent"),
    ("efficiency", "parallel efficiency"),
    ("wall_time", "wall_time_s"),
    ("delayed", "delay_percent"),
    ("without_a_core", "delay_percent"),
    ("perhaps_more", "perhaps"),
    ("perhaps_less", "perhaps"),
    ("outside_mpi", "computation_mean_s"),
];

fn alias(asked: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == plain(asked)).map_or(asked, |(_, name)| *name)
}

/// Finds names with words that begin with those of `asked`, or of its alias. Explains a single one, lists several.
fn of_part(asked: &str, columns: &[ColumnMeaning]) -> String {
    let asked = plain(alias(asked));
    let words: Vec<&str> = asked.split('_').filter(|word| !word.is_empty()).collect();
    let begins = |name: &str, word: &str| plain(name).split('_').any(|part| part.starts_with(word));
    let holds = |name: &str| !words.is_empty() && words.iter().all(|word| begins(name, word));
    let found: Vec<&Topic> = topics().filter(|topic| plain(topic.name) == asked || holds(topic.name)).collect();
    let keys: BTreeSet<&str> = columns.iter().filter(|column| holds(&column.key)).map(|column| &*column.key).collect();
    if let [topic] = found.as_slice() {
        return whole(topic);
    }
    let mut text: String = found.iter().map(|topic| in_list(topic)).collect();
    if !keys.is_empty() {
        let keys = keys.into_iter().collect::<Vec<_>>().join(", ");
        text += &indented("", "  ", &format!("columns: {keys}"));
    }
    text
}

fn meanings() -> Vec<ColumnMeaning> {
    Analysis::value_variants().iter().flat_map(|analysis| schema::of(*analysis).meanings()).collect()
}

/// A rule of the first screen, with its limits.
fn of_rule(rule: &RuleSpec) -> String {
    let of = |name: &str, text: &str| indented(&format!("  {name:8} "), &" ".repeat(11), text);
    let mut text = format!("{}, a finding\n", rule.kind.key()) + &indented("  ", "  ", rule.kind.meaning());
    text += &of("cure", rule.cure);
    for limit in rule.limits.iter().flat_map(|limits| limits.iter()) {
        text += &of("limit", &format!("{} ({}).{}", limit.in_words(), limit.why.name(), limit.reason));
    }
    text
}

fn whole(topic: &Topic) -> String {
    let of = |name: &str, text: &str| indented(&format!("  {name:8} "), &" ".repeat(11), text);
    let head = indented("  ", "  ", topic.meaning);
    let rest = [of("formula", topic.formula), of("source", topic.source), of("advice", topic.advice)].concat();
    format!("{}\n{head}\n{rest}", topic.name)
}

/// Wraps a paragraph.
fn indented(first: &str, others: &str, text: &str) -> String {
    let width = match terminal::width() {
        0 => WIDTH,
        width => width.clamp(40, WIDTH),
    };
    wrap_to(&format!("{first}{text}"), others.len(), width) + "\n"
}

/// Normal form of a name: `Late-Sender` becomes `late_sender`.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}
