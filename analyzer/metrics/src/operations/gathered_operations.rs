//! Groups collective operations by function, call site, communicator, root and size.

use std::collections::{BTreeMap, BTreeSet};

use crate::overlap::{RequestSize, SIZES};
use model::Run;
use model::matching::{Account, OperationKey, OperationSum};
use model::rank::function_of;
use model::sums::Total;

/// Sizes are merged if there are fewer calls than this for each on average, or more sizes than [`SIZES`].
const FEW: u64 = 3;
/// Maximum number of roots of one call site that get their own rows; with more, no root is named.
const ROOTS: usize = 8;

/// A function, the call site at which its first rank calls it, and the communicator.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct OperationPlace {
    pub function: String,
    pub site: String,
    pub communicator: String,
    pub processes: u64,
}

/// The collective operations of a run, in groups.
pub struct GatheredOperations {
    /// The groups, by place, root and size.
    pub sums: BTreeMap<(OperationPlace, Option<u32>, RequestSize), OperationSum>,
    /// Operations that some rank did not begin or complete.
    pub unfinished: u64,
    /// Communicators on which ranks made different calls.
    pub confused: usize,
}

impl GatheredOperations {
    pub fn of(run: &Run, account: &Account) -> GatheredOperations {
        let found = &account.operations;
        let mut places: BTreeMap<OperationPlace, Vec<(&OperationKey, &OperationSum)>> = BTreeMap::new();
        for (key, sum) in &found.sums {
            places.entry(place(run, account, key)).or_default().push((key, sum));
        }
        let mut sums: BTreeMap<_, OperationSum> = BTreeMap::new();
        for (place, of_place) in places {
            let sizes = of_place.iter().map(|(key, _)| key.bytes).collect::<BTreeSet<u64>>().len();
            let roots = of_place.iter().map(|(key, _)| key.root).collect::<BTreeSet<Option<u32>>>().len();
            let operations = of_place.iter().map(|(_, sum)| sum.operations).total();
            // The calls of the v-forms hardly ever move the same number of bytes twice.
            let recurs = sizes == 1 || operations >= FEW.saturating_mul(sizes as u64);
            let has_many_sizes = sizes > SIZES || !recurs;
            let has_many_roots = roots > ROOTS;
            for (key, sum) in of_place {
                let root = key.root.filter(|_| !has_many_roots);
                let size = RequestSize::of(key.bytes, has_many_sizes);
                sums.entry((place.clone(), root, size)).or_default().merge(sum);
            }
        }
        GatheredOperations { sums, unfinished: found.unfinished, confused: account.rest.confused.len() }
    }
}

fn place(run: &Run, account: &Account, key: &OperationKey) -> OperationPlace {
    let (communicator, processes) = account.operations.objects[key.object as usize].clone();
    OperationPlace {
        function: function_of(key.function),
        site: run.call_sites()[key.place.number()].site.clone(),
        communicator,
        processes,
    }
}
