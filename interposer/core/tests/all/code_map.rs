//! Loaded code is found by its addresses.

use recorder_core::code_map::{CodeMap, LoadedCode};

fn code(begin: usize, end: usize, module: usize) -> LoadedCode {
    LoadedCode { begin, end, base: begin, table: end - 1, module }
}

#[test]
fn an_address_finds_the_object_around_it_until_that_is_unloaded() {
    let map = CodeMap::new();
    let (first, second) = (code(0x1000, 0x2000, 1), code(0x2000, 0x3000, 2));
    map.add(first);
    map.add(second);
    let at = |address| map.find(address);
    assert_eq!([0xfff, 0x1000, 0x1fff, 0x2000, 0x3000].map(at), [None, Some(first), Some(first), Some(second), None]);
    map.keep(&[0x2000..0x3000, 0x7000..0x8000]);
    assert_eq!([at(0x1800), at(0x2800)], [None, Some(second)]);
    // Another object takes its place.
    let third = code(0x1000, 0x1800, 3);
    map.add(third);
    assert_eq!([at(0x1000), at(0x1900)], [Some(third), None]);
}

#[test]
fn objects_beyond_the_room_are_unknown() {
    let map = CodeMap::new();
    for number in 1..5000 {
        map.add(code(number << 12, (number + 1) << 12, number));
    }
    assert_eq!(map.find(7 << 12).map(|code| code.module), Some(7));
    assert_eq!(map.find(4999 << 12), None);
}
