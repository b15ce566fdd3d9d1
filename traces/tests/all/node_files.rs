//! A member of a node file reads like a separate file, whichever processes write beside it, and however they end.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::common::{CALLS, Listener, Said, begun, header, three_pages};
use traces::error::{Damage, Error};
use traces::file::FileHeader;
use traces::folder::claim;
use traces::node::{self, MemberName};
use traces::read::{FileAccess, FileSize, Follower, RankFile, rank_files, walk};
use traces::write::{FileWriter, MemberWriter, NodeWriter, call};

/// A folder of a test, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("overhear-node-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn node(&self) -> PathBuf {
        self.0.join("node-h1.ovh")
    }

    fn begin(&self) -> NodeWriter {
        NodeWriter::begin(&self.node(), "h1").unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A rank's file with this many pages of records.
fn file_of(rank: u32, pages: u32) -> Vec<u8> {
    let mut file = begun(header(rank));
    let mut last = 0;
    for page in 0..pages {
        let (mut words, base) = (Vec::new(), last);
        for at in 0..400 {
            last = call(&mut words, last, 1 + rank, last + u64::from(page) + at, 3);
        }
        file.events(0, page, base, &words).unwrap();
    }
    file.into_inner()
}

/// Files of some pages to beyond the third extent.
fn files() -> Vec<Vec<u8>> {
    [3, 200, 0, 33, 31].iter().zip(0..).map(|(pages, rank)| file_of(rank, *pages)).collect()
}

/// Writes files as members, a piece of each in turn.
fn pack(folder: &Folder, files: &[Vec<u8>]) {
    let node = folder.begin();
    let mut writers: Vec<MemberWriter> =
        files.iter().zip(0..).map(|(_, rank)| node.member(100 + rank, 0, rank).unwrap()).collect();
    const PIECE: usize = 5_000;
    for piece in 0..files.iter().map(Vec::len).max().unwrap().div_ceil(PIECE) {
        for (writer, file) in writers.iter_mut().zip(files) {
            let bytes = file.chunks(PIECE).nth(piece).unwrap_or_default();
            writer.write_all(bytes).unwrap();
        }
    }
}

/// All contents of a file.
fn said(file: &RankFile) -> (Vec<Said>, Vec<Damage>) {
    let (contents, mut listener) = (file.contents(), Listener::default());
    let mut damage = contents.damage.clone();
    for page in contents.threads.iter().flat_map(|thread| &thread.pages) {
        damage.extend(walk(page, &mut listener).err());
    }
    (listener.0, damage)
}

fn in_own_file(folder: &Folder, bytes: &[u8]) -> (Vec<Said>, Vec<Damage>) {
    let path = folder.0.join("own");
    fs::write(&path, bytes).unwrap();
    said(&RankFile::open(&path).unwrap())
}

#[test]
fn members_that_were_written_at_once_read_as_files_of_their_own() {
    let folder = Folder::new();
    let files = files();
    pack(&folder, &files);
    let paths = rank_files(&folder.0).unwrap();
    let names: Vec<PathBuf> = (0..5).map(|rank| folder.node().join(format!("rank-000{rank}.ovh"))).collect();
    assert_eq!(paths, names);
    for (path, bytes) in paths.iter().zip(&files) {
        assert_eq!(FileSize::of(path).unwrap().bytes, bytes.len() as u64);
        for access in [FileAccess::Mapped, FileAccess::SmallRead] {
            let member = RankFile::open_by(path, access).unwrap();
            assert_eq!(member.len(), bytes.len() as u64);
            assert_eq!(said(&member), in_own_file(&folder, bytes), "{}", path.display());
        }
        assert_eq!(said(&RankFile::open(path).unwrap().copied().unwrap()), in_own_file(&folder, bytes));
    }
}

#[test]
fn files_of_both_kinds_may_lie_in_one_folder() {
    let folder = Folder::new();
    pack(&folder, &files());
    fs::write(folder.0.join("rank-0007.ovh"), three_pages()).unwrap();
    fs::write(folder.0.join("starting-h2-9.ovh"), three_pages()).unwrap();
    // While it moves, it has two names.
    fs::hard_link(folder.node(), folder.0.join("starting-h1-0123456789abcdef.ovh")).unwrap();
    let paths = rank_files(&folder.0).unwrap();
    assert_eq!(paths.len(), 7, "{paths:?}");
    assert!(paths.iter().all(|path| RankFile::open(path).is_ok()));
}

#[test]
fn a_process_that_was_killed_on_the_way_leaves_the_others_whole() {
    let folder = Folder::new();
    let node = folder.begin();
    let mut first = node.member(1, 0, 0).unwrap();
    first.write_all(&three_pages()).unwrap();
    // It had claimed an extent, and written nothing there.
    first.member.place(1 << 20).unwrap();
    // It had a place, and had written nothing.
    drop(node.starting(2).unwrap());
    // It had counted itself, and not named its place.
    let taken = std::mem::offset_of!(node::NodeHeader, taken);
    let mut bytes = fs::read(folder.node()).unwrap();
    bytes[taken] += 1;
    fs::write(folder.node(), bytes).unwrap();
    node.member(4, 1, 3).unwrap().write_all(&three_pages()).unwrap();
    // It had not heard its rank.
    node.starting(5).unwrap().write_all(&three_pages()).unwrap();
    let paths = rank_files(&folder.0).unwrap();
    let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["rank-0000.ovh", "starting-h1-5.ovh", "world-1-rank-0003.ovh"]);
    for path in paths {
        let (calls, damage) = said(&RankFile::open(&path).unwrap());
        assert_eq!((calls.len(), damage), (CALLS.len(), vec![]), "{}", path.display());
    }
}

#[test]
fn a_member_is_followed_while_it_grows() {
    let folder = Folder::new();
    let node = folder.begin();
    let whole = file_of(0, 200);
    let mut writer = node.starting(17).unwrap();
    writer.write_all(&whole[..8192]).unwrap();
    let path = folder.node().join("starting-h1-17.ovh");
    let mut follower = Follower::open(&path).unwrap();
    let mut found = follower.find().len();
    let mut other = node.member(18, 0, 1).unwrap();
    for piece in whole[8192..].chunks(70_000) {
        writer.write_all(piece).unwrap();
        other.write_all(piece).unwrap();
        assert!(follower.refresh());
        found += follower.find().len();
    }
    // The thread's block, and the pages of records.
    assert_eq!((found, follower.file().len()), (1 + 200, whole.len() as u64));
    // As for a file that is renamed, the old name is gone.
    writer.member.rename(MemberName { world: 0, rank: 0 });
    assert!(!follower.refresh());
    assert!(RankFile::open(&path).is_err());
    assert!(Follower::open(&folder.node().join("rank-0000.ovh")).unwrap().refresh());
}

#[test]
fn holes_of_a_member_are_passed_over() {
    let folder = Folder::new();
    let node = folder.begin();
    let mut writer = node.member(1, 0, 0).unwrap();
    let whole = file_of(0, 1);
    writer.write_all(&whole).unwrap();
    let page = &whole[whole.len() - 4096..];
    // A page of a second thread begins behind 900 MiB without blocks.
    let mut page = page.to_vec();
    page[8] = 1;
    let at = 900 << 20;
    let place = writer.member.place(at).unwrap();
    let file = fs::File::options().write(true).open(folder.node()).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &page, place).unwrap();
    writer.member.wrote(4096, at + 4096);
    let member = RankFile::open(&folder.node().join("rank-0000.ovh")).unwrap();
    let contents = member.contents();
    assert_eq!((contents.threads.len(), &contents.damage[..]), (2, &[Damage::NoBlock { thread: 1 }][..]));
    // Without the holes, half a million pages of zeros would have been read into memory.
    let resident = fs::read_to_string("/proc/self/status").unwrap();
    let resident = resident.lines().find_map(|line| line.strip_prefix("RssFile:")).unwrap();
    let kibibytes: u64 = resident.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kibibytes < 200 << 10, "{resident}");
}

#[test]
fn a_node_file_cut_anywhere_says_so_and_keeps_what_is_there() {
    let folder = Folder::new();
    let files = [file_of(0, 40), file_of(1, 40), file_of(2, 40)];
    pack(&folder, &files);
    let whole = fs::read(folder.node()).unwrap();
    let mut seen = [0; 3];
    for length in (0..whole.len()).step_by(whole.len() / 97) {
        fs::write(folder.node(), &whole[..length]).unwrap();
        let (mut complete, mut reported) = (0, 0);
        for path in rank_files(&folder.0).unwrap() {
            match RankFile::open(&path) {
                Ok(file) => {
                    let (_, damage) = said(&file);
                    let is_cut = damage.iter().any(|damage| matches!(damage, Damage::CutMember { .. }));
                    assert_eq!(is_cut, !damage.is_empty());
                    complete += usize::from(!is_cut);
                    reported += usize::from(is_cut);
                }
                Err(error) => {
                    assert!(matches!(error, Error::Node { .. } | Error::Short { .. }), "{length}: {error}");
                    reported += 1;
                }
            }
        }
        assert!(reported > 0, "{length} of {}: {complete}", whole.len());
        seen[complete] += 1;
    }
    // The cut decides if a member is complete.
    assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}");
}

#[test]
fn any_word_of_a_node_file_may_be_wrong_without_a_panic() {
    let folder = Folder::new();
    pack(&folder, &[file_of(0, 3), file_of(1, 40)]);
    let whole = fs::read(folder.node()).unwrap();
    let head = u64::from_le_bytes(whole[node::TABLE..][..8].try_into().unwrap()) as usize;
    let places = (0..112).chain(node::TABLE..node::TABLE + 24).chain(head..head + 64);
    let values = [0, 1, 7, 0x10000, 0x20000, whole.len() as u64, 1 << 40, u64::MAX - 0xffff, u64::MAX];
    for at in places.step_by(8) {
        for value in values {
            let mut bytes = whole.clone();
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            fs::write(folder.node(), &bytes).unwrap();
            for path in rank_files(&folder.0).unwrap() {
                let _ = RankFile::open(&path).map(|file| said(&file));
            }
        }
    }
}

#[test]
fn what_is_wrong_with_a_node_file_is_said() {
    let folder = Folder::new();
    let reason = || {
        let paths = rank_files(&folder.0).unwrap();
        assert_eq!(paths, [folder.node()]);
        RankFile::open(&paths[0]).err().unwrap().to_string()
    };
    drop(folder.begin());
    assert!(reason().contains("no process has begun to write"), "{}", reason());
    let whole = fs::read(folder.node()).unwrap();
    fs::write(folder.node(), &whole[..5_000]).unwrap();
    assert!(reason().contains("it ends after 5000 bytes, within its list of processes"), "{}", reason());
    let mut newer = whole.clone();
    newer[8] = 2;
    fs::write(folder.node(), newer).unwrap();
    assert!(reason().contains("it has version 2, but this overhear reads only 1"), "{}", reason());
}

#[test]
fn members_of_another_folders_run_are_left_out() {
    let folder = Folder::new();
    let (run, here) = ([3; 16], folder.0.join("run"));
    claim(&here, &run).unwrap();
    let node = NodeWriter::begin(&here.join("node-h1.ovh"), "h1").unwrap();
    // Two runs that their launcher has not told apart have a rank 0 each.
    for (process, rank, run) in [(9, 0, [4; 16]), (0, 0, run), (1, 1, [4; 16]), (2, 2, [0; 16])] {
        let writer = node.member(process, 0, rank).unwrap();
        FileWriter::begin(writer, FileHeader { run, ..header(rank) }).unwrap();
    }
    let names: Vec<PathBuf> = ["rank-0000.ovh", "rank-0002.ovh"].map(|name| here.join("node-h1.ovh").join(name)).into();
    assert_eq!(rank_files(&here).unwrap(), names);
    assert_eq!(RankFile::open(&names[0]).unwrap().header().run, run);
}

#[test]
fn a_file_of_one_process_is_not_asked_for_members() {
    let folder = Folder::new();
    let path = folder.0.join("rank-0000.ovh");
    fs::write(&path, three_pages()).unwrap();
    let inside = path.join("rank-0000.ovh");
    assert!(matches!(RankFile::open(&inside), Err(Error::Node { .. })));
    assert!(FileSize::of(&inside).is_err() && FileSize::of(Path::new("/nowhere/rank-0000.ovh")).is_err());
}
