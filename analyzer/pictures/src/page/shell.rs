//! The parts that all pages share: the document around their content, sections, and smaller ones.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::json;

use super::{PageSection, modules};
use crate::{SourceLines, timeline};
use tables::Fact;
use tables::visible::visible;

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

pub fn term(fact: &Fact) -> Markup {
    html! { div { dt { (fact.heading) } dd { (visible(&fact.to_string())) } } }
}

/// Command that prints the section, and an element for the options that select the visible part.
pub fn command(words: &str) -> Markup {
    html! { p.command { "The same in a terminal: " code { (words) span.choice {} } } }
}

/// An analysis: its title, its question, and the command that prints the same.
pub fn section(section: &PageSection, content: &Markup) -> Markup {
    let title = format!("{}-title", section.id);
    html! {
        section id=(section.id) aria-labelledby=(title) {
            h2 id=(title) { (section.title) }
            p.question { (section.question) }
            (content)
            (command(section.command))
        }
    }
}

pub fn warnings<'a>(warnings: impl Iterator<Item = &'a String>) -> Markup {
    let warnings: Vec<&String> = warnings.collect();
    html! {
        @if !warnings.is_empty() {
            ul.warnings { @for warning in warnings { li { (visible(warning)) } } }
        }
    }
}
