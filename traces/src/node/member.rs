//! Writes a member of a node file.
//!
//! In: the file, opened for reading and writing, which other processes write at the same time. Out: where the bytes of
//! this process go.
//!
//! Several processes write words of the header, by atomic additions. All else belongs to one process. The magic is
//! stored after the rest of the header, and a head before its place in the table; [`head_words`](super::head_words) says
//! the order within a head.

use std::io::{Error, ErrorKind};
use std::mem::offset_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::slice;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64 as Count, Ordering::*};
use std::thread;
use std::time::{Duration, Instant};

use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::fstat;
use rustix::io::{pread, pwrite};
use zerocopy::{FromZeros, IntoBytes};

use super::head_words::{HeadWords, claim};
use super::{
    FIRST_EXTENT, HEAD_BYTES, HEADER_BYTES, HOST, MAGIC, MEMBERS, MemberHead, MemberName, NodeHeader, TABLE, VERSION,
};
use crate::orders::AtomicU64;

/// The longest wait for the process that creates the file to write its header.
const PATIENCE: Duration = Duration::from_secs(1);

/// A process's part of a node file.
pub struct Member {
    header: Words,
    head: Words,
    /// Held to claim extents.
    claiming: Mutex<()>,
    /// Bytes that were written.
    written: Count,
}

/// Words of the file that other processes may read or write.
struct Words(MmapRaw);

impl Words {
    fn map(file: BorrowedFd<'_>, at: u64, bytes: usize) -> Result<Words, Error> {
        MmapOptions::new().offset(at).len(bytes).map_raw(file.as_raw_fd()).map(Words)
    }

    fn all(&self) -> &[AtomicU64] {
        // SAFETY: words of the mapping, which only atomic operations touch.
        unsafe { slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() / size_of::<u64>()) }
    }

    /// The word at an offset in bytes, a multiple of eight.
    fn at(&self, at: usize) -> Option<&AtomicU64> {
        self.all().get(at / size_of::<u64>())
    }

    /// Stores a word. A reader that loads it also sees all that was stored before.
    fn publish(&self, at: usize, value: u64) -> Result<(), Error> {
        self.at(at).ok_or(ErrorKind::UnexpectedEof)?.store(value, Release);
        Ok(())
    }
}

/// The bytes of a boot id as the system writes it; `None` if it is none.
pub fn boot_bytes(boot: &str) -> Option<[u8; 16]> {
    let digits: String = boot.trim().chars().filter(|c| *c != '-').collect();
    let number = u128::from_str_radix(&digits, 16).ok().filter(|number| *number != 0)?;
    (digits.len() == 32).then(|| number.to_be_bytes())
}

/// Writes the header of a new node file.
pub fn create(file: BorrowedFd<'_>, host: &str, boot: [u8; 16]) -> Result<(), Error> {
    let mut header = NodeHeader::new_zeroed();
    (header.version, header.members, header.boot) = (VERSION, MEMBERS as u32, boot);
    for (place, byte) in header.host.iter_mut().take(HOST - 1).zip(host.bytes()) {
        *place = byte;
    }
    header.end = HEADER_BYTES as u64;
    let mut bytes = header.as_bytes().to_vec();
    bytes.resize(HEADER_BYTES, 0);
    write_all(file, &bytes, 0)?;
    let words = Words::map(file, 0, HEADER_BYTES)?;
    words.publish(offset_of!(NodeHeader, magic), u64::from_le_bytes(MAGIC))
}

impl Member {
    /// Takes a place for a process, by its id, in a file that a process of this host creates or has created. Fails if
    /// another host created it, if there is no place left, or the file system has no room or no shared mappings.
    pub fn join(file: BorrowedFd<'_>, boot: [u8; 16], process: u32) -> Result<Member, Error> {
        let header = created(file, boot)?;
        let end = header.at(offset_of!(NodeHeader, end)).ok_or(ErrorKind::UnexpectedEof)?;
        let at = claim(end, HEAD_BYTES + FIRST_EXTENT).ok_or(ErrorKind::FileTooLarge)?;
        // Written before it is mapped: a full file system would mean SIGBUS later. As long as a memory page, so that
        // none of it is left without room.
        let zeros = vec![0; memory_page().clamp(size_of::<MemberHead>(), HEAD_BYTES as usize)];
        write_all(file, &zeros, at)?;
        let head = Words::map(file, at, size_of::<MemberHead>())?;
        let member = Member { header, head, claiming: Mutex::new(()), written: Count::new(0) };
        let words = member.words().ok_or(ErrorKind::UnexpectedEof)?;
        words.begin(at, process);
        let taken = member.header.at(offset_of!(NodeHeader, taken)).ok_or(ErrorKind::UnexpectedEof)?;
        let place = taken.fetch_add(1, AcqRel);
        if place >= MEMBERS as u64 {
            return Err(ErrorKind::StorageFull.into());
        }
        member.header.publish(TABLE + place as usize * size_of::<u64>(), at)?;
        Ok(member)
    }

    fn words(&self) -> Option<HeadWords<'_>> {
        HeadWords::new(self.header.at(offset_of!(NodeHeader, end))?, self.head.all())
    }

    /// The offset in the file of an offset in the member, whose extent is claimed if it was not. `None` if there is
    /// none left.
    pub fn place(&self, offset: u64) -> Option<u64> {
        let words = self.words()?;
        words.place(offset).or_else(|| self.claimed(words, offset))
    }

    #[cold]
    fn claimed(&self, words: HeadWords<'_>, offset: u64) -> Option<u64> {
        let _alone = self.claiming.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        words.claim_up_to(offset)?;
        words.place(offset)
    }

    /// Notes that bytes up to here were written to the file.
    pub fn wrote(&self, bytes: u64, end: u64) {
        self.written.fetch_add(bytes, Relaxed);
        if let Some(words) = self.words() {
            words.reach(end);
        }
    }

    /// The bytes that were written.
    pub fn written(&self) -> u64 {
        self.written.load(Relaxed)
    }

    /// The member's name, once it has one.
    pub fn name(&self) -> Option<MemberName> {
        self.words()?.name()
    }

    pub fn rename(&self, name: MemberName) {
        if let Some(words) = self.words() {
            words.rename(name);
        }
    }
}

/// True if a file is a node file with a member of this name.
pub fn has_member(file: impl AsFd, name: MemberName) -> bool {
    let word = |at: u64| {
        let mut bytes = [0; size_of::<u64>()];
        (pread(&file, &mut bytes, at) == Ok(bytes.len())).then(|| u64::from_le_bytes(bytes))
    };
    let heads = (0..MEMBERS as u64).map_while(|place| word(TABLE as u64 + place * size_of::<u64>() as u64));
    let mut names = heads.filter(|at| *at != 0).filter_map(word);
    word(0) == Some(u64::from_le_bytes(MAGIC)) && names.any(|found| found == name.word())
}

/// The header, once the process that creates the file has written it.
fn created(file: BorrowedFd<'_>, boot: [u8; 16]) -> Result<Words, Error> {
    let began = Instant::now();
    let header = loop {
        if fstat(file)?.st_size >= HEADER_BYTES as i64 {
            let words = Words::map(file, 0, HEADER_BYTES)?;
            if words.at(0).is_some_and(|magic| magic.load(Acquire) == u64::from_le_bytes(MAGIC)) {
                break words;
            }
        }
        if began.elapsed() > PATIENCE {
            return Err(ErrorKind::TimedOut.into());
        }
        thread::sleep(Duration::from_millis(1));
    };
    let (low, high) = (u128::from_le_bytes(boot) as u64, (u128::from_le_bytes(boot) >> 64) as u64);
    let at = offset_of!(NodeHeader, boot);
    let is = |at: usize, word: u64| header.at(at).is_some_and(|found| found.load(Relaxed) == word);
    let version = u64::from(VERSION) | (MEMBERS as u64) << 32;
    if !is(offset_of!(NodeHeader, version), version) || !is(at, low) || !is(at + size_of::<u64>(), high) {
        return Err(Error::other("another host, or another version of overhear, has created the file"));
    }
    Ok(header)
}

/// Bytes of the system's memory pages.
fn memory_page() -> usize {
    // SAFETY: reads a constant of the system.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    bytes as usize
}

fn write_all(file: BorrowedFd<'_>, mut bytes: &[u8], mut at: u64) -> Result<(), Error> {
    while !bytes.is_empty() {
        match pwrite(file.as_fd(), bytes, at) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = bytes.get(written..).unwrap_or_default();
                at += written as u64;
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
