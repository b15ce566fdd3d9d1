//! FORMAT.md gives every byte: these tests read its tables and compare them with the code.

use std::mem::offset_of;

use traces::calls::Call;
use traces::definitions::Definition;
use traces::dropped::{DroppedArrival, DroppedHead, DroppedRequest, DroppedTotal};
use traces::file::{
    DEFINED, FileHeader, PageHeader, PageKind, ProfileEntry, SHARED_ENTRIES, SHARED_TOTALS, ThreadBlock,
};
use traces::node::{self, MemberHead, NodeHeader};
use traces::progress::{Entries, EntryRun, LedgerLine, Polls, Productive};
use traces::record::{self, RecordKind};
use traces::signature::Signature;
use traces::teams::Teams;

const FORMAT: &str = include_str!("../../FORMAT.md");

/// The offsets of the fields in a table, and its stated length.
struct Stated {
    bytes: usize,
    at: Vec<usize>,
}

/// The lines below a heading that begins so.
fn below(heading: &str) -> impl Iterator<Item = &'static str> {
    let mut lines = FORMAT.lines().skip_while(move |line| !line.starts_with(heading));
    assert!(lines.next().is_some(), "FORMAT.md has no {heading}");
    lines.take_while(|line| !line.starts_with('#'))
}

/// The cells of a table's rows.
fn cells(line: &str) -> Option<Vec<&str>> {
    Some(line.strip_prefix("| ")?.trim_end_matches('|').split('|').map(str::trim).collect())
}

/// The table below `### NAME, N bytes`. Its fields must follow each other without a gap.
fn stated(name: &str) -> Stated {
    let heading = FORMAT.lines().find(|line| line.starts_with(&format!("### {name}, "))).unwrap();
    let bytes = heading.rsplit(' ').nth(1).unwrap().parse().unwrap();
    let (mut at, mut end) = (Vec::new(), 0);
    for cells in below(heading).skip_while(|line| !line.starts_with("| at |")).skip(2).map_while(cells) {
        let each: Option<usize> = cells[1].split(' ').next().unwrap().parse().ok();
        for place in cells[0].split(", ").map(|place| place.parse().unwrap()) {
            // A row for several fields of one size says how many there are.
            assert!(place == end || cells_of_many(end, place, &at), "{name}: {place} does not follow {end}");
            at.push(place);
            end = place + each.unwrap();
        }
    }
    Stated { bytes, at }
}

/// Checks that a row for several fields of one size ends where the next row begins.
fn cells_of_many(end: usize, next: usize, at: &[usize]) -> bool {
    let size = end - at.last().unwrap();
    next > end && (next - end).is_multiple_of(size)
}

macro_rules! assert_laid_out {
    ($type:ident as $name:literal: $($field:ident $(. $inner:ident)?),+ $(,)?) => {
        let stated = stated($name);
        assert_eq!(stated.at, [$(offset_of!($type, $field $(. $inner)?)),+], $name);
        assert_eq!(stated.bytes, size_of::<$type>(), $name);
    };
}

#[test]
fn headers_and_blocks_are_laid_out_as_the_format_says() {
    assert_laid_out!(FileHeader as "Header":
        magic, version, unit, run, rank, size, world, pid, abi, clock, thread_level, mode, state, stop, stopped_at,
        nominal_frequency, wrapper_cost, begin, ready, end, profile_begin, profile_stopped_at, profile_stopped, lost,
        threads, entry_cost, productive_cost, keep_time, keep_bytes);
    assert_laid_out!(PageHeader as "Page header": kind, units, thread, sequence, base, requests, sample);
    assert_laid_out!(ThreadBlock as "Thread block":
        tid, depth, begin, unnumbered, levels, polls, productive, productive.all, outside, ledger, off_line, last_entry,
        starting, met, idle_polls, signatures, totals, teams);
    assert_laid_out!(Signature as "Signature":
        number, call, flags, site, object, peer, tag, source, source_tag, sent, received, requests, parts, address);
    assert_laid_out!(ProfileEntry as "Profile entry":
        signature, failed, call, count, total, min, max, sent, received, engine, engine.productive, engine.ticks);
    assert_laid_out!(DroppedHead as "What dropped pages held":
        until, calls, totals, requests, arrivals, regions, level, last, last_began,
        last_posted);
    assert_eq!([size_of::<DroppedTotal>(), size_of::<DroppedRequest>(), size_of::<DroppedArrival>()], [104, 24, 24]);
    assert_eq!([SHARED_TOTALS, SHARED_ENTRIES, DEFINED], [256, 43, 4040]);
    assert!(below("### Header").any(|line| line.contains("At 4040")));
}

#[test]
fn node_files_are_laid_out_as_the_format_says() {
    assert_laid_out!(NodeHeader as "Node header": magic, version, members, boot, host, taken, end);
    assert_laid_out!(MemberHead as "Member head": name, used, pid, reserved, extents);
    let section: String = below("## Node files").collect();
    for number in [node::TABLE, node::HEADER_BYTES, node::ALIGNMENT as usize, node::FIRST_EXTENT as usize] {
        assert!(section.contains(&number.to_string()), "{number}");
    }
    assert_eq!([node::MEMBERS, node::EXTENTS], [7680, 40]);
}

#[test]
fn page_kinds_have_the_numbers_that_the_format_says() {
    let kinds = [
        PageKind::Thread,
        PageKind::Signatures,
        PageKind::Events,
        PageKind::Profile,
        PageKind::Definitions,
        PageKind::Dropped,
        PageKind::Free,
    ];
    let rows = below("### Page header").filter_map(cells).filter_map(|row| row[0].strip_prefix("0x").map(String::from));
    let stated: Vec<u32> = rows.map(|number| u32::from_str_radix(&number, 16).unwrap()).collect();
    assert_eq!(stated, kinds.map(|kind| kind as u32));
}

/// A record's fields as the row has them: `entries u20` for `entries 20`, `gap i64` for `gap signed`.
fn fields(word: &str) -> Vec<String> {
    let field = |text: &str| {
        let (text, sign) = text.strip_suffix(" signed").map_or((text, 'u'), |text| (text, 'i'));
        let (name, bits) = match text.rsplit_once(' ') {
            Some((name, bits)) if bits.parse::<u32>().is_ok() => (name, bits),
            _ => (text, "64"),
        };
        format!("{} {sign}{bits}", name.replace(' ', "_"))
    };
    word.split(", ").map(field).collect()
}

#[test]
fn every_kind_of_record_and_no_other_is_in_the_format_field_by_field() {
    let rows = below("### Records").filter_map(cells).filter(|row| row[0].starts_with("0x"));
    let stated = rows.map(|row| {
        let (kind, first) = row[0].split_once(", ").unwrap();
        let (kind, bits) = kind.split_once(" in ").unwrap_or((kind, "8"));
        let further = row[1].split("; ").filter(|word| !word.is_empty()).map(fields);
        let number = u8::from_str_radix(&kind[2..], 16).unwrap();
        (number, bits.parse().unwrap(), [fields(first)].into_iter().chain(further).collect())
    });
    let word = |fields: &&[(&str, &str)]| fields.iter().map(|(name, of)| format!("{name} {of}")).collect();
    let known =
        RecordKind::ALL.iter().map(|kind| (*kind as u8, kind.tag_width(), kind.layout().iter().map(word).collect()));
    assert_eq!(stated.collect::<Vec<(u8, u32, Vec<Vec<String>>)>>(), known.collect::<Vec<_>>());
}

#[test]
fn every_definition_and_no_other_is_in_the_format() {
    let rows = below("### Definitions").filter_map(cells);
    let stated = rows.filter(|row| row[0].starts_with(|first: char| first.is_ascii_digit())).count();
    assert_eq!(stated, Definition::VARIANTS as usize);
}

#[test]
fn the_call_that_the_format_spells_out_is_written_so() {
    let line =
        FORMAT.lines().find_map(|line| line.strip_prefix("    84 00")).map(|rest| format!("84 00{rest}")).unwrap();
    let bytes: Vec<u8> = line.split_whitespace().take(8).map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
    assert_eq!(record::short(66, 1_000, 2_500).unwrap().to_le_bytes(), *bytes);
    assert_eq!(Call::Send.number(), 7);
}

#[test]
fn what_is_counted_in_a_threads_block_is_laid_out_as_the_format_says() {
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
    assert_eq!([offset_of!(Teams, unknown), offset_of!(Teams, locks), size_of::<Teams>()], [40, 88, 96]);
    let runs =
        [offset_of!(Productive, all), offset_of!(EntryRun, end), offset_of!(EntryRun, count), size_of::<EntryRun>()];
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
