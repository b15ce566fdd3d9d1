//! FORMAT.md gives every byte; this keeps the code to it.

use std::mem::offset_of;

use traces::file::{FileHeader, PageHeader, PageKind, ProfileEntry, SHARED_ENTRIES, SHARED_TOTALS, ThreadBlock};
use traces::progress::{Entries, LedgerLine, Polls, Productive, Run};
use traces::signature::Signature;

#[test]
fn the_header_is_laid_out_as_the_format_says() {
    let offsets = [
        offset_of!(FileHeader, version),
        offset_of!(FileHeader, unit),
        offset_of!(FileHeader, run),
        offset_of!(FileHeader, rank),
        offset_of!(FileHeader, size),
        offset_of!(FileHeader, world),
        offset_of!(FileHeader, pid),
        offset_of!(FileHeader, abi),
        offset_of!(FileHeader, clock),
        offset_of!(FileHeader, thread_level),
        offset_of!(FileHeader, mode),
        offset_of!(FileHeader, state),
        offset_of!(FileHeader, stop),
        offset_of!(FileHeader, stopped_at),
        offset_of!(FileHeader, nominal_frequency),
        offset_of!(FileHeader, wrapper_cost),
        offset_of!(FileHeader, begin),
        offset_of!(FileHeader, ready),
        offset_of!(FileHeader, end),
        offset_of!(FileHeader, profile_begin),
        offset_of!(FileHeader, profile_stopped_at),
        offset_of!(FileHeader, profile_stopped),
        offset_of!(FileHeader, lost),
        offset_of!(FileHeader, threads),
        offset_of!(FileHeader, entry_cost),
        offset_of!(FileHeader, reserved),
    ];
    let expected = [
        8, 12, 16, 32, 36, 40, 44, 48, 50, 52, 54, 56, 60, 64, 72, 80, 88, 120, 152, 184, 192, 200, 208, 216, 224, 232,
    ];
    assert_eq!(offsets, expected);
}

#[test]
fn pages_are_laid_out_as_the_format_says() {
    assert_eq!(
        [offset_of!(PageHeader, units), offset_of!(PageHeader, thread), offset_of!(PageHeader, sequence)],
        [4, 8, 12]
    );
    assert_eq!(
        [offset_of!(PageHeader, base), offset_of!(PageHeader, requests), offset_of!(PageHeader, sample)],
        [16, 24, 32]
    );
    assert_eq!(
        [offset_of!(ThreadBlock, depth), offset_of!(ThreadBlock, unnumbered), offset_of!(ThreadBlock, levels)],
        [4, 16, 80]
    );
    let kinds = [PageKind::Thread, PageKind::Signatures, PageKind::Events, PageKind::Profile, PageKind::Definitions];
    assert_eq!(kinds.map(|kind| kind as u32), [0x74766f01, 0x74766f02, 0x74766f03, 0x74766f04, 0x74766f05]);
}

#[test]
fn signatures_and_profiles_are_laid_out_as_the_format_says() {
    let signature = [
        offset_of!(Signature, call),
        offset_of!(Signature, flags),
        offset_of!(Signature, site),
        offset_of!(Signature, object),
        offset_of!(Signature, peer),
        offset_of!(Signature, tag),
        offset_of!(Signature, source),
        offset_of!(Signature, source_tag),
        offset_of!(Signature, sent),
        offset_of!(Signature, received),
        offset_of!(Signature, requests),
        offset_of!(Signature, address),
    ];
    assert_eq!(signature, [4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56]);
    let profile = [
        offset_of!(ProfileEntry, failed),
        offset_of!(ProfileEntry, call),
        offset_of!(ProfileEntry, count),
        offset_of!(ProfileEntry, total),
        offset_of!(ProfileEntry, sent),
        offset_of!(ProfileEntry, received),
        offset_of!(ProfileEntry, engine),
    ];
    assert_eq!(profile, [4, 8, 16, 24, 48, 56, 64]);
    assert_eq!([SHARED_TOTALS, SHARED_ENTRIES, size_of::<ProfileEntry>()], [256, 43, 88]);
}

#[test]
fn what_is_counted_in_a_threads_block_is_laid_out_as_the_format_says() {
    let block = [
        offset_of!(ThreadBlock, levels),
        offset_of!(ThreadBlock, polls),
        offset_of!(ThreadBlock, productive),
        offset_of!(ThreadBlock, outside),
        offset_of!(ThreadBlock, ledger),
        offset_of!(ThreadBlock, off_line),
        size_of::<ThreadBlock>(),
    ];
    assert_eq!(block, [80, 336, 400, 600, 624, 3696, 3704]);
    let polls = [
        offset_of!(Polls, end),
        offset_of!(Polls, count),
        offset_of!(Polls, total),
        offset_of!(Polls, gaps),
        offset_of!(Polls, durations),
        offset_of!(Polls, signature),
        offset_of!(Polls, last),
    ];
    assert_eq!(polls, [8, 16, 24, 32, 40, 48, 56]);
    let runs = [offset_of!(Productive, all), offset_of!(Run, end), offset_of!(Run, count), size_of::<Run>()];
    assert_eq!(runs, [8, 8, 16, 24]);
    let line = [
        offset_of!(Entries, productive),
        offset_of!(Entries, ticks),
        offset_of!(LedgerLine, events),
        offset_of!(LedgerLine, ready_to_receive),
        offset_of!(LedgerLine, ready_to_send),
    ];
    assert_eq!(line, [8, 16, 24, 32, 40]);
}
