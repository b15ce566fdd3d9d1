//! Findings as a table for programs.

use super::Finding;
use crate::totals::percent;
use model::sites::line_and_caller;
use tables::{Column, Row, Table};

pub struct FindingRow {
    finding: Finding,
    wall: f64,
}

impl Row for FindingRow {
    const TABLE: &'static str = "findings";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("kind", "finding", |row: &Self| row.finding.kind.key().to_string())
                .means("The rule that made the finding."),
            Column::seconds("saves_s", "saves", |row: &Self| row.finding.saving.map(|saving| saving.time))
                .means("By how much the run would be shorter without its cause and those above, by a replay; empty if that cannot tell."),
            Column::seconds("saves_error_s", "", |row: &Self| row.finding.saving.map(|saving| saving.error))
                .means("By how much saves_s may be off."),
            Column::seconds("at_most_s", "at most", |row: &Self| row.finding.costs)
                .means("The mean rank's time that it costs at most; empty if unknown."),
            Column::percent("percent", "%", |row: &Self| percent(row.finding.worth(), row.wall).filter(|share| *share > 0.0))
            .means("saves_s, or else at_most_s, as a share of the mean rank's wall time."),
            Column::text("ranks", "ranks", |row: &Self| {
                let names = row.finding.ranks.iter().map(ToString::to_string);
                names.collect::<Vec<_>>().join(" ")
            })
            .means("The ranks that cause it."),
            Column::text("sites", "call sites", |row: &Self| lines(&row.finding, |(line, _)| Some(line.into())))
                .means("The lines that call MPI which it names, the cause first."),
            Column::text("callers", "called from", |row: &Self| lines(&row.finding, |(_, caller)| caller))
                .means("The lines that call functions of the same file around these, where a function is called at several."),
            Column::text("headline", "", |row: &Self| row.finding.headline.clone())
                .means("The finding in one sentence, and what it costs."),
            Column::text("detail", "", |row: &Self| row.finding.detail.clone()).means("Further sentences about it."),
            Column::text("advice", "", |row: &Self| row.finding.next.clone()).means("What to try next."),
            Column::text("command", "", |row: &Self| row.finding.command().to_string())
                .means("The command that shows the figures."),
        ]
    }
}

/// Lines of a finding's call sites, each once, in their order.
fn lines(finding: &Finding, part: impl Fn((&str, Option<String>)) -> Option<String>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in finding.sites.iter().filter_map(|site| part(line_and_caller(site))) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join(" ")
}

/// One row for each finding, the most important first; `wall` is the mean rank's wall time in seconds.
pub fn finding_table(findings: &[Finding], wall: f64) -> Table<FindingRow> {
    let row = |finding: &Finding| FindingRow { finding: finding.clone(), wall };
    Table::new(FindingRow::TABLE, findings.iter().map(row).collect())
}
