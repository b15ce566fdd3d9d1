//! Writes a rank's file page by page, for generators and tests. The interposer writes its pages in place.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use zerocopy::{FromZeros, IntoBytes};

use crate::clock::ClockSample;
use crate::definitions::{Definition, PREFIX};
use crate::file::{FIRST_PAGE, FileHeader, MAGIC, PageHeader, PageKind, ProfileEntry, ThreadBlock};
use crate::node::{self, Member, MemberName};
use crate::record;
use crate::signature::Signature;

/// The page unit of files written here, in bytes.
pub const UNIT: usize = 4096;

/// A file being written.
pub struct FileWriter<W: Write> {
    out: W,
}

impl<W: Write> FileWriter<W> {
    /// Begins a file. Sets magic and unit of the header, and its version unless the header needs a later one.
    pub fn begin(mut out: W, header: FileHeader) -> io::Result<FileWriter<W>> {
        let header = FileHeader {
            magic: MAGIC,
            version: FileHeader::version_of(header.keeps_newest()).max(header.version),
            unit: UNIT as u32,
            ..header
        };
        out.write_all(header.as_bytes())?;
        out.write_all(&vec![0; FIRST_PAGE - size_of::<FileHeader>()])?;
        Ok(FileWriter { out })
    }

    /// Continues after the pages of a file.
    pub fn go_on(out: W) -> FileWriter<W> {
        FileWriter { out }
    }

    /// Writes a page of definitions.
    pub fn definitions(&mut self, definitions: &[Definition]) -> io::Result<()> {
        let mut body = Vec::new();
        for definition in definitions {
            let bytes = definition.to_bytes().map_err(io::Error::other)?;
            body.extend((bytes.len() as u64).to_le_bytes());
            body.extend(&bytes);
            body.resize(body.len().next_multiple_of(PREFIX), 0);
        }
        self.page(PageKind::Definitions, blank_page(0, 0), &body)
    }

    /// Writes the page of a thread's block.
    pub fn thread(&mut self, thread: u32, block: &ThreadBlock) -> io::Result<()> {
        self.page(PageKind::Thread, blank_page(thread, 0), block.as_bytes())
    }

    /// Writes a page of a thread's signatures.
    pub fn signatures(&mut self, thread: u32, sequence: u32, signatures: &[Signature]) -> io::Result<()> {
        self.page(PageKind::Signatures, blank_page(thread, sequence), signatures.as_bytes())
    }

    /// Writes a page of a thread's records. The first gap counts from `base`.
    pub fn events(&mut self, thread: u32, sequence: u32, base: u64, words: &[u64]) -> io::Result<()> {
        self.page(PageKind::Events, PageHeader { base, ..blank_page(thread, sequence) }, words.as_bytes())
    }

    /// Writes a page of records for a thread that began `requests` requests before. `place` is the thread and the
    /// sequence number.
    pub fn events_after(&mut self, place: (u32, u32), base: u64, requests: u64, words: &[u64]) -> io::Result<()> {
        let header = PageHeader { base, requests, ..blank_page(place.0, place.1) };
        self.page(PageKind::Events, header, words.as_bytes())
    }

    /// Writes a page of a thread's profile.
    pub fn profile(&mut self, thread: u32, sequence: u32, entries: &[ProfileEntry]) -> io::Result<()> {
        self.page(PageKind::Profile, blank_page(thread, sequence), entries.as_bytes())
    }

    /// Writes the account of a thread's `pages` first pages of records, which were dropped.
    pub fn dropped(&mut self, thread: u32, pages: u32, body: &[u8]) -> io::Result<()> {
        self.page(PageKind::Dropped, PageHeader { requests: 1, ..blank_page(thread, pages) }, body)
    }

    /// The underlying writer.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn page(&mut self, kind: PageKind, header: PageHeader, body: &[u8]) -> io::Result<()> {
        let bytes = (size_of::<PageHeader>() + body.len()).next_multiple_of(UNIT);
        let header = PageHeader { kind: kind as u32, units: (bytes / UNIT) as u32, ..header };
        self.out.write_all(header.as_bytes())?;
        self.out.write_all(body)?;
        self.out.write_all(&vec![0; bytes - size_of::<PageHeader>() - body.len()])
    }
}

/// A node file being written.
pub struct NodeWriter {
    path: PathBuf,
}

/// A member of a node file being written, from its begin on.
pub struct MemberWriter {
    file: File,
    pub member: Member,
    end: u64,
}

/// The boot id in node files written here.
const BOOT: [u8; 16] = [1; 16];

impl NodeWriter {
    /// Begins a node file, which must not exist.
    pub fn begin(path: &Path, host: &str) -> io::Result<NodeWriter> {
        let file = File::options().read(true).write(true).create_new(true).open(path)?;
        node::create(file.as_fd(), host, BOOT)?;
        Ok(NodeWriter { path: path.into() })
    }

    /// Takes a place for a process, by its id, that does not know its rank yet. Several may write in turn.
    pub fn starting(&self, process: u32) -> io::Result<MemberWriter> {
        let file = File::options().read(true).write(true).open(&self.path)?;
        let member = Member::join(file.as_fd(), BOOT, process)?;
        Ok(MemberWriter { file, member, end: 0 })
    }

    /// Takes a place for the process of a rank.
    pub fn member(&self, process: u32, world: u32, rank: u32) -> io::Result<MemberWriter> {
        let writer = self.starting(process)?;
        writer.member.rename(MemberName { world, rank });
        Ok(writer)
    }
}

impl Write for MemberWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = bytes.get(..node::left_in_extent(self.end) as usize).unwrap_or(bytes);
        let place = self.member.place(self.end).ok_or(io::ErrorKind::FileTooLarge)?;
        let written = self.file.write_at(bytes, place)?;
        self.end += written as u64;
        self.member.wrote(written as u64, self.end);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A header with everything unknown.
pub fn blank_header() -> FileHeader {
    FileHeader::new_zeroed()
}

/// The block of a thread that is in no call.
pub fn blank_block() -> ThreadBlock {
    ThreadBlock::new_zeroed()
}

/// The header of a thread's page, without a kind.
pub fn blank_page(thread: u32, sequence: u32) -> PageHeader {
    let sample = ClockSample::default();
    PageHeader { kind: 0, units: 0, thread, sequence, base: 0, requests: 0, sample }
}

/// Appends a call to a page's records in the shortest form that holds it. Returns its end, which is the next call's
/// `last`.
pub fn call(words: &mut Vec<u64>, last: u64, signature: u32, start: u64, duration: u64) -> u64 {
    let gap = start.wrapping_sub(last);
    if let Some(word) = record::short(signature, gap, duration) {
        words.push(word);
    } else if let Some(wide) = record::wide(signature, gap as i64, duration) {
        words.extend(wide);
    } else {
        words.extend(record::long(signature, gap as i64, duration));
    }
    start.wrapping_add(duration)
}
