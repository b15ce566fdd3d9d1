//! Collective calls on files that ranks made differently.

use traces::calls::Call;
use traces::signature::Signature;

use crate::common::recorded::ask;
use crate::common::stories::{Story, collective, inside, on_object, outside, run};

/// The warnings of `check` on files that ranks opened and then used as given.
fn said(ranks: [&[Call]; 2], finalizes: bool) -> Vec<String> {
    let on_file = |call: &Call| on_object(collective(*call));
    let story = |calls: &[Call]| -> Story {
        let opened = [collective(Call::File_open)].into_iter();
        let over: Vec<Signature> = opened.chain(calls.iter().map(on_file)).collect();
        match finalizes {
            true => inside(&over, Signature { object: 0, ..collective(Call::Finalize) }),
            false => outside(&over),
        }
    };
    let folder = run(ranks.map(story).into());
    let warnings = ask(&folder.0, "check", &["--no-cache"]).warnings();
    warnings.split('\n').filter(|line| line.contains("on that file")).map(str::to_string).collect()
}

#[test]
fn a_rank_that_does_not_close_a_file_as_the_others_do_is_named_with_the_call() {
    let [view, sync, close] = [Call::File_set_view, Call::File_sync, Call::File_close];
    assert_eq!(said([&[view, close], &[view, close]], true), [""; 0]);
    let missing = said([&[view, close], &[view]], true);
    assert_eq!(missing.len(), 1, "{missing:?}");
    assert!(missing[0].contains("rank 1 did not join rank 0 in MPI_File_close"), "{missing:?}");
    assert!(missing[0].contains("collective call 2 on that file"), "{missing:?}");
    let other = said([&[view, close], &[sync, close]], true);
    assert_eq!(other.len(), 1, "{other:?}");
    assert!(
        other[0].contains("rank 0 made MPI_File_set_view") && other[0].contains("rank 1 MPI_File_sync"),
        "{other:?}"
    );
    // A rank that was stopped between its calls may have been about to close.
    assert_eq!(said([&[view, close], &[view]], false), [""; 0]);
}
