//! Numbered values never move, large tables are as long as asked for, and regions close in the right order.

use recorder_core::memory;
use recorder_core::numbered::Numbered;
use recorder_core::open_regions::OpenRegions;
use traces::record::MAX_SIGNATURE;

#[test]
fn what_is_numbered_never_moves_and_begins_as_zeros() {
    let mut numbered = Numbered::<u64>::new().unwrap();
    let numbers = [0, 1, 511, 512, 1_023, 1_024, 70_000, MAX_SIGNATURE + 1];
    for number in numbers {
        let place = numbered.reach(number).unwrap();
        // SAFETY: the number's own place, which no other thread knows.
        unsafe {
            assert_eq!(*place, 0);
            *place = number as u64 + 1;
        }
    }
    for number in numbers {
        // SAFETY: as above.
        assert_eq!(unsafe { *numbered.get(number) }, number as u64 + 1);
        assert_eq!(numbered.find(number), Some(numbered.get(number)));
    }
    assert_eq!(numbered.find(5_000), None);
}

#[test]
fn a_table_in_large_pages_is_as_long_as_asked_for() {
    let count = 3 << 20;
    let table = memory::zeroed_table::<u64>(count).unwrap();
    // SAFETY: the first and the last place of the table.
    unsafe {
        *table.as_ptr() = 1;
        *table.as_ptr().add(count - 1) = 2;
        assert_eq!((*table.as_ptr(), *table.as_ptr().add(1), *table.as_ptr().add(count - 1)), (1, 0, 2));
    }
    memory::give_back(table.as_ptr(), count);
}

#[test]
fn regions_of_each_owner_close_innermost_first_and_those_too_deep_have_no_number() {
    // SAFETY: valid as zeros.
    let regions = unsafe { memory::zeroed::<OpenRegions>(1).unwrap().as_mut() };
    assert!(regions.pop(1).is_none());
    assert!(regions.push(1, 10) && regions.push(2, 20) && regions.push(1, 11));
    assert_eq!([1, 2, 3].map(|owner| regions.depth_of(owner)), [2, 1, 0]);
    assert_eq!(regions.pop(2).and_then(|left| left.number), Some(20));
    assert_eq!(regions.pop(1).and_then(|left| left.number), Some(11));
    assert_eq!(regions.pop_innermost().and_then(|left| left.number), Some(10));
    let recorded = (0..70).filter(|number| regions.push(1, *number)).count();
    assert_eq!(recorded, 64);
    let numbers: Vec<_> = (0..70).map(|_| regions.pop(1).unwrap().number).collect();
    assert!(numbers[..6].iter().all(Option::is_none));
    assert_eq!(numbers[6..], (0..64).rev().map(Some).collect::<Vec<_>>());
}
