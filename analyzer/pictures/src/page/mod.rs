//! A run as one HTML page that opens from disk and needs neither network nor server.
//!
//! In: [`Page`], the reports of a run in reading order. Out: the file. Its texts are written here, as markup
//! ([`document`]); the modules in `analyzer/pictures/page/` draw tables and pictures in the browser, from the typed
//! rows that all formats print ([`table_json`]).

mod document;
mod modules;
mod pair;
mod table_json;

pub use pair::{PairPage, PairRun};
pub use table_json::ROWS;

use crate::SourceLines;
use metrics::summary::Finding;
use tables::{Fact, Report};

pub struct Page {
    pub program: String,
    pub facts: Vec<Fact>,
    pub warnings: Vec<String>,
    pub findings: Vec<Finding>,
    /// The sentences in their place, empty if there are any.
    pub no_finding: String,
    pub sections: Vec<PageSection>,
    /// Timeline data, the text of a script element; `None` if single calls are unknown.
    pub timeline: Option<String>,
    pub sources: SourceLines,
}

pub struct PageSection {
    pub id: &'static str,
    pub title: &'static str,
    /// Question that the section answers.
    pub question: &'static str,
    /// Command that prints the whole analysis.
    pub command: &'static str,
    /// The report, or the reason why there is none.
    pub found: Result<Report, String>,
}

impl Page {
    /// Text of the HTML file.
    pub fn html(&self) -> String {
        document::markup(self).into_string()
    }
}

impl PageSection {
    /// Facts of this section alone: every report repeats the run's.
    fn own_facts<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = &'a Fact> {
        let facts = self.found.iter().flat_map(|report| &report.facts);
        let is_own = |fact: &&Fact| !page.facts.iter().any(|other| other.key == fact.key);
        facts.filter(|fact| !fact.heading.is_empty()).filter(is_own)
    }

    /// Warnings of this section alone.
    fn own_warnings<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = &'a String> {
        let warnings = self.found.iter().flat_map(|report| &report.warnings);
        warnings.filter(|warning| !page.warnings.contains(warning))
    }
}
