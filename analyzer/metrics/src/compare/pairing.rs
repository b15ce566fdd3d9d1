//! Pairs the call sites of two versions of a program.
//!
//! In: the sites of both. Out: [`SitePairs`], in which each site stands once: with the one that it is in the other version, and the way it
//! was found, or alone. Functions of one name are paired first, their sites by call and order, ties by what the ranks do there. Sites that
//! are left are sought in other functions, since those are renamed and split, by what the ranks do alone. Last come other calls in the
//! same place.

use std::collections::{BTreeMap, VecDeque};

use super::alignment::align;
use super::likeness::{is_akin, is_called_alike, likeness, likeness_elsewhere};
use super::line_shifts::LineShifts;
use super::program_sites::ProgramSite;
use super::site_pairs::{InsteadOf, PairFound, SitePair, SitePairs, name};
use super::source_functions::{SourceFunction, functions, of_one_name};

/// Least likeness of sites in functions of other names: as many calls by as many ranks with the same bytes, or partners, and caller.
const LEAST_ELSEWHERE: f64 = 0.8;
/// Least likeness of another call in the same place.
const LEAST_OF_OTHER_CALL: f64 = 0.5;
/// Most pairs of sites that are weighed for two functions. Generated code may have thousands of sites in one.
const MOST_WEIGHED: usize = 1 << 22;

pub fn pair_sites(a: Vec<ProgramSite>, b: Vec<ProgramSite>) -> SitePairs {
    let mut pairing = Pairing { a: &a, b: &b, to: vec![None; a.len()], from: vec![None; b.len()] };
    let (of_a, of_b) = (functions(&a), functions(&b));
    let mut related = of_one_name(&of_a, &of_b);
    let shifts = LineShifts::of([&a, &b], related.iter().map(|(one, other)| (&of_a[*one], &of_b[*other])));
    for (one, other) in &related {
        pairing.in_order(&of_a[*one], &of_b[*other], &shifts);
    }
    related.extend(pairing.elsewhere(&of_a, &of_b));
    related.sort_unstable();
    related.dedup();
    let mut instead = Vec::new();
    for (one, other) in related {
        instead.extend(pairing.other_calls(&of_a[one], &of_b[other]));
    }
    let pairs = pairing.finish();
    SitePairs { a, b, pairs, instead }
}

/// A pairing under way.
struct Pairing<'s> {
    a: &'s [ProgramSite],
    b: &'s [ProgramSite],
    /// By site of A: that of B.
    to: Vec<Option<usize>>,
    /// By site of B: that of A.
    from: Vec<Option<usize>>,
}

impl Pairing<'_> {
    fn pair(&mut self, a: usize, b: usize) {
        self.to[a] = Some(b);
        self.from[b] = Some(a);
    }

    fn is_same_call(&self, a: usize, b: usize) -> bool {
        self.a[a].call.function == self.b[b].call.function
    }

    /// Pairs the sites of a function by their calls and their order.
    fn in_order(&mut self, a: &SourceFunction<'_>, b: &SourceFunction<'_>, shifts: &LineShifts) {
        let (of_a, of_b) = (&a.sites, &b.sites);
        if of_a.len().saturating_mul(of_b.len()) > MOST_WEIGHED {
            return self.in_turn(of_a, of_b);
        }
        let weight = |one: usize, other: usize| {
            let (one, other) = (of_a[one], of_b[other]);
            let alike = || weight_of(likeness(&self.a[one], &self.b[other]));
            self.is_same_call(one, other).then(|| 1.0 + alike() + shifts.support(&self.a[one], &self.b[other]))
        };
        let mut pairs: Vec<(usize, usize)> =
            align((of_a.len(), of_b.len()), weight).into_iter().map(|(one, other)| (of_a[one], of_b[other])).collect();
        self.exchange(&mut pairs);
        for (one, other) in pairs {
            self.pair(one, other);
        }
    }

    /// Pairs the first sites of a call, the second ones, and so on.
    fn in_turn(&mut self, of_a: &[usize], of_b: &[usize]) {
        let mut by_call: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
        for other in of_b {
            by_call.entry(&self.b[*other].call.function).or_default().push_back(*other);
        }
        for one in of_a {
            if let Some(other) = by_call.get_mut(self.a[*one].call.function.as_str()).and_then(VecDeque::pop_front) {
                self.pair(*one, other);
            }
        }
    }

    /// Exchanges the partners of pairs of one call that are alike in all only then: the calls have changed places.
    fn exchange(&self, pairs: &mut [(usize, usize)]) {
        let is_one = |a: usize, b: usize| self.is_same_call(a, b) && is_all(likeness(&self.a[a], &self.b[b]));
        for one in 0..pairs.len() {
            for other in one + 1..pairs.len() {
                let ((a, b), (other_a, other_b)) = (pairs[one], pairs[other]);
                if !is_one(a, b) && !is_one(other_a, other_b) && is_one(a, other_b) && is_one(other_a, b) {
                    (pairs[one].1, pairs[other].1) = (other_b, b);
                }
            }
        }
    }

    /// Pairs the sites that are left, wherever they are, by what the ranks do there. Returns the functions with such pairs.
    fn elsewhere(&mut self, a: &[SourceFunction<'_>], b: &[SourceFunction<'_>]) -> Vec<(usize, usize)> {
        let mut candidates = Vec::new();
        for (one, of_a) in a.iter().enumerate() {
            for (other, of_b) in b.iter().enumerate() {
                let (_, likeness) = self.left_alike(of_a, of_b);
                if likeness > 0.0 {
                    candidates.push((likeness, one, other));
                }
            }
        }
        candidates.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)).then(one.2.cmp(&other.2)));
        let mut found = Vec::new();
        for (_, one, other) in candidates {
            let (pairs, _) = self.left_alike(&a[one], &b[other]);
            if !pairs.is_empty() {
                found.push((one, other));
            }
            for (of_a, of_b) in pairs {
                self.pair(of_a, of_b);
            }
        }
        found
    }

    /// The pairs of unpaired sites of two functions, in order, with their likeness together.
    fn left_alike(&self, a: &SourceFunction<'_>, b: &SourceFunction<'_>) -> (Vec<(usize, usize)>, f64) {
        let of_a: Vec<usize> = a.sites.iter().copied().filter(|site| self.to[*site].is_none()).collect();
        let of_b: Vec<usize> = b.sites.iter().copied().filter(|site| self.from[*site].is_none()).collect();
        if of_a.len().saturating_mul(of_b.len()) > MOST_WEIGHED {
            return (Vec::new(), 0.0);
        }
        let weight = |one: usize, other: usize| {
            let (one, other) = (of_a[one], of_b[other]);
            let likeness = self.is_same_call(one, other).then(|| likeness_elsewhere(&self.a[one], &self.b[other]))?;
            (likeness >= LEAST_ELSEWHERE).then_some(likeness)
        };
        let mut pairs = align((of_a.len(), of_b.len()), weight);
        // Any two programs have a barrier that each rank calls once.
        let is_called_alike =
            |(one, other): &(usize, usize)| is_called_alike(&self.a[of_a[*one]], &self.b[of_b[*other]]);
        if pairs.len() == 1 && a.names != b.names && !pairs.iter().all(is_called_alike) {
            pairs.clear();
        }
        let together = pairs.iter().filter_map(|(one, other)| weight(*one, *other)).sum();
        (pairs.into_iter().map(|(one, other)| (of_a[one], of_b[other])).collect(), together)
    }

    /// Pairs calls of one kind that stand in the same place, and returns the other calls of the function that do.
    fn other_calls(&mut self, a: &SourceFunction<'_>, b: &SourceFunction<'_>) -> Vec<InsteadOf> {
        if a.names.is_empty() || b.names.is_empty() {
            return Vec::new();
        }
        let mut instead = Vec::new();
        for (of_a, of_b) in self.unpaired_stretches(a, b) {
            let weight = |one: usize, other: usize| {
                let (one, other) = (&self.a[of_a[one]], &self.b[of_b[other]]);
                let likeness = likeness(one, other);
                (is_akin(one, other) && likeness >= LEAST_OF_OTHER_CALL).then_some(likeness)
            };
            let pairs = align((of_a.len(), of_b.len()), weight);
            for (one, other) in &pairs {
                self.pair(of_a[*one], of_b[*other]);
            }
            let left = InsteadOf {
                a: of_a.into_iter().filter(|site| self.to[*site].is_none()).collect(),
                b: of_b.into_iter().filter(|site| self.from[*site].is_none()).collect(),
            };
            if !left.a.is_empty() && !left.b.is_empty() {
                instead.push(left);
            }
        }
        instead
    }

    /// The unpaired sites of both functions between the same paired ones.
    fn unpaired_stretches(&self, a: &SourceFunction<'_>, b: &SourceFunction<'_>) -> Vec<(Vec<usize>, Vec<usize>)> {
        // A stretch is named by the sites of B before and after it.
        let stretches = |sites: &[usize], in_b: &dyn Fn(usize) -> Option<usize>, is_free: &dyn Fn(usize) -> bool| {
            let mut all: BTreeMap<(Option<usize>, Option<usize>), Vec<usize>> = BTreeMap::new();
            for (place, site) in sites.iter().enumerate().filter(|(_, site)| is_free(**site)) {
                let before = sites[..place].iter().rev().find_map(|site| in_b(*site));
                let after = sites[place..].iter().find_map(|site| in_b(*site));
                all.entry((before, after)).or_default().push(*site);
            }
            all
        };
        let in_b = |site: usize| self.to[site].filter(|of_b| b.sites.contains(of_b));
        let is_anchor = |site: usize| self.from[site].filter(|of_a| a.sites.contains(of_a)).map(|_| site);
        let of_a = stretches(&a.sites, &in_b, &|site| self.to[site].is_none());
        let mut of_b = stretches(&b.sites, &is_anchor, &|site| self.from[site].is_none());
        of_a.into_iter().filter_map(|(around, sites)| Some((sites, of_b.remove(&around)?))).collect()
    }

    /// All pairs, and the sites that are alone, what changed most first.
    fn finish(self) -> Vec<SitePair> {
        let pair = |(at, to): (usize, &Option<usize>)| match to {
            Some(b) => SitePair { a: Some(at), b: Some(*b), found: found(&self.a[at], &self.b[*b]) },
            None => SitePair { a: Some(at), b: None, found: PairFound::OnlyA },
        };
        let mut pairs: Vec<SitePair> = self.to.iter().enumerate().map(pair).collect();
        let alone = self.from.iter().enumerate().filter(|(_, from)| from.is_none());
        pairs.extend(alone.map(|(at, _)| SitePair { a: None, b: Some(at), found: PairFound::OnlyB }));
        pairs.sort_by_key(|pair| pair.found);
        pairs
    }
}

/// The weight of a likeness beside the order of calls. Sites that are alike in all are the same one, whatever line they have.
fn weight_of(likeness: f64) -> f64 {
    2.0 * likeness + if is_all(likeness) { 1.0 } else { 0.0 }
}

/// True for the likeness of sites that are alike in all.
fn is_all(likeness: f64) -> bool {
    likeness > 0.999
}

fn found(a: &ProgramSite, b: &ProgramSite) -> PairFound {
    if a.call.function != b.call.function {
        PairFound::OtherCall
    } else if name(a) != name(b) {
        PairFound::OtherFunction
    } else if a.source.file != b.source.file {
        PairFound::OtherFile
    } else if a.source.lines != b.source.lines {
        PairFound::OtherLine
    } else {
        PairFound::SamePlace
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::program_sites::Partner;
    use model::roles::CallSite;
    use model::sites::PlaceInSource;

    /// `step 41 MPI_Send 20 8`: function, line, call, calls and bytes of each.
    fn site(text: &str) -> ProgramSite {
        let [function, line, call, calls, bytes] = text.split(' ').collect::<Vec<_>>()[..] else { panic!("{text}") };
        let [line, calls, bytes] = [line, calls, bytes].map(|number| number.parse::<u64>().unwrap());
        let site = format!("solver.c:{line}");
        let source = PlaceInSource {
            functions: vec![function.into()],
            file: "solver.c".into(),
            lines: vec![line],
            caller: "main".into(),
        };
        ProgramSite {
            name: format!("{function} ({site})"),
            call: CallSite { function: call.into(), site },
            source,
            calls,
            bytes: (calls * bytes, 0),
            partners: [Partner::Above(1)].into(),
            of_ranks: 1.0,
            calls_per_rank: calls as f64,
        }
    }

    /// The lines of each pair, and the way it was found; `0` for none.
    fn paired(a: &[&str], b: &[&str]) -> Vec<(u64, u64, &'static str)> {
        let [a, b] = [a, b].map(|all| all.iter().map(|text| site(text)).collect::<Vec<_>>());
        let found = pair_sites(a, b);
        let line = |all: &[ProgramSite], at: Option<usize>| at.map_or(0, |at| all[at].source.line());
        let mut pairs: Vec<_> = found
            .pairs
            .iter()
            .map(|pair| (line(&found.a, pair.a), line(&found.b, pair.b), pair.found.words()))
            .collect();
        pairs.sort();
        pairs
    }

    #[test]
    fn a_branch_that_one_run_does_not_take_moves_no_site() {
        let a = ["step 10 MPI_Send 5 8", "step 20 MPI_Send 5 8", "norm 30 MPI_Reduce 5 8", "norm 31 MPI_Reduce 5 8"];
        let b = ["step 20 MPI_Send 5 8", "norm 30 MPI_Reduce 5 8", "norm 31 MPI_Reduce 5 8"];
        let same = |line: u64| (line, line, "same place");
        assert_eq!(paired(&a, &b), [(10, 0, "only A"), same(20), same(30), same(31)]);
    }

    #[test]
    fn a_site_that_ranks_use_as_before_is_the_same_whatever_its_line() {
        let a = ["norm 29 MPI_Allreduce 60 8", "norm 30 MPI_Allreduce 60 16"];
        let b = ["norm 29 MPI_Allreduce 60 16"];
        assert_eq!(paired(&a, &b), [(29, 0, "only A"), (30, 29, "other line")]);
        let exchanged = ["norm 29 MPI_Allreduce 60 16", "norm 30 MPI_Allreduce 60 8"];
        assert_eq!(paired(&a, &exchanged), [(29, 30, "other line"), (30, 29, "other line")]);
    }

    #[test]
    fn functions_of_other_names_are_paired_only_where_ranks_do_the_same() {
        let a = ["exchange 10 MPI_Send 60 8", "exchange 12 MPI_Recv 60 8"];
        let alike = ["swap 40 MPI_Send 60 8", "swap 42 MPI_Recv 60 8"];
        assert_eq!(paired(&a, &alike), [(10, 40, "other function"), (12, 42, "other function")]);
        // A call that any program makes says nothing alone, unless one function calls both.
        let barrier = |caller: &str| ProgramSite {
            source: PlaceInSource { caller: caller.into(), ..site("leave 50 MPI_Barrier 1 0").source },
            ..site("leave 50 MPI_Barrier 1 0")
        };
        let found =
            |caller: &str| pair_sites(vec![site("finish 20 MPI_Barrier 1 0")], vec![barrier(caller)]).pairs[0].found;
        assert_eq!(
            [found("other"), found("main"), found("finish")].map(PairFound::words),
            ["only B", "other function", "other function"]
        );
        let other = ["report 40 MPI_Send 2 4096", "report 42 MPI_Recv 2 4096"];
        let alone = [(0, 40, "only B"), (0, 42, "only B"), (10, 0, "only A"), (12, 0, "only A")];
        assert_eq!(paired(&a, &other), alone);
    }

    #[test]
    fn thousands_of_sites_of_one_function_are_paired_in_turn() {
        let sites = |from: u64| -> Vec<String> {
            (0..3_000)
                .map(|at| format!("made {} MPI_{} 5 8", from + at, if at % 2 == 0 { "Send" } else { "Recv" }))
                .collect()
        };
        let [a, b] = [sites(10), sites(19)];
        let [of_a, of_b] = [&a, &b].map(|all| all.iter().map(String::as_str).collect::<Vec<_>>());
        let expected: Vec<_> = (10..3_010).map(|line| (line, line + 9, "other line")).collect();
        assert_eq!(paired(&of_a, &of_b), expected);
    }

    #[test]
    fn calls_of_one_kind_in_one_place_stand_for_each_other() {
        let a = ["step 10 MPI_Send 60 8", "step 12 MPI_Barrier 60 0"];
        let b = ["step 10 MPI_Isend 60 8", "step 11 MPI_Wait 60 0", "step 13 MPI_Barrier 60 0"];
        let found = [(0, 11, "only B"), (10, 10, "other call"), (12, 13, "other line")];
        assert_eq!(paired(&a, &b), found);
    }
}
