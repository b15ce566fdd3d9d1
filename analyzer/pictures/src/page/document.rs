//! Markup of a page. All text goes through `maud`, which escapes it; [`visible`] makes control characters in names
//! readable.

use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::json;

use super::{Page, PageSection, modules, table_json};
use crate::{SourceLines, timeline};
use metrics::overview;
use metrics::summary::Finding;
use tables::Fact;
use tables::visible::visible;
use tables::wrapping::held_together;
use traces::folder::as_typed;

pub fn markup(page: &Page) -> Markup {
    let body = html! {
        (header(page))
        (navigation(page))
        main id="main" tabindex="-1" {
            (summary(page))
            @if page.timeline.is_some() { (timeline(page)) }
            @for section in &page.sections { (analysis(page, section)) }
            (about(page))
        }
        (data("tables", &table_json::json(&page.sections)))
        (sources(&page.sources))
        @if let Some(timeline) = &page.timeline { (data("timeline-data", timeline)) }
    };
    shell(&page.program, &body, modules::START)
}

fn header(page: &Page) -> Markup {
    let shown = page.facts.iter().filter(|fact| !fact.heading.is_empty());
    html! {
        header {
            div.bar {
                h1 { (visible(&page.program)) }
                button type="button" id="theme" { "Theme: auto" }
            }
            @for fact in page.facts.iter().filter(|fact| fact.key == overview::PROGRAM) {
                p.of { (visible(&notes(fact))) }
            }
            dl.facts {
                @for fact in shown.filter(|fact| fact.key != overview::PROGRAM) { (term(fact)) }
            }
        }
    }
}

/// Notes after a fact, such as hosts after the number of ranks.
fn notes(fact: &Fact) -> String {
    let text: String = fact.note.iter().map(|note| note.to_string()).collect();
    text.trim_start_matches(", ").into()
}

fn navigation(page: &Page) -> Markup {
    html! {
        nav aria-label="Sections" {
            ul {
                li { a href="#summary" { "Summary" } }
                @if page.timeline.is_some() { li { a href="#timeline" { "Timeline" } } }
                @for section in &page.sections { li { a href={ "#" (section.id) } { (section.title) } } }
                li { a href="#run" { "About the run" } }
            }
        }
    }
}

fn summary(page: &Page) -> Markup {
    html! {
        section id="summary" aria-labelledby="summary-title" {
            h2 id="summary-title" { "Summary" }
            @if page.findings.is_empty() {
                p.none { (prose(&page.no_finding)) }
            } @else {
                ol.findings { @for finding in &page.findings { (sentence(page, finding)) } }
            }
            @if !page.warnings.is_empty() {
                p { a href="#run" { (page.warnings.len()) @if page.warnings.len() == 1 { " warning" } @else { " warnings" } }
                    " to know before you rely on a figure." }
            }
        }
    }
}

fn timeline(page: &Page) -> Markup {
    html! {
        section id="timeline" aria-labelledby="timeline-title" {
            h2 id="timeline-title" { "Timeline" }
            p.question { "Who did what when? Tables below are of the time and ranks in view, or say that they are of the whole run." }
            div id="timeline-place" {}
            (command(&of_run(page, "overhear timeline DIR")))
        }
    }
}

fn sentence(page: &Page, finding: &Finding) -> Markup {
    // The machine has no section: it belongs to the description of the run.
    let section = page.sections.iter().find(|section| section.id == finding.section);
    let (id, title) = section.map_or(("run", "About the run"), |section| (section.id, section.title));
    html! {
        li {
            p { (prose(&finding.text())) " " a href={ "#" (id) } { (title) } }
            @if let Some(next) = &finding.next { p.next { span { "Next: " } (prose(next)) } }
        }
    }
}

fn analysis(page: &Page, section: &PageSection) -> Markup {
    let content = html! {
        @match &section.found {
            Err(reason) => p.none { (visible(reason)) },
            Ok(_) => {
                @let facts: Vec<&Fact> = section.own_facts(page).collect();
                @if !facts.is_empty() { dl.facts { @for fact in facts { (term(fact)) } } }
                div.picture data-section=(section.id) {}
                div.tables data-section=(section.id) {}
                (warnings(section.own_warnings(page)))
            }
        }
    };
    framed_section(section, &of_run(page, section.command), &content)
}

/// A command with the run's folder, as far as that is known.
fn of_run(page: &Page, words: &str) -> String {
    let folder = page.facts.iter().find(|fact| fact.key == overview::FOLDER);
    let typed = |folder: &Fact| visible(&as_typed(Path::new(&folder.value.to_string()))).into_owned();
    folder.map_or(words.into(), |folder| words.replace("DIR", &typed(folder)))
}

fn about(page: &Page) -> Markup {
    html! {
        section id="run" aria-labelledby="run-title" {
            h2 id="run-title" { "About the run" }
            p.question { "What was recorded, and what has to be known to read the figures right?" }
            @if page.warnings.is_empty() { p.none { "No warnings: all ranks are there, and their recordings are whole." } }
            (warnings(page.warnings.iter()))
            p { "What the MPI library was set to, and by whom, is not here: " code { "overhear settings" } " shows it." }
            dl.facts.all { @for fact in &page.facts { (row(fact)) } }
        }
    }
}

/// A fact's key, without the unit that its value has, and its value.
fn row(fact: &Fact) -> Markup {
    html! { div { dt { (name(fact.key.name)) } dd { (value(fact)) } } }
}

/// Values in percent have no unit: the name has it, as in tables.
fn name(key: &str) -> String {
    let name = match key.strip_suffix("_percent") {
        Some(name) => format!("{name} %"),
        None => ["_unix_s", "_s", "_bytes"].iter().find_map(|unit| key.strip_suffix(unit)).unwrap_or(key).to_string(),
    };
    name.replace('_', " ")
}

/// A fact's value, line by line. The browser writes a time of day in the reader's time zone.
fn value(fact: &Fact) -> Markup {
    match fact.key == overview::BEGAN {
        true => {
            html! { time data-unix=[fact.value.number()] { @if let Some(time) = fact.value.number() { (utc(time)) } } }
        }
        false => html! { @for line in fact.value.to_string().lines() { div { (visible(&line.replace('\t', " "))) } } },
    }
}

/// Seconds since 1970 as a date and a time of day: `2026-03-01 12:00:00 UTC`.
fn utc(seconds: f64) -> String {
    let seconds = seconds as i64;
    let (mut day, time) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    while day >= 365 + i64::from(is_leap(year)) {
        day -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + i64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    let (hours, minutes, seconds) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year}-{:02}-{:02} {hours:02}:{minutes:02}:{seconds:02} UTC", month + 1, day + 1)
}

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src 'unsafe-inline' \
                      data: 'self' file:";

/// A document with this title and content, whose script is `start`.
pub fn shell(title: &str, content: &Markup, start: &str) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // The page makes no network request, whatever a name contains.
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (visible(title)) " · overhear" }
                style { (PreEscaped(modules::STYLE)) (PreEscaped(timeline::style())) }
                script type="importmap" { (PreEscaped(modules::import_map())) }
            }
            body {
                a.skip href="#main" { "Skip to the summary" }
                (content)
                noscript { p.none { "Tables and pictures need JavaScript; it is all in this file." } }
                script type="module" { (PreEscaped(start)) }
            }
        }
    }
}

/// Data for the modules: JSON without `<`.
pub fn data(id: &str, json: &str) -> Markup {
    html! { script type="application/json" id=(id) { (PreEscaped(json)) } }
}

/// Source lines by their places.
pub fn sources(lines: &SourceLines) -> Markup {
    data("sources", &json!(lines).to_string().replace('<', "\\u003c"))
}

/// A text with the words between backquotes as code.
pub fn prose(text: &str) -> Markup {
    let text = visible(text);
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (held_together(part)) }
        }
    }
}

pub fn term(fact: &Fact) -> Markup {
    html! { div { dt { (fact.heading) } dd { (visible(&fact.to_string())) } } }
}

/// Command that prints the section, and an element for the options that select the visible part.
pub fn command(words: &str) -> Markup {
    html! { p.command { "The same in a terminal: " code { (words) span.choice {} } } }
}

/// An analysis: its title, its question, and the command in these words that prints the same.
pub fn framed_section(section: &PageSection, words: &str, content: &Markup) -> Markup {
    let title = format!("{}-title", section.id);
    html! {
        section id=(section.id) aria-labelledby=(title) {
            h2 id=(title) { (section.title) }
            p.question { (section.question) }
            (content)
            (command(words))
        }
    }
}

pub fn warnings<'a>(warnings: impl Iterator<Item = &'a String>) -> Markup {
    let warnings: Vec<&String> = warnings.collect();
    html! {
        @if !warnings.is_empty() {
            ul.warnings { @for warning in warnings { li { (prose(warning)) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_written_without_a_browser() {
        for (seconds, text) in [
            (0.0, "1970-01-01 00:00:00 UTC"),
            (951_782_400.5, "2000-02-29 00:00:00 UTC"),
            (1_772_366_399.0, "2026-03-01 11:59:59 UTC"),
            (4_107_542_400.0, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(utc(seconds), text);
        }
    }

    #[test]
    fn facts_in_percent_and_in_seconds_have_names_of_their_own() {
        assert_eq!(name("overhear_delay_s"), "overhear delay");
        assert_eq!(name("overhear_delay_percent"), "overhear delay %");
        assert_eq!(name("began_unix_s"), "began");
        assert_eq!(name("ranks"), "ranks");
    }
}
