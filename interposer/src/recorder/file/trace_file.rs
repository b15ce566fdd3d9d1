//! The file of this process, or its part of the file of all processes of its host. The program may close and reuse the
//! descriptor.
//!
//! Every use of the descriptor first checks that device and inode are still this file's. If not, the descriptor belongs
//! to the program: it is left alone, and the file is opened again by its path. Between check and write another thread
//! of the program could still take the number, but only by `dup2` to exactly this one, since `open` does not reach so
//! high (see [`descriptor`]). A mapping, which is written to for long, is kept only if the descriptor is this file's
//! afterwards, too.

use std::ffi::{CString, c_int, c_void};
use std::fs;
use std::io::{Error, ErrorKind};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicI32, Ordering::*};
use std::sync::{Mutex, MutexGuard};

use traces::file::Stop;
use traces::node::{self, Member, MemberName};
use traces::regular;

use crate::descriptor::{self, FileIdentity};
use crate::recorder::guard::borrowed::SizeSignal;
use crate::{system_calls, uncancellable};

pub struct TraceFile {
    number: AtomicI32,
    identity: FileIdentity,
    /// Absolute, since the program may change its working directory.
    path: Mutex<PathBuf>,
    /// This process's part, if all processes of the host share the file. Offsets are relative to the part.
    member: Option<Member>,
}

impl TraceFile {
    /// Creates the file, which must not exist, by its absolute path.
    pub fn create(path: &Path) -> Result<TraceFile, Error> {
        let number = descriptor::open(path, libc::O_CREAT | libc::O_EXCL)?;
        TraceFile::of(number, path, None)
    }

    /// Takes a part of the file of all processes of this host, by its absolute path. The first of them creates it.
    pub fn join(path: &Path, host: &str, boot: [u8; 16]) -> Result<TraceFile, Error> {
        let (number, is_new) = open_or_create(path)?;
        // SAFETY: open here and not closed before it is used: no call of the program has returned from us since.
        let file = unsafe { BorrowedFd::borrow_raw(number) };
        let created = if is_new { node::create(file, host, boot) } else { is_of_this_user(number) };
        match created.and_then(|()| Member::join(file, boot, std::process::id())) {
            Ok(member) => TraceFile::of(number, path, Some(member)),
            Err(error) => {
                descriptor::close(number);
                if is_new {
                    let _ = fs::remove_file(path);
                }
                Err(error)
            }
        }
    }

    fn of(number: c_int, path: &Path, member: Option<Member>) -> Result<TraceFile, Error> {
        let identity = FileIdentity::of(number).ok_or_else(Error::last_os_error)?;
        Ok(TraceFile { number: number.into(), identity, path: Mutex::new(path.into()), member })
    }

    /// This process's part of the file, if all processes of the host share it.
    pub fn member(&self) -> Option<&Member> {
        self.member.as_ref()
    }

    /// True if this file is at a path.
    pub fn is_at(&self, path: &Path) -> bool {
        descriptor::status_of(path).is_some_and(|status| self.identity.is(status.st_dev, status.st_ino))
    }

    /// Gives the file another name, whatever its name is now.
    pub fn link(&self, to: &Path) -> Result<(), Error> {
        let number = self.number.load(Acquire);
        if !self.is(number) {
            return Err(Error::from_raw_os_error(libc::EBADF));
        }
        let from = CString::new(format!("/proc/self/fd/{number}"))?;
        let to = CString::new(to.as_os_str().as_bytes())?;
        let (here, flags) = (libc::AT_FDCWD, libc::AT_SYMLINK_FOLLOW);
        // SAFETY: both are terminated.
        match unsafe { libc::linkat(here, from.as_ptr(), here, to.as_ptr(), flags) } {
            0 => Ok(()),
            _ => Err(Error::last_os_error()),
        }
    }

    /// Translates an offset of this process to one in the file. Returns with it how many of the `bytes` are contiguous
    /// there.
    fn piece(&self, offset: u64, bytes: usize) -> Result<(u64, usize), Stop> {
        let Some(member) = &self.member else { return Ok((offset, bytes)) };
        let place = member.place(offset).ok_or(Stop::Io)?;
        Ok((place, node::left_in_extent(offset).min(bytes as u64) as usize))
    }

    pub fn path(&self) -> PathBuf {
        self.lock_path().clone()
    }

    /// Has `rename` move the file and change its path.
    pub fn rename<R>(&self, rename: impl FnOnce(&mut PathBuf) -> R) -> R {
        rename(&mut self.lock_path())
    }

    fn lock_path(&self) -> MutexGuard<'_, PathBuf> {
        self.path.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn is(&self, number: c_int) -> bool {
        FileIdentity::of(number) == Some(self.identity)
    }

    /// A descriptor that refers to this file.
    fn number(&self) -> Result<c_int, Stop> {
        let number = self.number.load(Acquire);
        if self.is(number) { Ok(number) } else { self.open_again() }
    }

    #[cold]
    fn open_again(&self) -> Result<c_int, Stop> {
        let path = self.lock_path();
        // Another thread may have opened it meanwhile.
        let number = self.number.load(Acquire);
        if self.is(number) {
            return Ok(number);
        }
        let number = open_existing(&path).map_err(|_| Stop::Io)?;
        if !self.is(number) {
            descriptor::close(number);
            return Err(Stop::Io);
        }
        self.number.store(number, Release);
        Ok(number)
    }

    /// Writes all bytes, or as many as the disk or the process's limit has room for.
    ///
    /// # Safety
    /// There must be `bytes` bytes at `from`. Other threads may change them meanwhile, since only the kernel reads
    /// them.
    pub unsafe fn write(&self, from: NonNull<u8>, bytes: usize, offset: u64) -> Result<(), Stop> {
        // The limit may have been lowered since `take` checked it. A filter may forbid what the signal needs.
        let is_unlimited = system_calls::are_filtered() && size_limit() == libc::RLIM_INFINITY;
        let signal = (!is_unlimited).then(SizeSignal::hold);
        let mut done = 0;
        while done < bytes {
            let (to, together) = self.piece(offset + done as u64, bytes - done)?;
            let number = self.number()?;
            // SAFETY: by the contract.
            let written = unsafe { uncancellable::pwrite(number, from.add(done).as_ptr(), together, to) };
            match written {
                1.. => {
                    done += written as usize;
                    continue;
                }
                // errno is that of an earlier call.
                0 => return Err(Stop::Io),
                _ => {}
            }
            match Error::last_os_error().raw_os_error() {
                // EBADF: the descriptor was closed since it was checked.
                Some(libc::EINTR | libc::EBADF) => {}
                Some(libc::EFBIG) => {
                    if let Some(signal) = &signal {
                        signal.discard();
                    }
                    return Err(Stop::SizeLimit);
                }
                Some(libc::ENOSPC | libc::EDQUOT) => return Err(Stop::NoSpace),
                _ => return Err(Stop::Io),
            }
        }
        if let Some(member) = &self.member {
            member.wrote(bytes as u64, offset + bytes as u64);
        }
        Ok(())
    }

    /// Reads bytes that were written before.
    ///
    /// # Safety
    /// There must be room for `bytes` bytes at `to`.
    pub unsafe fn read(&self, to: NonNull<u8>, bytes: usize, offset: u64) -> Result<(), Stop> {
        let mut done = 0;
        while done < bytes {
            let (from, together) = self.piece(offset + done as u64, bytes - done)?;
            let number = self.number()?;
            // SAFETY: by the contract.
            let read = unsafe { uncancellable::pread(number, to.add(done).as_ptr(), together, from) };
            match read {
                1.. => done += read as usize,
                0 => return Err(Stop::Io),
                _ if matches!(Error::last_os_error().raw_os_error(), Some(libc::EINTR | libc::EBADF)) => {}
                _ => return Err(Stop::Io),
            }
        }
        Ok(())
    }

    /// Maps an existing part of the file. `None` if the file system has no shared mappings.
    pub fn map(&self, bytes: usize, offset: u64) -> Result<Option<NonNull<u8>>, Stop> {
        loop {
            let number = self.number()?;
            let base = self.map_pieces(number, bytes, offset);
            if self.is(number) {
                return match base {
                    Ok(base) => Ok(Some(base)),
                    Err(libc::ENODEV | libc::EINVAL | libc::EACCES | libc::EPERM) => Ok(None),
                    Err(libc::ENOMEM) => Err(Stop::NoMemory),
                    Err(_) => Err(Stop::Io),
                };
            }
            if let Ok(base) = base {
                unmap(base, bytes);
            }
        }
    }

    /// Maps bytes that may lie in several places of the file to contiguous memory.
    fn map_pieces(&self, number: c_int, bytes: usize, offset: u64) -> Result<NonNull<u8>, c_int> {
        let piece = |done: usize| self.piece(offset + done as u64, bytes - done).map_err(|_| libc::EIO);
        let (place, together) = piece(0)?;
        let base = map_shared(number, bytes, place)?;
        let mut done = together;
        while done < bytes {
            let mapped = piece(done).and_then(|(place, together)| {
                // SAFETY: lies in the new mapping, up to its end.
                let to = unsafe { base.add(done) };
                map_over(to, number, together, place)?;
                Ok(together)
            });
            done += mapped.inspect_err(|_| unmap(base, bytes))?;
        }
        Ok(base)
    }

    /// Bytes that the file, or this process's part of it, takes on the disk.
    pub fn on_disk(&self) -> u64 {
        const BLOCK: u64 = 512;
        if let Some(member) = &self.member {
            return member.written();
        }
        let status = self.number().ok().and_then(descriptor::status);
        status.map_or(0, |status| status.st_blocks as u64 * BLOCK)
    }

    /// Writes the file to the disk (`fsync`).
    pub fn sync(&self) {
        if let Ok(number) = self.number() {
            uncancellable::fsync(number);
        }
    }
}

/// True if the processes of a host share the file at `path`, and it has a member of this name.
pub fn has_member(path: &Path, name: MemberName) -> bool {
    regular::open(path).is_ok_and(|file| node::has_member(&file, name))
}

/// Returns a descriptor, and true if the file is new.
fn open_or_create(path: &Path) -> Result<(c_int, bool), Error> {
    // All but one of the host's processes find it.
    match open_existing(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        opened => return Ok((opened?, false)),
    }
    match descriptor::open(path, libc::O_CREAT | libc::O_EXCL) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok((open_existing(path)?, false)),
        created => Ok((created?, true)),
    }
}

/// Fails for a file of another user, who could cut it while it is mapped.
fn is_of_this_user(number: c_int) -> Result<(), Error> {
    // SAFETY: the call only returns an id.
    let user = unsafe { libc::geteuid() };
    let is_own = descriptor::status(number).is_some_and(|status| status.st_uid == user);
    if is_own { Ok(()) } else { Err(ErrorKind::PermissionDenied.into()) }
}

fn open_existing(path: &Path) -> Result<c_int, Error> {
    // The path may be another file, even a pipe, whose open would block.
    descriptor::open(path, libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY)
}

/// This process's current limit for the size of a file, in bytes.
pub fn size_limit() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes `limit`.
    match unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } {
        0 => limit.rlim_cur,
        _ => u64::MAX,
    }
}

fn map_shared(number: c_int, bytes: usize, offset: u64) -> Result<NonNull<u8>, c_int> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping.
    let base = unsafe { libc::mmap(null_mut(), bytes, protection, libc::MAP_SHARED, number, offset as i64) };
    match NonNull::new(base.cast()) {
        Some(mapped) if base != libc::MAP_FAILED => Ok(mapped),
        _ => Err(Error::last_os_error().raw_os_error().unwrap_or(0)),
    }
}

/// Replaces a part of a mapping that no other code knows yet. The memory first mapped there is never touched: it may
/// lie beyond the file's end.
fn map_over(to: NonNull<u8>, number: c_int, bytes: usize, offset: u64) -> Result<(), c_int> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_FIXED);
    // SAFETY: the caller's own mapping, of whole memory pages: extents end at multiples of them.
    let mapped = unsafe { libc::mmap(to.as_ptr().cast(), bytes, protection, flags, number, offset as i64) };
    if mapped == libc::MAP_FAILED { Err(Error::last_os_error().raw_os_error().unwrap_or(0)) } else { Ok(()) }
}

/// Unmaps memory that is no longer used.
pub fn unmap(base: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller no longer uses these bytes.
    unsafe { libc::munmap(base.as_ptr().cast::<c_void>(), bytes) };
}
