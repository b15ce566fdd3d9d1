//! A run may have more files than the system maps for one process.

use std::fs;
use std::path::{Path, PathBuf};

use traces::error::Error;
use traces::read::{FileAccess, RankFile};
use traces::write::{FileWriter, blank_header};

/// More than the 65,530 mappings that Linux allows by default.
const FILES: usize = 70_000;

/// A small file, removed when dropped.
struct SmallFile(PathBuf);

impl SmallFile {
    fn new(name: &str) -> SmallFile {
        let path = std::env::temp_dir().join(format!("overhear-{name}-{}.ovh", std::process::id()));
        fs::write(&path, FileWriter::begin(Vec::new(), blank_header()).unwrap().into_inner()).unwrap();
        SmallFile(path)
    }
}

impl Drop for SmallFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Opens a file as often as a run has files, and keeps all of them open.
fn open_all(path: &Path, access: FileAccess) -> Result<Vec<RankFile>, Error> {
    // At the limit the allocator gets no more room.
    let mut files = Vec::with_capacity(FILES);
    for _ in 0..FILES {
        files.push(RankFile::open_by(path, access)?);
    }
    Ok(files)
}

#[test]
fn a_run_of_more_files_than_the_system_maps_is_open_at_once() {
    let file = SmallFile::new("read");
    let files = open_all(&file.0, FileAccess::of_run(FILES)).unwrap();
    assert_eq!(files.len(), FILES);
    assert!(files.iter().all(|file| file.contents().damage.is_empty()));
}

#[test]
fn of_a_file_that_was_let_go_and_is_gone_the_end_is_said_to_be_missing() {
    let file = SmallFile::new("gone");
    let mut whole = FileWriter::begin(Vec::new(), blank_header()).unwrap();
    whole.definitions(&[]).unwrap();
    fs::write(&file.0, whole.into_inner()).unwrap();
    let mut read = RankFile::open_by(&file.0, FileAccess::SmallRead).unwrap();
    assert!(read.contents().damage.is_empty());
    fs::remove_file(&file.0).unwrap();
    assert!(read.contents().damage.is_empty());
    read.let_go();
    assert_eq!(read.contents().damage.len(), 1);
}

#[test]
#[ignore = "leaves the process without mappings for a moment: run it alone"]
fn where_the_system_maps_no_more_files_the_error_says_what_to_do() {
    let limit = fs::read_to_string("/proc/sys/vm/max_map_count").unwrap();
    assert!(limit.trim().parse::<usize>().unwrap() < FILES, "this system maps more files: {limit}");
    let file = SmallFile::new("mapped");
    let Err(error) = open_all(&file.0, FileAccess::Mapped) else { panic!("{FILES} files were mapped") };
    let Error::TooManyMappings { path } = &error else { panic!("{error}") };
    assert_eq!(*path, file.0);
    assert!(error.to_string().contains("sysctl vm.max_map_count="), "{error}");
}

#[test]
fn a_file_that_was_read_is_what_the_mapped_one_is() {
    let samples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples");
    let (mut compared, mut folders) = (0, vec![samples]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "ovh") {
                let [mapped, mut read] = [FileAccess::Mapped, FileAccess::SmallRead]
                    .map(|access| RankFile::open_by(&entry, access).unwrap());
                assert_eq!(mapped.len(), read.len());
                assert_eq!(words(&mapped), words(&read), "{}", entry.display());
                read.let_go();
                assert_eq!(words(&mapped), words(&read), "{}", entry.display());
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
}

/// The words of all records of a file.
fn words(file: &RankFile) -> Vec<u64> {
    let pages = file.contents().threads.into_iter().flat_map(|thread| thread.pages);
    pages.flat_map(|page| (0..page.words.len()).filter_map(move |at| page.words.get(at))).collect()
}
