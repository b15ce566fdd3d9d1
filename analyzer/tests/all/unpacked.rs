//! The library embedded in the command, unpacked to a folder.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::thread;

use analyzer::launch::library::unpack;

use crate::common::Folder;

const LIBRARY: &[u8] = &[0x7f; 3_000_000];

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn processes_that_unpack_at_once_get_one_whole_file_and_leave_nothing_else() {
    let folder = Folder::new();
    let cache = folder.0.join("new/overhear");
    let paths: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..64).map(|_| scope.spawn(|| unpack(LIBRARY, &cache).unwrap())).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert!(paths.iter().all(|path| *path == paths[0]), "{paths:?}");
    assert_eq!(fs::read(&paths[0]).unwrap(), LIBRARY);
    assert_eq!(names(&cache).len(), 1, "{:?}", names(&cache));
    assert_eq!(fs::metadata(&cache).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn a_file_that_is_there_and_right_stays_and_another_version_lies_beside_it() {
    let folder = Folder::new();
    let first = unpack(LIBRARY, &folder.0).unwrap();
    let inode = fs::metadata(&first).unwrap().ino();
    assert_eq!(unpack(LIBRARY, &folder.0).unwrap(), first);
    assert_eq!(fs::metadata(&first).unwrap().ino(), inode);
    assert_ne!(unpack(b"another version", &folder.0).unwrap(), first);
    assert_eq!(fs::read(&first).unwrap(), LIBRARY);
}

#[test]
fn what_lies_there_and_is_not_the_library_is_replaced_and_a_link_is_not_followed() {
    let folder = Folder::new();
    let path = unpack(LIBRARY, &folder.0).unwrap();
    let mut wrong = LIBRARY.to_vec();
    wrong[1_000] += 1;
    let other = Folder::new();
    other.write("other", &wrong);
    let others = other.0.join("other");
    for put in [&|| fs::write(&path, &wrong).unwrap() as (), &|| fs::write(&path, &LIBRARY[1..]).unwrap(), &|| {
        symlink(&others, &path).unwrap()
    }] as [&dyn Fn(); 3]
    {
        fs::remove_file(&path).unwrap();
        put();
        assert_eq!(unpack(LIBRARY, &folder.0).unwrap(), path);
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
        assert_eq!(fs::read(&path).unwrap(), LIBRARY);
        assert_eq!(names(&folder.0).len(), 1);
    }
    assert_eq!(fs::read(&others).unwrap(), wrong);
}

#[test]
fn a_folder_that_is_not_the_users_own_or_cannot_be_preloaded_from_is_refused_with_why() {
    let folder = Folder::new();
    let made = |name: &str| {
        fs::create_dir(folder.0.join(name)).unwrap();
        folder.0.join(name)
    };
    let shared = made("shared");
    fs::set_permissions(&shared, Permissions::from_mode(0o777)).unwrap();
    let link = folder.0.join("link");
    symlink(made("target"), &link).unwrap();
    folder.write("file", b"");
    for (place, why) in [
        (shared, "others may write into it"),
        (link, "is a link"),
        (folder.0.join("a b"), "no path with a space"),
        (folder.0.join("file/below"), "Not a directory"),
    ] {
        let refused = unpack(LIBRARY, &place).unwrap_err();
        assert!(refused.starts_with(&format!("{}: ", place.display())) && refused.contains(why), "{refused}");
    }
    assert_eq!(names(&folder.0.join("target")), [""; 0]);
}
