//! Ranks that behave alike: they ran the same program, called the same functions, and spent their time on the same things.
//!
//! In: each rank's time outside MPI and in each function. Out: groups of ranks, the largest first.
//!
//! The *distance* of two ranks is the part of the run that they spent on different things: half the sum of the differences of all
//! times, as a share of the longest rank's time. A group holds all ranks within the distance [`WITHIN`] of its typical rank, the one
//! closest to the medians of those that are in no group yet. If that makes more than [`MOST`] groups, the distance is doubled.

mod behavior_table;
mod spent;

use crate::grouped_in_order::grouped_in_order;
use model::Run;
use spent::SpentTimes;

pub use behavior_table::{BehaviorRow, FACTS, fact, hidden_facts, table, unlike};

/// Maximum distance of ranks that are alike, as a share of the run.
const WITHIN: f64 = 0.05;
/// Maximum number of groups, in addition to one for each combination of program and functions.
const MOST: usize = 8;
/// Maximum number of times that the distance is doubled. Times of several threads may add up to more than the run, and distances
/// too.
const DOUBLED: u32 = 12;

/// The groups of a run's ranks.
pub struct Behaviors {
    /// Maximum distance of a group's ranks from their typical rank.
    pub within: f64,
    groups: Vec<Behavior>,
    spent: SpentTimes,
}

/// Ranks that behave alike, by their places among those of [`SpentTimes`].
struct Behavior {
    ranks: Vec<u32>,
    typical: u32,
    /// The rank furthest from the typical one, and its distance.
    furthest: (u32, f64),
}

impl Behaviors {
    pub fn of(run: &Run) -> Behaviors {
        let spent = SpentTimes::of(run);
        let by_kind = grouped_in_order((0..spent.ranks.len() as u32).map(|at| (spent.kind(at), at)));
        let kinds: Vec<Vec<u32>> = by_kind.into_iter().map(|(_, ranks)| ranks).collect();
        let most = MOST + kinds.len();
        let mut within = WITHIN;
        let mut groups = groups(&spent, &kinds, within, most);
        for _ in 0..DOUBLED {
            if groups.len() <= most {
                break;
            }
            within *= 2.0;
            groups = self::groups(&spent, &kinds, within, most);
        }
        groups.sort_by_key(|group| (std::cmp::Reverse(group.ranks.len()), group.ranks[0]));
        Behaviors { within, groups, spent }
    }
}

/// The groups of each kind. Stops once there are more than `most` of them.
fn groups(spent: &SpentTimes, kinds: &[Vec<u32>], within: f64, most: usize) -> Vec<Behavior> {
    let mut groups = Vec::new();
    for kind in kinds {
        let mut left = kind.clone();
        while !left.is_empty() && groups.len() <= most {
            let typical = spent.closest_to_medians(&left);
            let mut furthest = (typical, 0.0);
            let (near, far): (Vec<u32>, Vec<u32>) = left.into_iter().partition(|rank| {
                let distance = spent.distance(typical, *rank);
                if distance <= within && distance > furthest.1 {
                    furthest = (*rank, distance);
                }
                distance <= within
            });
            groups.push(Behavior { ranks: near, typical, furthest });
            left = far;
        }
    }
    groups
}
