//! Threads that share a table of handles, in every order that loom finds: `cargo xtask tables`.

use loom::sync::Arc;
use loom::thread;
use recorder_core::handles::Handles;

#[test]
fn two_threads_that_share_different_handles_find_their_own() {
    loom::model(|| {
        let table = Arc::new(Handles::new());
        let other = {
            let table = Arc::clone(&table);
            thread::spawn(move || {
                assert!(table.share(16, 1u64));
                assert_eq!(table.get(16), Some(1));
            })
        };
        assert!(table.share(32, 2));
        assert_eq!(table.get(32), Some(2));
        other.join().unwrap();
        assert_eq!((table.get(16), table.get(32)), (Some(1), Some(2)));
    });
}

#[test]
fn two_threads_that_meet_one_handle_at_once_leave_nothing_of_it_behind() {
    loom::model(|| {
        let table = Arc::new(Handles::new());
        let other = {
            let table = Arc::clone(&table);
            thread::spawn(move || assert!(table.share(16, 1u64)))
        };
        assert!(table.share(16, 1));
        assert_eq!(table.get(16), Some(1));
        other.join().unwrap();
        assert_eq!((table.remove(16), table.get(16)), (Some(1), None));
    });
}

#[test]
fn a_place_that_one_thread_gives_up_is_taken_by_another_whole() {
    loom::model(|| {
        let table = Arc::new(Handles::new());
        assert!(table.share(16, 1u64));
        let other = {
            let table = Arc::clone(&table);
            thread::spawn(move || {
                assert!(table.share(32, 2));
                assert_eq!(table.get(32), Some(2));
            })
        };
        assert_eq!(table.remove(16), Some(1));
        assert!(table.share(48, 3));
        assert_eq!((table.get(16), table.get(48)), (None, Some(3)));
        other.join().unwrap();
        assert_eq!((table.get(32), table.get(48)), (Some(2), Some(3)));
    });
}

#[test]
fn the_owner_of_a_table_inserts_while_another_thread_completes_what_it_began() {
    loom::model(|| {
        let table = Arc::new(Handles::new());
        // SAFETY: this thread alone inserts.
        assert!(unsafe { table.insert(16, 1u64) });
        let other = {
            let table = Arc::clone(&table);
            thread::spawn(move || assert_eq!(table.remove(16), Some(1)))
        };
        // SAFETY: as above.
        assert!(unsafe { table.insert(32, 2) });
        assert_eq!(table.get(32), Some(2));
        other.join().unwrap();
        assert_eq!((table.get(16), table.get(32)), (None, Some(2)));
    });
}
