//! The C library's functions on files, and what ours do around each.

use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::AtomicUsize;

use traces::accesses::Operation::*;

use super::files::{self, Place};
use super::library_calls;
use super::library_functions::{LibraryFunction, functions, with_site};
use crate::clock;
use crate::open_files;
use crate::recorder::file::named_files::UNNAMED;

/// Whatever a call moves: bytes, by a function that returns how many.
macro_rules! moves {
    ($real:expr, $aside:expr, $site:ident, $operation:expr, $descriptor:expr, $place:expr) => {{
        let Some(start) = library_calls::begins() else { return $aside };
        let bytes = $real;
        files::ended($operation, $descriptor, $place, start, bytes as i64, $site);
        bytes
    }};
}

/// A function of a descriptor that moves nothing, and returns 0 or an error.
macro_rules! answers {
    ($real:expr, $aside:expr, $site:ident, $operation:expr, $descriptor:expr) => {
        moves!($real, $aside, $site, $operation, $descriptor, Place::Nowhere)
    };
}

macro_rules! opens {
    ($real:expr, $aside:expr, $site:ident, $folder:expr, $path:expr) => {{
        let start = library_calls::begins();
        let descriptor = $real;
        files::opened(descriptor, opened_by(descriptor, $folder, $path), start, $site);
        descriptor
    }};
}

macro_rules! opens_stream {
    ($real:expr, $aside:expr, $site:ident, $path:expr) => {{
        let start = library_calls::begins();
        let stream = $real;
        let descriptor = descriptor_of(stream);
        files::opened(descriptor, opened_by(descriptor, AT_CWD, $path), start, $site);
        stream
    }};
}

macro_rules! reopens_stream {
    ($real:expr, $aside:expr, $site:ident, $path:expr, $stream:expr) => {{
        open_files::forget(descriptor_of($stream));
        opens_stream!($real, $aside, $site, $path)
    }};
}

macro_rules! closes {
    ($real:expr, $aside:expr, $site:ident, $descriptor:expr) => {{
        let file = files::closes($descriptor);
        let Some((start, file)) = library_calls::begins().zip(file) else { return $aside };
        let code = $real;
        files::ended_at(Close, file, [start, clock::now()], code != 0, $site);
        code
    }};
}

/// The descriptor stands for another file afterwards, or for none.
macro_rules! replaces {
    ($real:expr, $aside:expr, $site:ident, $descriptor:expr) => {{
        let descriptor = $descriptor;
        let code = $real;
        open_files::forget(descriptor);
        code
    }};
}

macro_rules! closes_all {
    ($real:expr, $aside:expr, $site:ident, $first:expr, $last:expr) => {{
        let result = $real;
        open_files::forget_all($first, $last);
        result
    }};
}

macro_rules! seeks {
    ($real:expr, $aside:expr, $site:ident, $descriptor:expr) => {{
        let offset = $real;
        if offset >= 0 {
            files::sought($descriptor, Some(offset as u64));
        }
        offset
    }};
}

macro_rules! seeks_in_stream {
    ($real:expr, $aside:expr, $site:ident, $stream:expr) => {{
        let result = $real;
        files::sought(descriptor_of($stream), None);
        result
    }};
}

/// Moves bytes to or from a stream: `bytes` of the result, which the last argument names.
macro_rules! streams {
    ($real:expr, $aside:expr, $site:ident, $operation:expr, $stream:expr, $result:ident => $bytes:expr) => {{
        let descriptor = descriptor_of($stream);
        if descriptor < 0 {
            return $aside;
        }
        let Some(start) = library_calls::begins() else { return $aside };
        let $result = $real;
        files::ended($operation, descriptor, Place::Next, start, $bytes, $site);
        $result
    }};
}

/// Flushes one stream, or all of them.
macro_rules! flushes {
    ($real:expr, $aside:expr, $site:ident, $stream:expr) => {{
        let descriptor = descriptor_of($stream);
        let Some(start) = library_calls::begins() else { return $aside };
        let code = $real;
        if $stream.is_null() {
            files::ended_at(Flush, UNNAMED, [start, clock::now()], code != 0, $site);
        } else if descriptor >= 0 {
            files::ended(Flush, descriptor, Place::Nowhere, start, code.into(), $site);
        }
        code
    }};
}

functions! {
    open(path: *const c_char, flags: c_int, mode: c_int) -> c_int = opens!(AT_CWD, path);
    open64(path: *const c_char, flags: c_int, mode: c_int) -> c_int = opens!(AT_CWD, path);
    __open_2(path: *const c_char, flags: c_int) -> c_int = opens!(AT_CWD, path);
    __open64_2(path: *const c_char, flags: c_int) -> c_int = opens!(AT_CWD, path);
    creat(path: *const c_char, mode: c_int) -> c_int = opens!(AT_CWD, path);
    creat64(path: *const c_char, mode: c_int) -> c_int = opens!(AT_CWD, path);
    openat(folder: c_int, path: *const c_char, flags: c_int, mode: c_int) -> c_int = opens!(folder, path);
    openat64(folder: c_int, path: *const c_char, flags: c_int, mode: c_int) -> c_int = opens!(folder, path);
    close(descriptor: c_int) -> c_int = closes!(descriptor);

    read(descriptor: c_int, to: usize, bytes: usize) -> isize = moves!(Read, descriptor, Place::Next);
    __read_chk(descriptor: c_int, to: usize, bytes: usize, room: usize) -> isize = moves!(Read, descriptor, Place::Next);
    readv(descriptor: c_int, parts: usize, count: c_int) -> isize = moves!(Read, descriptor, Place::Next);
    pread(descriptor: c_int, to: usize, bytes: usize, offset: i64) -> isize = moves!(Read, descriptor, Place::At(offset as u64));
    pread64(descriptor: c_int, to: usize, bytes: usize, offset: i64) -> isize = moves!(Read, descriptor, Place::At(offset as u64));
    __pread_chk(descriptor: c_int, to: usize, bytes: usize, offset: i64, room: usize) -> isize = moves!(Read, descriptor, Place::At(offset as u64));
    __pread64_chk(descriptor: c_int, to: usize, bytes: usize, offset: i64, room: usize) -> isize = moves!(Read, descriptor, Place::At(offset as u64));
    preadv(descriptor: c_int, parts: usize, count: c_int, offset: i64) -> isize = moves!(Read, descriptor, Place::At(offset as u64));
    preadv64(descriptor: c_int, parts: usize, count: c_int, offset: i64) -> isize = moves!(Read, descriptor, Place::At(offset as u64));
    write(descriptor: c_int, from: usize, bytes: usize) -> isize = moves!(Write, descriptor, Place::Next);
    writev(descriptor: c_int, parts: usize, count: c_int) -> isize = moves!(Write, descriptor, Place::Next);
    pwrite(descriptor: c_int, from: usize, bytes: usize, offset: i64) -> isize = moves!(Write, descriptor, Place::At(offset as u64));
    pwrite64(descriptor: c_int, from: usize, bytes: usize, offset: i64) -> isize = moves!(Write, descriptor, Place::At(offset as u64));
    pwritev(descriptor: c_int, parts: usize, count: c_int, offset: i64) -> isize = moves!(Write, descriptor, Place::At(offset as u64));
    pwritev64(descriptor: c_int, parts: usize, count: c_int, offset: i64) -> isize = moves!(Write, descriptor, Place::At(offset as u64));

    fsync(descriptor: c_int) -> c_int = answers!(Sync, descriptor);
    fdatasync(descriptor: c_int) -> c_int = answers!(Sync, descriptor);
    ftruncate(descriptor: c_int, bytes: i64) -> c_int = answers!(Truncate, descriptor);
    ftruncate64(descriptor: c_int, bytes: i64) -> c_int = answers!(Truncate, descriptor);
    lseek(descriptor: c_int, offset: i64, from: c_int) -> i64 = seeks!(descriptor);
    lseek64(descriptor: c_int, offset: i64, from: c_int) -> i64 = seeks!(descriptor);
    dup2(from: c_int, to: c_int) -> c_int = replaces!(to);
    dup3(from: c_int, to: c_int, flags: c_int) -> c_int = replaces!(to);
    close_range(first: u32, last: u32, flags: c_int) -> c_int = closes_all!(first, last);
    closefrom(first: c_int) -> () = closes_all!(first.max(0) as u32, u32::MAX);

    fopen(path: *const c_char, mode: usize) -> Stream = opens_stream!(path);
    fopen64(path: *const c_char, mode: usize) -> Stream = opens_stream!(path);
    freopen(path: *const c_char, mode: usize, stream: Stream) -> Stream = reopens_stream!(path, stream);
    freopen64(path: *const c_char, mode: usize, stream: Stream) -> Stream = reopens_stream!(path, stream);
    fclose(stream: Stream) -> c_int = closes!(descriptor_of(stream));
    pclose(stream: Stream) -> c_int = replaces!(descriptor_of(stream));
    fread(to: usize, bytes: usize, count: usize, stream: Stream) -> usize = streams!(Read, stream, done => (done * bytes) as i64);
    __fread_chk(to: usize, room: usize, bytes: usize, count: usize, stream: Stream) -> usize = streams!(Read, stream, done => (done * bytes) as i64);
    fwrite(from: usize, bytes: usize, count: usize, stream: Stream) -> usize = streams!(Write, stream, done => (done * bytes) as i64);
    fgets(to: usize, room: c_int, stream: Stream) -> *const c_char = streams!(Read, stream, line => length(line));
    __fgets_chk(to: usize, size: usize, room: c_int, stream: Stream) -> *const c_char = streams!(Read, stream, line => length(line));
    fputs(line: *const c_char, stream: Stream) -> c_int = streams!(Write, stream, code => if code < 0 { -1 } else { length(line) });
    fflush(stream: Stream) -> c_int = flushes!(stream);
    fseek(stream: Stream, offset: i64, from: c_int) -> c_int = seeks_in_stream!(stream);
    fseeko(stream: Stream, offset: i64, from: c_int) -> c_int = seeks_in_stream!(stream);
    fseeko64(stream: Stream, offset: i64, from: c_int) -> c_int = seeks_in_stream!(stream);
    fsetpos(stream: Stream, place: usize) -> c_int = seeks_in_stream!(stream);
    fsetpos64(stream: Stream, place: usize) -> c_int = seeks_in_stream!(stream);
    rewind(stream: Stream) -> () = seeks_in_stream!(stream);
}

type Stream = *mut libc::FILE;
const AT_CWD: c_int = libc::AT_FDCWD;

/// The path that a descriptor was opened by; `None` if it was not, or from a folder that only a descriptor knows.
fn opened_by(descriptor: c_int, folder: c_int, path: *const c_char) -> Option<&'static CStr> {
    if descriptor < 0 || path.is_null() {
        return None;
    }
    // SAFETY: the call has read the path, and returned; it is used before the program goes on.
    let path = unsafe { CStr::from_ptr(path) };
    (folder == AT_CWD || path.to_bytes().starts_with(b"/")).then_some(path)
}

/// The descriptor of a stream; negative for one in memory, or of the program's own functions.
#[inline(always)]
fn descriptor_of(stream: Stream) -> c_int {
    // SAFETY: the addresses of a stream that the program is about to pass, and of this thread's errno.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        let descriptor = if stream.is_null() { -1 } else { libc::fileno(stream) };
        *errno = before;
        descriptor
    }
}

/// The bytes of a line, 0 for none.
fn length(line: *const c_char) -> i64 {
    // SAFETY: the program's, or one that the C library has returned.
    if line.is_null() { 0 } else { unsafe { libc::strlen(line) as i64 } }
}
