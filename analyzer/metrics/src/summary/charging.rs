//! Charges each time to one finding: the costs of the program's findings add up to no more than the ranks' time in MPI, but for polls:
//! the time between two of them lies outside.

use super::{Evidence, Finding, FindingKind};

/// Limits costs, also in words, to the time in MPI that the findings before them leave. What costs most comes first; what only totals show
/// comes behind that, and last the time that nothing explains.
pub fn charge_once(known: &Evidence, all: &mut [Finding]) {
    let order = |finding: &Finding| match finding.kind {
        FindingKind::Transfer => 2,
        FindingKind::UnevenTotals => 1,
        _ => 0,
    };
    let costs = |finding: &Finding| finding.costs.unwrap_or(0.0);
    all.sort_by(|a, b| order(a).cmp(&order(b)).then(costs(b).total_cmp(&costs(a))));
    let mut left = known.in_mpi();
    // Between two polls a rank waits outside MPI.
    let is_in_mpi = |finding: &&mut Finding| !(finding.kind.is_about_the_run() || finding.kind == FindingKind::Polling);
    for finding in all.iter_mut().filter(is_in_mpi) {
        finding.limit(known, left);
        left -= finding.costs.unwrap_or(0.0);
    }
}

impl Finding {
    /// Adds a cost that the headline does not name.
    pub(super) fn add_costs(&mut self, seconds: f64) {
        self.said = self.said.or(self.costs);
        self.costs = self.costs.map(|costs| costs + seconds);
    }

    fn limit(&mut self, known: &Evidence, most: f64) {
        let most = most.max(0.0);
        let Some(costs) = self.costs.filter(|costs| *costs > most) else { return };
        self.costs = Some(most);
        let limited = known.cost(most);
        self.detail = self.detail.replace(&known.cost(costs), &limited);
        let said = self.said.unwrap_or(costs);
        if said > most {
            self.headline = self.headline.replace(&known.cost(said), &limited);
            self.said = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::summary::Answers;
    use model::Run;

    #[test]
    fn a_finding_gets_no_more_than_those_before_it_leave_and_says_so() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/samples");
        let run = Run::load(&samples.join("integer_sort-openmpi")).unwrap();
        let (account, walk, efficiency, requests, at_end) = (None, None, None, None, None);
        let known = Evidence {
            run: &run,
            account,
            walk,
            efficiency,
            engines: &[],
            requests,
            at_end,
            answers: Answers::default(),
        };
        let in_mpi = known.in_mpi();
        let finding = |kind, costs: f64| {
            let headline = format!("It costs: {}.", known.cost(costs));
            Finding::new(kind, "waits", headline).costs(costs)
        };
        let mut joined = finding(FindingKind::LateRank, 0.2 * in_mpi);
        joined.add_costs(0.6 * in_mpi);
        joined.add(&format!("Together: {}.", known.cost(0.8 * in_mpi)));
        let machine = finding(FindingKind::BusyHost, in_mpi);
        let mut all = [joined, machine, finding(FindingKind::WrongOrder, 0.9 * in_mpi)];
        charge_once(&known, &mut all);
        let shares = all.each_ref().map(|finding| (finding.costs.unwrap() / in_mpi * 100.0).round());
        assert_eq!(shares, [100.0, 90.0, 10.0], "what the machine costs is no cost of the program");
        let joined = &mut all[2];
        assert_eq!(joined.detail, format!("Together: {}.", known.cost(in_mpi - 0.9 * in_mpi)));
        assert_eq!(joined.headline, format!("It costs: {}.", known.cost(in_mpi - 0.9 * in_mpi)), "a part is not more");
    }
}
