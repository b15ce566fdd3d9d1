//! Counts how often commands decode the pages of a run.

use crate::common::recorded::recorded;
use analyzer::commands::all_analyses::AllAnalyses;
use model::Run;

/// Pages that loading decodes besides: the first and the last of a rank, for the calls that start and end MPI.
const OF_START_AND_END: u64 = 2;

#[test]
fn loading_decodes_each_page_once_and_the_first_screen_three_times_more() {
    let mut ran = 0;
    for fixture in recorded("imbalance") {
        let run = Run::load(&fixture.run).unwrap();
        let pages: u64 =
            run.ranks.iter().flat_map(|rank| rank.contents().threads).map(|of| of.pages.len() as u64).sum();
        let decoded = || run.ranks.iter().map(|rank| rank.trace.pages_decoded()).sum::<u64>();
        let loading = decoded();
        assert!((pages..=pages + OF_START_AND_END * run.ranks.len() as u64).contains(&loading), "{loading} of {pages}");
        drop(AllAnalyses::of(&run));
        assert_eq!(decoded() - loading, 3 * pages);
        ran += 1;
    }
    assert!(ran > 0);
}
