//! Collective calls that all members are in and in which nothing is missing: only the library keeps them from completing.

use super::SeenRun;
use super::object_names::communicator;
use model::rank::function_of;
use model::standing::{CollectivePart, RankStanding};

impl SeenRun<'_> {
    /// The first such call in words, and the ranks in it: `all 4 members of halo are in MPI_Barrier, collective call 2 of
    /// it`. MPI_Finalize is one if all ranks are in it.
    pub(super) fn complete_call(&self) -> Option<(String, Vec<usize>)> {
        let [is, are] = if self.is_live() { ["is", "are"] } else { ["was", "were"] };
        let mut parts = self.standing.ranks.iter().flat_map(RankStanding::collectives);
        if let Some(part) = parts.find(|part| self.is_complete(part)) {
            let (name, call) = (communicator(self, part.object), function_of(part.kind.function));
            let group = &self.standing.objects.groups[part.object as usize];
            let who = match group.size() {
                1 => format!("the only member of {name} {is}"),
                size => format!("all {size} members of {name} {are}"),
            };
            let words = format!("{who} in {call}, collective call {} of it", part.ordinal + 1);
            return Some((words, group.everybody().map(|rank| rank as usize).collect()));
        }
        let ranks = &self.standing.ranks;
        let finalizes = |at: &usize| ranks[*at].entered().any(|(_, entered)| entered.finalizes());
        let is_last = self.standing.is_whole && self.all().all(|at| ranks[at].is_finalized() || finalizes(&at));
        let last: Vec<usize> = self.all().filter(finalizes).collect();
        (is_last && !last.is_empty()).then(|| (format!("all ranks {are} in MPI_Finalize"), last))
    }

    /// True if all members are in a collective call, or complete it, with arguments that fit.
    fn is_complete(&self, part: &CollectivePart) -> bool {
        let (standing, graph) = (self.standing, &self.graph);
        let group = &standing.objects.groups[part.object as usize];
        let key = |part: &CollectivePart| (part.object, part.ordinal, part.starts);
        let is_in = |at: usize| {
            standing.ranks[at].collectives().any(|own| key(&own) == key(part)) && graph.needs[at].is_met_already()
        };
        group.is_here() && graph.absences(part).is_empty() && group.everybody().all(|at| is_in(at as usize))
    }
}
