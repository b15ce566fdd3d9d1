//! A file that takes a name replaces no other, whichever way it takes it; a run that records nothing leaves no folder.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use traces::folder::{claim, give_back, launch_log_name, rename_new, rename_reserved};

/// A new folder, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("overhear-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_file_takes_a_free_name_and_leaves_one_that_is_taken() {
    for (name, rename) in [("new", rename_new as fn(&_, &_) -> _), ("reserved", rename_reserved)] {
        let folder = Folder::new(name);
        let [one, other, place] = ["one", "other", "place"].map(|name| folder.0.join(name));
        fs::write(&one, "one").unwrap();
        fs::write(&other, "other").unwrap();
        rename(&one, &place).unwrap();
        assert_eq!(rename(&other, &place).unwrap_err().kind(), ErrorKind::AlreadyExists, "{name}");
        assert_eq!(fs::read_to_string(&place).unwrap(), "one", "{name}");
        assert_eq!(fs::read_to_string(&other).unwrap(), "other", "{name}");
        assert!(!one.exists(), "{name}");
    }
}

#[test]
fn a_file_that_is_gone_reserves_no_name() {
    for (name, rename) in [("gone", rename_new as fn(&_, &_) -> _), ("gone-reserved", rename_reserved)] {
        let folder = Folder::new(name);
        let (one, place) = (folder.0.join("one"), folder.0.join("place"));
        assert_eq!(rename(&one, &place).unwrap_err().kind(), ErrorKind::NotFound, "{name}");
        assert!(!place.exists(), "{name}");
    }
}

#[test]
fn a_folder_that_holds_a_launch_and_no_trace_is_given_back() {
    let parent = Folder::new("given-back");
    for (others, is_kept) in [(&[][..], false), (&["rank-0000.ovh"][..], true), (&["notes.jsonl"][..], true)] {
        let folder = claim(&parent.0.join("run"), &[1; 16]).unwrap();
        for name in [&launch_log_name("h1", 17)[..]].iter().chain(others) {
            fs::write(folder.join(name), "").unwrap();
        }
        give_back(&folder);
        assert_eq!(folder.exists(), is_kept, "{others:?}");
        if is_kept {
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "{others:?}");
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}
