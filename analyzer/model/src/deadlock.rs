//! Which ranks no order of events can free.
//!
//! In: what each rank needs before it goes on, of which others. Out: those that never will. A rank in a receive needs one rank, one in
//! a barrier all that have not come (AND), one in a receive from any source whichever sends first (OR). In this AND-OR model a cycle
//! alone may be no deadlock (Knapp, ACM Computing Surveys 19(4), 1987; for MPI: Hilbrich et al., SC'12 and MUST): ranks that can go on
//! are taken as going on until that frees nobody more, and the rest is deadlocked.

/// What has to happen before a rank goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Need {
    /// Nothing, or what nobody knows of.
    Nothing,
    /// What cannot happen any more.
    Impossible,
    /// This rank has to go on.
    Rank(usize),
    /// All of these.
    All(Vec<Need>),
    /// One of these.
    Any(Vec<Need>),
}

impl Need {
    /// Whether it is met once these ranks go on.
    fn is_met(&self, go_on: &[bool]) -> bool {
        match self {
            Need::Nothing => true,
            Need::Impossible => false,
            Need::Rank(rank) => go_on[*rank],
            Need::All(needs) => needs.iter().all(|need| need.is_met(go_on)),
            Need::Any(needs) => needs.iter().any(|need| need.is_met(go_on)),
        }
    }

    /// The ranks in it, each once, in order.
    pub fn ranks(&self) -> Vec<usize> {
        let mut ranks = Vec::new();
        self.collect(&mut ranks);
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    fn collect(&self, ranks: &mut Vec<usize>) {
        match self {
            Need::Rank(rank) => ranks.push(*rank),
            Need::All(needs) | Need::Any(needs) => needs.iter().for_each(|need| need.collect(ranks)),
            Need::Nothing | Need::Impossible => {}
        }
    }

    /// Whether one of several ranks would do.
    pub fn has_choice(&self) -> bool {
        match self {
            Need::Any(needs) => needs.len() > 1 || needs.iter().any(Need::has_choice),
            Need::All(needs) => needs.iter().any(Need::has_choice),
            Need::Nothing | Need::Impossible | Need::Rank(_) => false,
        }
    }
}

/// Of each rank, by what it needs, whether it will never go on.
pub fn deadlocked(needs: &[Need]) -> Vec<bool> {
    let mut go_on = vec![false; needs.len()];
    loop {
        let freed: Vec<usize> = (0..needs.len()).filter(|at| !go_on[*at] && needs[*at].is_met(&go_on)).collect();
        if freed.is_empty() {
            return go_on.into_iter().map(|goes_on| !goes_on).collect();
        }
        freed.into_iter().for_each(|at| go_on[at] = true);
    }
}

/// Deadlocked ranks that wait for each other in a circle, and outside of it for nobody who is not in it: the knots of the graph. A
/// rank that waits for itself is one.
pub fn knots(needs: &[Need], deadlocked: &[bool]) -> Vec<Vec<usize>> {
    let next = |at: usize| needs[at].ranks().into_iter().filter(|other| deadlocked[*other]);
    let reached = |from: usize| {
        let (mut seen, mut left) = (vec![false; needs.len()], vec![from]);
        while let Some(at) = left.pop() {
            for other in next(at) {
                if !std::mem::replace(&mut seen[other], true) {
                    left.push(other);
                }
            }
        }
        seen
    };
    let mut knots: Vec<Vec<usize>> = Vec::new();
    for at in (0..needs.len()).filter(|at| deadlocked[*at]) {
        if knots.iter().any(|knot| knot.contains(&at)) {
            continue;
        }
        let seen = reached(at);
        let members: Vec<usize> = (0..needs.len()).filter(|other| seen[*other]).collect();
        if seen[at] && members.iter().all(|other| reached(*other)[at]) {
            knots.push(members);
        }
    }
    knots
}

#[cfg(test)]
mod tests {
    use super::{Need, Need::*, deadlocked, knots};

    fn any(ranks: &[usize]) -> Need {
        Any(ranks.iter().map(|rank| Rank(*rank)).collect())
    }

    fn all(ranks: &[usize]) -> Need {
        All(ranks.iter().map(|rank| Rank(*rank)).collect())
    }

    #[test]
    fn a_cycle_of_and_waits_is_a_deadlock_and_who_waits_for_it_is_stuck_too() {
        let needs = [Rank(1), Rank(2), Rank(0), Rank(0), Nothing];
        let stuck = deadlocked(&needs);
        assert_eq!(stuck, [true, true, true, true, false]);
        assert_eq!(knots(&needs, &stuck), [vec![0, 1, 2]]);
    }

    #[test]
    fn a_cycle_that_a_wildcard_can_leave_is_none() {
        let needs = [any(&[1, 2]), Rank(0), Nothing];
        assert_eq!(deadlocked(&needs), [false, false, false]);
    }

    #[test]
    fn wildcards_that_all_lead_into_each_other_are_a_knot() {
        let needs = [any(&[1, 2]), any(&[0, 2]), any(&[0, 1])];
        let stuck = deadlocked(&needs);
        assert_eq!((stuck.as_slice(), knots(&needs, &stuck)), (&[true; 3][..], vec![vec![0, 1, 2]]));
        assert!(needs[0].has_choice());
    }

    #[test]
    fn all_of_several_need_each_of_them_and_what_cannot_happen_frees_nobody() {
        let needs = [all(&[1, 2]), Nothing, Impossible, Rank(3)];
        let stuck = deadlocked(&needs);
        assert_eq!(stuck, [true, false, true, true]);
        assert_eq!(knots(&needs, &stuck), [vec![3]], "it waits for itself");
    }
}
