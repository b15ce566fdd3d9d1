//! Two runs on one page: sentences, both timelines on one scale of time, and tables with A and B beside each other.

use maud::{Markup, html};

use super::document::{data, shell, sources, term, warnings};
use super::{PageSection, document, modules, table_json};
use crate::SourceLines;
use metrics::compare::SitePairRow;
use metrics::paths::FramePairRow;
use metrics::words::plural;
use tables::visible::visible;
use tables::{Report, Row, Sheet};

/// Contents of a page of two runs.
pub struct PairPage {
    pub runs: [PairRun; 2],
    /// The runs' folders as `diff` takes them.
    pub folders: String,
    /// The differences, the most important first.
    pub sentences: Vec<String>,
    pub report: Report,
    pub sources: SourceLines,
}

pub struct PairRun {
    pub program: String,
    /// The MPI library.
    pub library: String,
    pub ranks: u32,
    /// Timeline data, or the reason why there is none.
    pub timeline: Result<String, String>,
}

/// Sections by the names of their tables: title, and the question that each answers.
const SECTIONS: [(&str, &str, &str); 11] = [
    (SitePairRow::TABLE, "Edits", "Which call sites are new, gone, replaced or moved?"),
    ("functions", "Functions", "Which MPI functions take more or less time?"),
    ("sites", "Call sites", "Which lines of the program take more or less time?"),
    ("computation", "Computation", "Between which calls does the program compute longer, or less long?"),
    ("wait_states", "Wait states", "Why do ranks wait, and how much longer or shorter?"),
    ("sizes", "Message sizes", "Calls of which sizes take more or less time?"),
    ("imbalance", "Imbalance", "Which functions are spread more or less evenly over the ranks?"),
    ("overlap", "Overlap", "Is more or less nonblocking communication hidden behind computation?"),
    (
        FramePairRow::TABLE,
        "Call paths",
        "Which of the program's functions lead to more time in MPI, or to less? Of the first run of each side.",
    ),
    ("pop", "Efficiency", "Which efficiencies have changed?"),
    ("ledger", "Progress engine", "Does the MPI library's progress engine do more or less?"),
];

const COMMAND: &str = "overhear diff RUNS";

impl PairPage {
    /// Text of the HTML file.
    pub fn html(self) -> String {
        let [a, b] = &self.runs;
        let title = if a.program == b.program {
            format!("{}: A and B", a.program)
        } else {
            format!("{} and {}", a.program, b.program)
        };
        let sections: Vec<PageSection> = self.report.tables.into_iter().map(section).collect();
        let has_timelines = a.timeline.is_ok() || b.timeline.is_ok();
        let body = html! {
            header {
                div.bar {
                    h1 { (visible(&title)) }
                    button type="button" id="theme" { "Theme: auto" }
                }
                dl.facts { @for fact in self.report.facts.iter().filter(|fact| !fact.heading.is_empty()) { (term(fact)) } }
            }
            nav aria-label="Sections" {
                ul {
                    li { a href="#summary" { "Summary" } }
                    @if has_timelines { li { a href="#timelines" { "Timelines" } } }
                    @for section in &sections { li { a href={ "#" (section.id) } { (section.title) } } }
                    li { a href="#notes" { "Notes" } }
                }
            }
            main id="main" tabindex="-1" {
                section id="summary" aria-labelledby="summary-title" {
                    h2 id="summary-title" { "Summary" }
                    ol.findings { @for sentence in &self.sentences { li { p { (visible(sentence)) } } } }
                }
                @if has_timelines { (timelines(&self.runs)) }
                @for section in &sections { (table(section, &self.folders)) }
                section id="notes" aria-labelledby="notes-title" {
                    h2 id="notes-title" { "Notes" }
                    p.question { "What has to be known to read the differences right?" }
                    (warnings(self.report.warnings.iter()))
                }
            }
            (data("tables", &table_json::json(&sections)))
            (sources(&self.sources))
            @for (side, run) in ["a", "b"].iter().zip(&self.runs) {
                @if let Ok(timeline) = &run.timeline { (data(&format!("timeline-data-{side}"), timeline)) }
            }
        };
        shell(&title, &body, modules::START_OF_PAIR).into_string()
    }
}

fn section(sheet: Sheet) -> PageSection {
    let known = SECTIONS.iter().find(|(name, ..)| *name == sheet.look.name);
    let (id, title, question) = *known.unwrap_or(&(sheet.look.name, sheet.look.name, ""));
    let found = Ok(Report { facts: Vec::new(), warnings: Vec::new(), tables: vec![sheet] });
    let command = match id {
        FramePairRow::TABLE => "overhear diff RUNS --by path",
        SitePairRow::TABLE => "overhear diff RUNS --format json",
        _ => COMMAND,
    };
    PageSection { id, title, question, command, found }
}

/// Elements for the timelines, A's above B's.
fn timelines(runs: &[PairRun; 2]) -> Markup {
    html! {
        section id="timelines" aria-labelledby="timelines-title" {
            h2 id="timelines-title" { "Timelines" }
            p.question { "Where does B take longer? Both begin at the left, on one scale; zooming one zooms the other. Tables below are of the whole runs." }
            div.pair {
                @for ((side, name), run) in [("a", "A"), ("b", "B")].iter().zip(runs) {
                    h3 class={ "side-" (side) } { (name) ": " (visible(&run.program)) ", " (plural(run.ranks.into(), "rank")) ", " (visible(&run.library)) }
                    @match &run.timeline {
                        Ok(_) => div id={ "timeline-" (side) } class={ "of-" (side) } {},
                        Err(reason) => p.none class={ "side-" (side) } { (visible(reason)) },
                    }
                }
            }
        }
    }
}

fn table(section: &PageSection, folders: &str) -> Markup {
    let of = if section.id == FramePairRow::TABLE { "picture" } else { "tables" };
    let command = section.command.replace("RUNS", &visible(folders));
    document::framed_section(section, &command, &html! { div class=(of) data-section=(section.id) {} })
}
