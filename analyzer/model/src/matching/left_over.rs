//! Objects and requests that the program makes and does not free or complete, by the line that made them.
//!
//! In: a rank's calls in the order they began. Out: for each line and kind the number that it made and how many of these live over time;
//! and by kind those that were freed, where nothing tells which line had made them. Communicators, windows and files are known by their
//! numbers, once they were used; datatypes and groups have none.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use traces::calls::{ArgumentKind, Call, Class};

use super::Rank;
use crate::objects::{ALONE, Objects};
use crate::roles::{CallPart, CallSites, Role, SpottedSite};
use crate::run_parts::{CountOverTime, RunParts};
use crate::sums::Grow;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LeftKind {
    Communicator,
    Window,
    File,
    Datatype,
    Group,
    Request,
}

/// Objects of one kind that one line of a rank made, or requests that it began.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LeftAtSite {
    /// Number made. Requests are not counted here.
    pub made: u64,
    /// Calls that MPI refused.
    pub refused: u64,
    /// Number that lived, over time.
    pub live: CountOverTime,
}

/// Effect of a function on objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    Nothing,
    Makes {
        kind: LeftKind,
        /// Some ranks may get none.
        may_be_none: bool,
    },
    Frees(LeftKind),
}

/// By the function's id.
static EFFECTS: LazyLock<Vec<Effect>> = LazyLock::new(|| {
    let mut effects = vec![Effect::Nothing; Call::LIMIT];
    for call in Call::all() {
        effects[call.row().id as usize] = effect(call);
    }
    effects
});

fn effect(call: Call) -> Effect {
    use ArgumentKind::{FreeComm, FreeFile, FreeGroup, FreeWin, NewComm, NewDatatype, NewFile, NewGroup, NewWin};
    // These return datatypes that MPI has made.
    let is_of_mpi = [Call::Type_create_f90_complex, Call::Type_create_f90_integer, Call::Type_create_f90_real]
        .contains(&call)
        || call == Call::Type_match_size;
    if matches!(call.class(), Class::Query | Class::Tool) || is_of_mpi {
        return Effect::Nothing;
    }
    let made = [
        (NewComm, LeftKind::Communicator),
        (NewWin, LeftKind::Window),
        (NewFile, LeftKind::File),
        (NewDatatype, LeftKind::Datatype),
        (NewGroup, LeftKind::Group),
    ];
    if let Some((_, kind)) = made.into_iter().find(|(argument, _)| call.has(*argument)) {
        return Effect::Makes { kind, may_be_none: kind == LeftKind::Communicator && !call.duplicates() };
    }
    let freed = [
        (FreeComm, LeftKind::Communicator),
        (FreeWin, LeftKind::Window),
        (FreeFile, LeftKind::File),
        (FreeGroup, LeftKind::Group),
    ];
    match freed.into_iter().find(|(argument, _)| call.has(*argument)) {
        Some((_, kind)) => Effect::Frees(kind),
        // MPI_Type_commit has its datatype in and out, as MPI_Type_free has.
        None if call == Call::Type_free => Effect::Frees(LeftKind::Datatype),
        None => Effect::Nothing,
    }
}

/// One rank's objects so far.
pub struct LeftOver<'a> {
    parts: RunParts,
    objects: &'a Objects,
    rank: usize,
    pub sites: FxHashMap<(SpottedSite, LeftKind), LeftAtSite>,
    /// Number freed whose line is unknown.
    pub freed: FxHashMap<LeftKind, CountOverTime>,
    /// Lines that made the numbered objects that live.
    live: FxHashMap<u32, SpottedSite>,
    /// The run's numbers of objects by parent and ordinal.
    children: FxHashMap<(u32, u32), u32>,
    /// Objects made so far: by parent, and by their own processes alone.
    ordinals: FxHashMap<u32, u32>,
    made_alone: usize,
}

impl<'a> LeftOver<'a> {
    /// `None` if a part of the rank's calls is missing: what was freed there would seem to live.
    pub fn of(rank: &Rank, at: usize, objects: &'a Objects, parts: RunParts) -> Option<LeftOver<'a>> {
        let is_whole = rank.kept_from.is_none()
            && rank.header.lost == 0
            && rank.damage.is_empty()
            && rank.roomless == 0
            && !rank.has_stopped()
            && rank.records_all_calls();
        if !is_whole {
            return None;
        }
        let made_from = rank.origins.values().filter(|origin| origin.ordinal != ALONE);
        let child = |origin: &traces::definitions::Origin| {
            Some(((objects.number(at, origin.parent)?, origin.ordinal), objects.number(at, origin.number)?))
        };
        let children = made_from.filter_map(child).collect();
        Some(LeftOver {
            parts,
            objects,
            rank: at,
            sites: FxHashMap::default(),
            freed: FxHashMap::default(),
            live: FxHashMap::default(),
            children,
            ordinals: FxHashMap::default(),
            made_alone: 0,
        })
    }

    /// Counts a call that has returned at a time; `refused` if MPI returned an error.
    #[inline]
    pub fn call(&mut self, role: &Role, at: i64, refused: bool) {
        match EFFECTS.get(role.function as usize).copied() {
            None | Some(Effect::Nothing) => {}
            Some(effect) => self.changes(effect, role, at, refused),
        }
    }

    #[cold]
    fn changes(&mut self, effect: Effect, role: &Role, at: i64, refused: bool) {
        let part = self.parts.at(at);
        match effect {
            Effect::Nothing => {}
            Effect::Makes { kind, .. } if refused => self.site(role.place, kind).refused += 1,
            Effect::Makes { kind, may_be_none } => {
                let number = self.number(role, kind);
                if number.is_none() && may_be_none {
                    return;
                }
                if let Some(number) = number {
                    self.live.insert(number, role.place);
                }
                let site = self.site(role.place, kind);
                site.made.grow(1);
                site.live.more(part);
            }
            Effect::Frees(_) if refused => {}
            Effect::Frees(kind) => {
                let has_number = matches!(kind, LeftKind::Communicator | LeftKind::Window | LeftKind::File);
                match role.object.filter(|_| has_number) {
                    Some(number) => {
                        if let Some(place) = self.live.remove(&number) {
                            self.site(place, kind).live.less(part);
                        }
                    }
                    None => self.freed.entry(kind).or_default().more(part),
                }
            }
        }
    }

    /// The run's number for the object that a call has made; `None` if it has none, was never used, or was not made for this rank.
    fn number(&mut self, role: &Role, kind: LeftKind) -> Option<u32> {
        if matches!(kind, LeftKind::Datatype | LeftKind::Group | LeftKind::Request) {
            return None;
        }
        if role.what == CallPart::Make {
            let before = self.made_alone;
            self.made_alone += 1;
            return self.objects.made_alone(self.rank, before);
        }
        let ordinal = self.ordinals.entry(role.object?).or_default();
        let before = *ordinal;
        *ordinal += 1;
        self.children.get(&(role.object?, before)).copied()
    }

    /// The part of the run in which a request begins.
    #[inline]
    pub fn part(&self, at: i64) -> u8 {
        self.parts.at(at) as u8
    }

    /// Counts a request that began in a part and ended at a time, or never did.
    #[inline]
    pub fn request(&mut self, place: SpottedSite, part: u8, end: Option<i64>) {
        let end = end.map(|end| self.parts.at(end));
        if end == Some(part as usize) || place.anyway().number() == CallSites::UNKNOWN as usize {
            return;
        }
        let live = &mut self.site(place, LeftKind::Request).live;
        live.more(part as usize);
        if let Some(end) = end {
            live.less(end);
        }
    }

    fn site(&mut self, place: SpottedSite, kind: LeftKind) -> &mut LeftAtSite {
        self.sites.entry((place, kind)).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_program_must_free_counts_as_made() {
        let makes = |kind, may_be_none| Effect::Makes { kind, may_be_none };
        assert_eq!(effect(Call::Comm_split), makes(LeftKind::Communicator, true));
        assert_eq!(effect(Call::Comm_dup), makes(LeftKind::Communicator, false));
        assert_eq!(effect(Call::Type_vector), makes(LeftKind::Datatype, false));
        assert_eq!(effect(Call::Win_get_group), makes(LeftKind::Group, false));
        let others = [Call::Type_commit, Call::Comm_get_parent, Call::Type_create_f90_real, Call::Type_match_size];
        assert_eq!(others.map(effect), [Effect::Nothing; 4]);
        let frees = [Call::Comm_disconnect, Call::Type_free, Call::Group_free, Call::File_close].map(effect);
        use LeftKind::{Communicator, Datatype, File, Group};
        assert_eq!(frees, [Communicator, Datatype, Group, File].map(Effect::Frees));
    }
}
