//! Finds ranks that no order of events can free.
//!
//! In: each rank's need of other ranks. Out: the ranks that will never go on. A rank in a receive needs one rank, one in a
//! barrier all that have not come (AND), one in a receive from any source whichever sends first (OR). In this AND-OR model a
//! cycle alone need not be a deadlock (Knapp, ACM Computing Surveys 19(4), 1987; for MPI: Hilbrich et al., SC'12 and MUST): ranks
//! that can go on are released until that frees no other, and the rest is deadlocked.
//!
//! Some needs are doubted: by MPI's rules the rank waits, but a library or the program may have another way out. The caller
//! chooses which doubts to ignore.

/// The event that a rank needs before it goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Need {
    /// The awaited event has happened.
    Nothing,
    /// The recorded calls and messages do not show the need.
    Unknown,
    /// The awaited event cannot happen any more.
    Impossible,
    /// This rank must go on.
    Rank(usize),
    /// All of these needs.
    All(Vec<Need>),
    /// One of these needs.
    Any(Vec<Need>),
    /// This need, unless the doubt is right.
    Doubted(Doubt, Box<Need>),
}

/// Reason why a rank may go on although it waits by MPI's rules. Ignoring a doubt ignores those before it, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Doubt {
    /// The process is dead, and the launcher may be about to end the others.
    Ending,
    /// A library need not wait there, or waits for other ranks.
    Library,
    /// The message that it waits for is there, unless a receive from any source or with any tag, posted before, has taken it.
    Wildcard,
    /// The program polls without a pause, and may stop polling.
    Polls,
    /// The program works between its polls, a library may have buffered the message, a thread that has not called MPI may still
    /// do so, or calls are missing from the recording.
    Program,
    /// The process is stopped, and may be continued.
    Stopped,
}

impl Need {
    /// This need, with a doubt.
    pub fn doubted(self, doubt: Doubt) -> Need {
        match self {
            Need::Nothing | Need::Unknown => self,
            need => Need::Doubted(doubt, Box::new(need)),
        }
    }

    pub fn all(mut needs: Vec<Need>) -> Need {
        if needs.len() == 1 { needs.remove(0) } else { Need::All(needs) }
    }

    pub fn any(mut needs: Vec<Need>) -> Need {
        if needs.len() == 1 { needs.remove(0) } else { Need::Any(needs) }
    }

    /// True if the need is met once these ranks go on; doubts up to `aside` are ignored.
    fn is_met(&self, go_on: &[bool], aside: Option<Doubt>) -> bool {
        match self {
            Need::Nothing | Need::Unknown => true,
            Need::Impossible => false,
            Need::Rank(rank) => go_on[*rank],
            Need::All(needs) => needs.iter().all(|need| need.is_met(go_on, aside)),
            Need::Any(needs) => needs.iter().any(|need| need.is_met(go_on, aside)),
            Need::Doubted(doubt, need) => aside < Some(*doubt) || need.is_met(go_on, aside),
        }
    }

    /// True if calls and messages show that the need is met, whatever other ranks do.
    pub fn is_met_already(&self) -> bool {
        match self {
            Need::Nothing => true,
            Need::Unknown | Need::Impossible | Need::Rank(_) | Need::Doubted(..) => false,
            Need::All(needs) => needs.iter().all(Need::is_met_already),
            Need::Any(needs) => needs.iter().any(Need::is_met_already),
        }
    }

    /// This need with unknown parts taken as impossible.
    pub fn as_far_as_known(&self) -> Need {
        let all = |needs: &[Need]| needs.iter().map(Need::as_far_as_known).collect();
        match self {
            Need::Unknown => Need::Impossible,
            Need::All(needs) => Need::All(all(needs)),
            Need::Any(needs) => Need::Any(all(needs)),
            Need::Doubted(doubt, need) => Need::Doubted(*doubt, Box::new(need.as_far_as_known())),
            need => need.clone(),
        }
    }

    /// The ranks in the need, sorted and without repeats.
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
            Need::Doubted(_, need) => need.collect(ranks),
            Need::Nothing | Need::Unknown | Need::Impossible => {}
        }
    }

    /// True if one of several ranks would do.
    pub fn has_choice(&self) -> bool {
        match self {
            Need::Any(needs) => needs.len() > 1 || needs.iter().any(Need::has_choice),
            Need::All(needs) => needs.iter().any(Need::has_choice),
            Need::Doubted(_, need) => need.has_choice(),
            Need::Nothing | Need::Unknown | Need::Impossible | Need::Rank(_) => false,
        }
    }
}

/// Tells for each rank, given its need, if it can never go on. Doubts up to `aside` are ignored.
pub fn deadlocked(needs: &[Need], aside: Option<Doubt>) -> Vec<bool> {
    let mut go_on = vec![false; needs.len()];
    loop {
        let is_freed = |at: &usize| !go_on[*at] && needs[*at].is_met(&go_on, aside);
        let freed: Vec<usize> = (0..needs.len()).filter(is_freed).collect();
        if freed.is_empty() {
            return go_on.into_iter().map(|goes_on| !goes_on).collect();
        }
        for at in freed {
            go_on[at] = true;
        }
    }
}

/// Finds the knots of the graph: deadlocked ranks that wait for each other in a cycle, and for no rank outside it. A rank that
/// waits for itself is a knot.
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
    use super::{Doubt, Need, Need::*, deadlocked, knots};

    fn any(ranks: &[usize]) -> Need {
        Any(ranks.iter().map(|rank| Rank(*rank)).collect())
    }

    fn all(ranks: &[usize]) -> Need {
        All(ranks.iter().map(|rank| Rank(*rank)).collect())
    }

    #[test]
    fn a_cycle_of_and_waits_is_a_deadlock_and_who_waits_for_it_is_stuck_too() {
        let needs = [Rank(1), Rank(2), Rank(0), Rank(0), Nothing];
        let stuck = deadlocked(&needs, None);
        assert_eq!(stuck, [true, true, true, true, false]);
        assert_eq!(knots(&needs, &stuck), [vec![0, 1, 2]]);
    }

    #[test]
    fn a_cycle_that_a_wildcard_can_leave_is_none() {
        let needs = [any(&[1, 2]), Rank(0), Nothing];
        assert_eq!(deadlocked(&needs, None), [false, false, false]);
    }

    #[test]
    fn wildcards_that_all_lead_into_each_other_are_a_knot() {
        let needs = [any(&[1, 2]), any(&[0, 2]), any(&[0, 1])];
        let stuck = deadlocked(&needs, None);
        assert_eq!((stuck.as_slice(), knots(&needs, &stuck)), (&[true; 3][..], vec![vec![0, 1, 2]]));
        assert!(needs[0].has_choice());
    }

    #[test]
    fn all_of_several_need_each_of_them_and_what_cannot_happen_frees_nobody() {
        let needs = [all(&[1, 2]), Nothing, Impossible, Rank(3)];
        let stuck = deadlocked(&needs, None);
        assert_eq!(stuck, [true, false, true, true]);
        assert_eq!(knots(&needs, &stuck), [vec![3]], "it waits for itself");
    }

    #[test]
    fn a_doubt_frees_a_rank_until_it_is_put_aside_and_the_doubts_before_it_with_it() {
        let needs = [Rank(1).doubted(Doubt::Library), Rank(0), Impossible.doubted(Doubt::Stopped), Rank(2)];
        assert_eq!(deadlocked(&needs, None), [false; 4]);
        assert_eq!(deadlocked(&needs, Some(Doubt::Ending)), [false; 4]);
        assert_eq!(deadlocked(&needs, Some(Doubt::Program)), [true, true, false, false]);
        assert_eq!(deadlocked(&needs, Some(Doubt::Stopped)), [true; 4]);
    }

    #[test]
    fn what_nobody_can_tell_frees_a_rank_and_is_not_known_to() {
        let need = any(&[1, 2]);
        assert!(!need.is_met_already() && Any(vec![need.clone(), Nothing]).is_met_already());
        let needs = [Unknown, All(vec![Unknown, Nothing]), Rank(0)];
        assert_eq!(deadlocked(&needs, Some(Doubt::Stopped)), [false; 3]);
        let known: Vec<Need> = needs.iter().map(Need::as_far_as_known).collect();
        assert_eq!(deadlocked(&known, None), [true; 3]);
    }
}
