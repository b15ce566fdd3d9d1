//! Finds the needs of calls on windows: locks that other ranks hold, and ranks that have not opened or closed the window.

use traces::calls::Call;
use traces::signature::lock::EXCLUSIVE;

use super::Graph;
use crate::deadlock::{Doubt, Need};
use crate::standing::{Entered, OpenedTo, Standing};

impl Graph<'_> {
    /// The need of a call on a window; `None` for other calls. Libraries may postpone the opening of windows and the taking of
    /// locks.
    pub(super) fn window(&self, at: usize, entered: &Entered) -> Option<Need> {
        use traces::calls::Class::Rma;
        let call = entered.call().filter(|call| call.class() == Rma && *call != Call::Win_fence)?;
        let (Some(window), past) = (entered.role.object, &self.standing.ranks[at].past.windows) else {
            return Some(Need::Unknown);
        };
        let own = at as u32;
        let completed =
            |peer: u32| self.standing.ranks[peer as usize].past.windows.completed.get(&(window, own)).copied();
        let posted = |peer: u32| self.standing.ranks[peer as usize].past.windows.posted.get(&(window, own)).copied();
        let all = |peers: &[OpenedTo], times: &dyn Fn(u32) -> Option<u64>| {
            let is_due = |(peer, before): &&OpenedTo| times(*peer).unwrap_or(0) <= *before;
            Need::all(peers.iter().filter(is_due).map(|(peer, _)| Need::Rank(*peer as usize)).collect())
        };
        Some(match call {
            Call::Win_wait | Call::Win_test => {
                past.exposed.get(&window).map_or(Need::Unknown, |peers| all(peers, &completed))
            }
            Call::Win_complete => {
                let need = past.accessed.get(&window).map_or(Need::Unknown, |peers| all(peers, &posted));
                need.doubted(Doubt::Library)
            }
            Call::Win_start => match self.opened_to(at, entered) {
                Some(peers) => all(&peers, &posted).doubted(Doubt::Library),
                None => self.someone_posts(at, window),
            },
            // The window is open already.
            Call::Win_post => Need::Nothing,
            _ => match holders(self.standing, at, entered) {
                // The target may have to act, or the data is under way.
                holders if holders.is_empty() => Need::Unknown,
                holders => Need::any(holders.into_iter().map(Need::Rank).collect()).doubted(Doubt::Library),
            },
        })
    }

    /// The need of MPI_Win_start with an unknown group: if no rank has posted for this one, one of the others.
    fn someone_posts(&self, at: usize, window: u32) -> Need {
        let group = &self.standing.objects.groups[window as usize];
        let own = &self.standing.ranks[at].past.windows;
        let others: Vec<usize> = group.everybody().map(|other| other as usize).filter(|other| *other != at).collect();
        let has_posted = |other: &usize| {
            let posted = self.standing.ranks[*other].past.windows.posted.get(&(window, at as u32)).copied();
            posted.unwrap_or(0) > own.started(window, *other as u32)
        };
        match !group.is_here() || others.iter().any(has_posted) {
            true => Need::Unknown,
            false => Need::any(others.into_iter().map(Need::Rank).collect()).doubted(Doubt::Library),
        }
    }

    /// Ranks given to MPI_Win_start, with the number of earlier starts. `None` if its group is not known yet.
    fn opened_to(&self, at: usize, entered: &Entered) -> Option<Vec<OpenedTo>> {
        let (window, group) = (entered.role.object?, u32::try_from(entered.role.to.1).ok()?);
        let peers = self.standing.objects.opened_to(at as u32, group)?;
        let past = &self.standing.ranks[at].past.windows;
        Some(peers.iter().map(|peer| (*peer, past.started(window, *peer))).collect())
    }
}

/// The ranks that hold a lock which a call on a window may wait for.
pub fn holders(standing: &Standing, at: usize, entered: &Entered) -> Vec<usize> {
    let Some(window) = entered.role.object else { return Vec::new() };
    let group = &standing.objects.groups[window as usize];
    let own = &standing.ranks[at].past.windows;
    let target = group.peer(at, entered.signature.peer);
    let own_kind = match (entered.call(), target) {
        (Some(Call::Win_lock), _) => Some(entered.role.to.1),
        (_, Some(target)) => own.locks.get(&(window, target)).copied(),
        _ => None,
    };
    let holds = |other: usize| {
        let other = &standing.ranks[other].past.windows;
        let conflicts = |kind: i32| kind == EXCLUSIVE || own_kind == Some(EXCLUSIVE);
        let here = other.locks.iter().filter(|((on, _), _)| *on == window);
        let mut same = here.filter(|((_, locked), _)| target.is_none_or(|target| target == *locked));
        same.any(|(_, kind)| conflicts(*kind)) || own_kind == Some(EXCLUSIVE) && other.all_locked.contains(&window)
    };
    group.everybody().map(|other| other as usize).filter(|other| *other != at && holds(*other)).collect()
}
