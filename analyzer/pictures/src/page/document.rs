//! Markup of a page. All text goes through `maud`, which escapes it; [`visible`] makes control characters in names
//! readable.

use maud::{Markup, html};

use super::shell::{self, command, data, shell, sources, term, warnings};
use super::{Page, PageSection, modules, table_json};
use metrics::overview;
use metrics::summary::Finding;
use tables::Fact;
use tables::visible::visible;

pub fn markup(page: &Page) -> Markup {
    let body = html! {
        (header(page))
        (navigation(page))
        main id="main" tabindex="-1" {
            (summary(page))
            @if page.timeline.is_some() { (timeline()) }
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

/// Notes behind a fact, such as hosts behind the number of ranks.
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
                p.none { "Nothing stands out: no rank waits, and no rank has more to do than others, as far as the figures show." }
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

/// Element for the timeline.
fn timeline() -> Markup {
    html! {
        section id="timeline" aria-labelledby="timeline-title" {
            h2 id="timeline-title" { "Timeline" }
            p.question { "Who did what when? Tables below are of the time and ranks in view, or say that they are of the whole run." }
            div id="timeline-place" {}
            (command("overhear timeline DIR"))
        }
    }
}

fn sentence(page: &Page, finding: &Finding) -> Markup {
    html! {
        li {
            p { (visible(&finding.text())) " " a href={ "#" (finding.section) } { (title(page, finding.section)) } }
            @if let Some(next) = &finding.next { p.next { span { "Next: " } (visible(next)) } }
        }
    }
}

/// Heading of a section.
fn title(page: &Page, id: &str) -> &'static str {
    page.sections.iter().find(|section| section.id == id).map_or("About the run", |section| section.title)
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
    shell::section(section, &content)
}

fn about(page: &Page) -> Markup {
    html! {
        section id="run" aria-labelledby="run-title" {
            h2 id="run-title" { "About the run" }
            p.question { "What was recorded, and what has to be known to read the figures right?" }
            @if page.warnings.is_empty() { p.none { "No warnings: all ranks are there, and their recordings are whole." } }
            (warnings(page.warnings.iter()))
            dl.facts.all { @for fact in &page.facts { (row(fact)) } }
        }
    }
}

/// A fact's key, without the unit, and its value.
fn row(fact: &Fact) -> Markup {
    let name = ["_s", "_bytes", "_percent"].iter().find_map(|unit| fact.key.name.strip_suffix(unit));
    html! { div { dt { (name.unwrap_or(fact.key.name).replace('_', " ")) } dd { (value(fact)) } } }
}

/// A fact's value, line by line. The browser writes a time of day in the reader's time zone.
fn value(fact: &Fact) -> Markup {
    match fact.key == overview::BEGAN {
        true => html! { time data-unix=[fact.value.number()] {} },
        false => html! { @for line in fact.value.to_string().lines() { div { (visible(&line.replace('\t', " "))) } } },
    }
}
