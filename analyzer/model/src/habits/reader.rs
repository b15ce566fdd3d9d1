//! One walk through a rank's calls.

use rustc_hash::FxHashMap;
use traces::calls::{Call, Class};

use super::call_rows::{CallRows, LONGEST_GAP};
use super::fans::OpenFan;
use super::{FanTimes, SiteHabits};
use crate::objects::Objects;
use crate::roles::{CallPart, Role};
use crate::stream::TimedCall;
use crate::sums::{Grow, shared_time};

/// A rank's habits so far.
pub struct HabitReader<'a> {
    pub habits: FxHashMap<u32, SiteHabits>,
    objects: &'a Objects,
    /// The rank's waits that are not over, sorted.
    waits: &'a [(i64, i64)],
    rows: CallRows,
    fan: OpenFan,
    /// The last call's site, and whether it used a window or a file.
    last: Option<(u32, bool)>,
}

impl<'a> HabitReader<'a> {
    pub fn new(objects: &'a Objects, waits: &'a [(i64, i64)]) -> HabitReader<'a> {
        let (rows, fan) = (CallRows::default(), OpenFan::default());
        HabitReader { habits: FxHashMap::default(), objects, waits, rows, fan, last: None }
    }

    pub fn call(&mut self, call: &TimedCall, role: &Role) {
        if role.place.counts() && !role.nested {
            self.add(call, role);
        }
    }

    fn add(&mut self, call: &TimedCall, role: &Role) {
        let site = role.place.number() as u32;
        let waited = shared_time(&mut self.waits, (call.start, call.end)).min(call.inside);
        let repeated = self.rows.continues(call, role);
        let size = role.object.map_or(0, |object| self.objects.groups[object as usize].size());
        let fan = self.fan.add(call, role, size.saturating_sub(1), waited);
        let uses_memory = is_of_memory(role);
        let guards = self.guards(uses_memory);
        let habits = self.habits.entry(site).or_insert_with(|| SiteHabits::new(role));
        if call.in_vain {
            habits.in_vain.grow(call.count);
            habits.in_vain_time.grow(call.inside);
            habits.between_tests.grow(call.end - call.start - call.inside);
        }
        habits.count.grow(call.count);
        habits.time.grow(call.inside);
        habits.waited.grow(waited);
        habits.bytes.grow(role.sent.max(role.received));
        habits.repeated.grow(u64::from(repeated));
        if repeated && waited <= LONGEST_GAP {
            habits.waited_briefly.grow(waited);
        }
        habits.guards.grow(u64::from(guards));
        if let Some(fan) = fan {
            habits.fans.merge(&fan);
        }
        self.last = Some((site, uses_memory));
    }

    /// Whether the call before this one uses windows or files; if this one does, the one before it counts as a guard, too.
    fn guards(&mut self, uses_memory: bool) -> bool {
        let Some((last, did)) = self.last else { return false };
        if uses_memory && let Some(before) = self.habits.get_mut(&last) {
            before.guards.grow(1);
        }
        did
    }
}

fn is_of_memory(role: &Role) -> bool {
    let class = Call::from_number(role.function).map(Call::class);
    class.is_some_and(|class| matches!(class, Class::Rma | Class::Window | Class::Io | Class::File))
}

impl SiteHabits {
    fn new(role: &Role) -> SiteHabits {
        SiteHabits {
            function: role.function,
            part: match role.what {
                CallPart::Collective { flow, .. } => CallPart::Collective { flow, root: false },
                part => part,
            },
            starts: role.takes,
            count: 0,
            time: 0,
            waited: 0,
            bytes: 0,
            repeated: 0,
            waited_briefly: 0,
            fans: FanTimes::default(),
            in_vain: 0,
            in_vain_time: 0,
            between_tests: 0,
            guards: 0,
        }
    }
}
