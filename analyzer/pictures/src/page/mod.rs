//! A run as one page that opens from disk: what its analyses say, in one file of HTML that asks no network and no server.
//!
//! In: [`Page`], the reports of a run in the order to be read. Out: the file. What people read is written here, as markup
//! ([`document`]); tables and pictures are drawn in the browser by the modules in `analyzer/pictures/page/`, of the same typed rows that
//! every format prints ([`table_json`]).

mod document;
mod modules;
mod part_rules;
mod table_json;

use metrics::summary::Finding;
use tables::{Fact, Report};

/// What a page shows.
pub struct Page {
    /// Command line of the program.
    pub program: String,
    /// What is known of the run as a whole.
    pub facts: Vec<Fact>,
    /// What a reader has to know of it.
    pub warnings: Vec<String>,
    /// The summary in words.
    pub findings: Vec<Finding>,
    /// In the order to be read.
    pub sections: Vec<PageSection>,
    /// What the timeline is drawn of, where single calls are known: the text of a script element.
    pub timeline: Option<String>,
}

/// An analysis on a page.
pub struct PageSection {
    /// What links and modules call it.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// The question that it answers.
    pub question: &'static str,
    /// The command that prints all of it.
    pub command: &'static str,
    /// What it found, or why there is nothing.
    pub found: Result<Report, String>,
}

impl Page {
    /// The file.
    pub fn html(&self) -> String {
        document::markup(self).into_string()
    }
}

impl PageSection {
    /// Facts of its own: not those of the run, which every report has.
    fn own_facts<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = &'a Fact> {
        let facts = self.found.iter().flat_map(|report| &report.facts);
        let is_own = |fact: &&Fact| !page.facts.iter().any(|other| other.key == fact.key);
        facts.filter(|fact| !fact.heading.is_empty()).filter(is_own)
    }

    /// Warnings of its own.
    fn own_warnings<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = &'a String> {
        let warnings = self.found.iter().flat_map(|report| &report.warnings);
        warnings.filter(|warning| !page.warnings.contains(warning))
    }
}
