//! Damages files in all ways: intact parts are read, and the damage is reported.

use crate::common::{CALLS, Listener, Said, begun, header, open, signature, three_pages};
use traces::calls::Call;
use traces::definitions::{CounterReading, Definition, UsageMoment};
use traces::error::{Damage, Error, Held};
use traces::file::{Level, PageKind, ThreadBlock};
use traces::read::{in_flight, walk};
use traces::record;
use traces::write::UNIT;
use zerocopy::FromZeros;

/// The contents of the pages, and the damage.
fn read(bytes: &[u8]) -> (Vec<Said>, Vec<Damage>) {
    let file = open(bytes).unwrap();
    let contents = file.contents();
    let mut listener = Listener::default();
    let mut damage = contents.damage.clone();
    for page in contents.threads.iter().flat_map(|thread| &thread.pages) {
        damage.extend(walk(page, &mut listener).err());
    }
    (listener.0, damage)
}

fn calls(count: usize) -> Vec<Said> {
    CALLS[..count].iter().map(|(number, start, duration)| Said::Call(*number, *start, *duration)).collect()
}

#[test]
fn a_cut_page_keeps_the_pages_before_it() {
    let whole = three_pages();
    let (said, damage) = read(&whole[..whole.len() - UNIT + 32]);
    assert_eq!(said, calls(2));
    assert_eq!(damage, [Damage::Cut { page: 5 * UNIT as u64, claimed: UNIT as u64, left: 32 }]);
}

#[test]
fn a_cut_page_keeps_the_records_before_the_cut() {
    let whole = three_pages();
    let (said, damage) = read(&whole[..whole.len() - UNIT + 64 + 24]);
    assert_eq!(said, calls(3));
    assert!(matches!(damage[..], [Damage::Cut { .. }]), "{damage:?}");
}

#[test]
fn every_length_a_file_can_be_cut_to_is_read_without_a_panic() {
    let whole = three_pages();
    for length in (0..whole.len()).step_by(7) {
        match open(&whole[..length]) {
            Ok(_) => drop(read(&whole[..length])),
            Err(error) => assert!(matches!(error, Error::Short { .. }), "{length}: {error}"),
        }
    }
}

#[test]
fn any_byte_may_be_wrong_without_a_panic() {
    let whole = three_pages();
    for at in (8..whole.len()).step_by(5) {
        for value in [0, 0x7f, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            if open(&bytes).is_ok() {
                read(&bytes);
            }
        }
    }
}

#[test]
fn a_page_reserved_and_not_begun_is_passed_over() {
    let mut bytes = three_pages();
    let page = bytes.split_off(5 * UNIT);
    bytes.resize(bytes.len() + 3 * UNIT, 0);
    bytes.extend(page);
    assert_eq!(read(&bytes), (calls(3), vec![]));
}

#[test]
fn a_page_that_is_none_is_said_and_the_next_one_found() {
    let mut bytes = three_pages();
    bytes[4 * UNIT..4 * UNIT + 4].copy_from_slice(b"junk");
    let (said, damage) = read(&bytes);
    assert_eq!(said, [calls(1), calls(3)[2..].to_vec()].concat());
    let held = Held { kind: PageKind::Events, thread: 0 };
    assert_eq!(damage, [Damage::NoPage { at: 4 * UNIT as u64 }, Damage::NoPages { held, pages: 1 }]);
}

#[test]
fn a_record_of_no_known_kind_ends_its_page_and_no_other() {
    let mut file = begun(header(0));
    let good = record::short(1, 0, 1).unwrap();
    file.events(0, 0, 0, &[good, 0xfd, good]).unwrap();
    file.events(0, 1, 5, &[good]).unwrap();
    let (said, damage) = read(&file.into_inner());
    assert_eq!(said, [Said::Call(1, 0, 1), Said::Call(1, 5, 1)]);
    assert_eq!(damage, [Damage::NoRecord { thread: 0, word: 1, value: 0xfd, before: 1 }]);
}

#[test]
fn a_record_that_its_page_does_not_hold_is_said() {
    let mut file = begun(header(0));
    let mut words = vec![record::short(1, 0, 1).unwrap(); (UNIT - 64) / 8];
    *words.last_mut().unwrap() = record::wide(1, 0, 1).unwrap()[0];
    file.events(0, 0, 0, &words).unwrap();
    let (said, damage) = read(&file.into_inner());
    assert_eq!(said.len(), words.len() - 1);
    assert!(matches!(damage[..], [Damage::NoRecord { .. }]));
}

#[test]
fn a_definition_that_cannot_be_read_is_said() {
    let mut file = begun(header(0));
    file.definitions(&[Definition::Filter("x".into())]).unwrap();
    let mut bytes = file.into_inner();
    // The text is longer than the item.
    bytes[2 * UNIT + 64 + 8 + 4] = 200;
    let file = open(&bytes).unwrap();
    let contents = file.contents();
    assert!(contents.definitions.is_empty());
    assert_eq!(contents.damage, [Damage::NoDefinition { page: 2 * UNIT as u64, bytes: 13 }]);
}

#[test]
fn a_definition_of_a_later_version_is_passed_over() {
    let mut file = begun(header(0));
    let last = Definition::CounterReading(CounterReading {
        moment: UsageMoment::PageFull,
        thread: 0,
        ticks: 1,
        values: vec![],
    });
    let filter = Definition::Filter("x".into());
    // The first word of a definition is its variant, and this one is beyond the last variant.
    assert_eq!(last.to_bytes().unwrap()[..4], (Definition::VARIANTS - 1).to_le_bytes());
    file.definitions(&[last, filter.clone()]).unwrap();
    let mut bytes = file.into_inner();
    bytes[2 * UNIT + 64 + 8] = Definition::VARIANTS as u8;
    let file = open(&bytes).unwrap();
    let contents = file.contents();
    assert_eq!((contents.definitions, contents.damage), (vec![filter], vec![]));
}

#[test]
fn files_that_are_no_traces_are_refused_with_a_reason() {
    let error = |bytes: &[u8]| open(bytes).err().unwrap().to_string();
    assert!(error(b"").contains("ends after 0 bytes"));
    assert!(error(b"overhear").contains("ends after 8 bytes"));
    assert!(error(&[0x7f; 5000]).contains("not an overhear trace"));
    let mut newer = three_pages();
    newer[8] = 9;
    assert!(error(&newer).contains("format version 9, but this overhear reads only up to 4"));
    let mut odd = three_pages();
    odd[12..16].copy_from_slice(&1000u32.to_le_bytes());
    assert!(error(&odd).contains("pages of 1000 bytes do not exist"));
}

#[test]
fn calls_of_an_undefined_signature_are_not_lost_to_the_walk() {
    let mut file = begun(header(0));
    file.signatures(0, 0, &[signature(1, Call::Send)]).unwrap();
    file.events(0, 0, 0, &[record::short(30_000, 1, 1).unwrap()]).unwrap();
    assert_eq!(read(&file.into_inner()).0, [Said::Call(30_000, 1, 1)]);
}

#[test]
fn a_call_that_the_profile_has_counted_is_no_longer_open() {
    let mut block = ThreadBlock::new_zeroed();
    block.depth = 2;
    let outer = Level { start: 100, signature: 6 };
    // About to become the fifth call of signature 7.
    block.levels[..2].copy_from_slice(&[outer, Level { start: 200, signature: 5 << 32 | 7 }]);
    let signatures = [signature(6, Call::Comm_dup), signature(7, Call::Comm_rank)];
    let open = |calls: u64| {
        let known = |number: u32| signatures.iter().find(|signature| signature.number == number);
        let open = in_flight(&block, None, |number| if number == 7 { calls } else { 0 }, known);
        open.iter().map(|call| call.start).collect::<Vec<_>>()
    };
    assert_eq!([open(4), open(5), open(6)], [vec![100, 200], vec![100], vec![100]]);
}
