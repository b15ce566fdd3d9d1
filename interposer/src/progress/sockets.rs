//! System calls that the MPI library makes: waiting for descriptors, and moving data on sockets.
//!
//! Once MPI is initialized, the slots through which objects other than the program call the C library are patched; the
//! program's own input and output is not recorded, and processes without MPI are left alone. Outside MPI each function
//! just calls the C library's. Of the program's own calls, the recorder sees only those that close descriptors.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering::*};

use libc::{epoll_event, fd_set, pollfd, ssize_t};
use traces::definitions::Interception;

use super::{Achieved, Listener};
use crate::descriptor::status;
use crate::function::Function;
use crate::loaded::{self, LoadedObject};
use crate::open_files;
use crate::recorder::guard;

/// Patches the objects that are loaded by now.
pub fn begin() {
    static LAST: AtomicU64 = AtomicU64::new(0);
    guard::run(|| {
        find_moving();
        find_closing();
        loaded::patch_new(&LAST, |object| {
            patch(object, FORGETTING);
            if !object.is_program() {
                patch(object, FUNCTIONS);
            }
        });
    });
}

/// One of our functions, by the name of the C library's that it replaces.
type Replacement = (&'static str, unsafe extern "C-unwind" fn());

fn patch(object: &LoadedObject, functions: &[Replacement]) {
    let ours = |name: &CStr| {
        let found = functions.iter().find(|(replaced, _)| replaced.as_bytes() == name.to_bytes());
        found.map(|(_, function)| *function as usize)
    };
    let names: Vec<&[u8]> = functions.iter().map(|(replaced, _)| replaced.as_bytes()).collect();
    // SAFETY: `patch_new` passes objects that are relocated, and holds the loader.
    unsafe { object.patch(&names, &mut |name| ours(name)) };
}

macro_rules! calls {
    ($($listener:ident $way:ident $text:literal {
        $($made:ident $name:ident($($argument:ident: $type:ty),*) -> $result:ty $(, $came:expr)?;)*
    })*) => {
        $(static $listener: Listener = Listener::new();)*

        /// The C library's functions by name, and ours that replace them.
        const FUNCTIONS: &[Replacement] = &[$($(
            // SAFETY: only the address is used.
            (stringify!($name), unsafe { std::mem::transmute::<*const (), unsafe extern "C-unwind" fn()>($name as *const ()) })
        ),*),*];

        /// The C library's functions.
        #[allow(non_upper_case_globals)]
        mod moving {
            use super::*;

            $($(
                // SAFETY: its type, by POSIX and glibc's headers.
                pub static $name: Function<unsafe extern "C-unwind" fn($($type),*) -> $result> = unsafe { Function::first(stringify!($name)) };
            )*)*
        }

        /// Finds the functions before anybody calls ours, be it in a signal handler.
        fn find_moving() {
            $($(moving::$name.exists();)*)*
        }

        $($(
            unsafe extern "C-unwind" fn $name($($argument: $type),*) -> $result {
                // SAFETY: passes on what was passed.
                let real = || unsafe { moving::$name.get()($($argument),*) };
                let Some(heard) = super::heard_inside() else { return real() };
                calls!(@socket $made, $($argument)*, real);
                let Some(line) = $listener.line(|| (Interception::$way, $text.into())) else { return real() };
                super::$made(heard, line, real, calls!(@came $($came)?))
            }
        )*)*
    };
    (@socket system_entry, $($argument:ident)*, $real:ident) => {};
    (@socket part, $descriptor:ident $($more:ident)*, $real:ident) => {
        if !is_socket($descriptor) {
            return $real();
        }
    };
    (@came $came:expr) => { $came };
    (@came) => { |bytes: &ssize_t| Achieved::events((*bytes).max(0) as u64) };
}

calls! {
    POLL Ready "poll" {
        system_entry poll(descriptors: *mut pollfd, count: usize, timeout: c_int) -> c_int,
            |ready: &c_int| polled(descriptors, count, *ready);
        system_entry __poll_chk(descriptors: *mut pollfd, count: usize, timeout: c_int, room: usize) -> c_int,
            |ready: &c_int| polled(descriptors, count, *ready);
        system_entry ppoll(descriptors: *mut pollfd, count: usize, timeout: *const c_void, mask: *const c_void) -> c_int,
            |ready: &c_int| polled(descriptors, count, *ready);
    }
    SELECT Ready "select" {
        system_entry select(count: c_int, receive: *mut fd_set, send: *mut fd_set, except: *mut fd_set, timeout: *mut c_void) -> c_int,
            |ready: &c_int| selected(count, receive, send, *ready);
    }
    EPOLL Ready "epoll_wait" {
        system_entry epoll_wait(epoll: c_int, events: *mut epoll_event, room: c_int, timeout: c_int) -> c_int,
            |ready: &c_int| waited(events, *ready);
        system_entry epoll_pwait(epoll: c_int, events: *mut epoll_event, room: c_int, timeout: c_int, mask: *const c_void) -> c_int,
            |ready: &c_int| waited(events, *ready);
    }
    RECEIVE Receive "receive" {
        part read(descriptor: c_int, buffer: *mut c_void, bytes: usize) -> ssize_t;
        part __read_chk(descriptor: c_int, buffer: *mut c_void, bytes: usize, room: usize) -> ssize_t;
        part readv(descriptor: c_int, vectors: *const c_void, count: c_int) -> ssize_t;
        part recv(descriptor: c_int, buffer: *mut c_void, bytes: usize, flags: c_int) -> ssize_t;
        part __recv_chk(descriptor: c_int, buffer: *mut c_void, bytes: usize, room: usize, flags: c_int) -> ssize_t;
        part recvfrom(descriptor: c_int, buffer: *mut c_void, bytes: usize, flags: c_int, from: *mut c_void, length: *mut c_void) -> ssize_t;
        part recvmsg(descriptor: c_int, message: *mut c_void, flags: c_int) -> ssize_t;
    }
    SEND Send "send" {
        part write(descriptor: c_int, buffer: *const c_void, bytes: usize) -> ssize_t;
        part writev(descriptor: c_int, vectors: *const c_void, count: c_int) -> ssize_t;
        part send(descriptor: c_int, buffer: *const c_void, bytes: usize, flags: c_int) -> ssize_t;
        part sendto(descriptor: c_int, buffer: *const c_void, bytes: usize, flags: c_int, to: *const c_void, length: u32) -> ssize_t;
        part sendmsg(descriptor: c_int, message: *const c_void, flags: c_int) -> ssize_t;
    }
}

const IN: i16 = libc::POLLIN | libc::POLLHUP | libc::POLLERR;

fn polled(descriptors: *const pollfd, count: usize, ready: c_int) -> Achieved {
    if ready <= 0 {
        return Achieved::events(0);
    }
    // SAFETY: the caller has passed `count` descriptors, and the call has succeeded.
    let all = unsafe { std::slice::from_raw_parts(descriptors, count) };
    let with = |bits: i16| all.iter().filter(|one| one.revents & bits != 0).count() as u64;
    Achieved { events: ready as u64, ready: (with(IN), with(libc::POLLOUT)), counts: false }
}

fn selected(count: c_int, receive: *const fd_set, send: *const fd_set, ready: c_int) -> Achieved {
    if ready <= 0 {
        return Achieved::events(0);
    }
    // SAFETY: each set is null or holds at least `count` descriptors.
    let with =
        |set: *const fd_set| (0..count).filter(|fd| !set.is_null() && unsafe { libc::FD_ISSET(*fd, set) }).count();
    Achieved { events: ready as u64, ready: (with(receive) as u64, with(send) as u64), counts: false }
}

fn waited(events: *const epoll_event, ready: c_int) -> Achieved {
    if ready <= 0 {
        return Achieved::events(0);
    }
    let bits = |at: usize| {
        // SAFETY: the call has filled `ready` events. They are packed on x86-64.
        unsafe { (&raw const (*events.add(at)).events).read_unaligned() }
    };
    let with = |wanted: c_int| (0..ready as usize).filter(|at| bits(*at) & wanted as u32 != 0).count() as u64;
    let receive = with(libc::EPOLLIN | libc::EPOLLHUP | libc::EPOLLERR);
    Achieved { events: ready as u64, ready: (receive, with(libc::EPOLLOUT)), counts: false }
}

const SOCKET: u8 = 1;
const OTHER: u8 = 2;

/// Remembered, since asking costs as much as a small read.
#[inline(always)]
fn is_socket(descriptor: c_int) -> bool {
    match open_files::of(descriptor).map(|open| open.socket.load(Relaxed)) {
        Some(SOCKET) => true,
        Some(OTHER) => false,
        _ => ask(descriptor),
    }
}

#[cold]
fn ask(descriptor: c_int) -> bool {
    let status = guard::run(|| status(descriptor)).flatten();
    let socket = status.is_some_and(|status| status.st_mode & libc::S_IFMT == libc::S_IFSOCK);
    if let Some(open) = open_files::of(descriptor).filter(|_| status.is_some()) {
        open.socket.store(if socket { SOCKET } else { OTHER }, Relaxed);
    }
    socket
}

macro_rules! forgetting {
    ($($name:ident($($argument:ident),*) forgets $descriptor:ident;)*) => {
        /// Functions that close a descriptor, whose number may then get another kind of file. The program's own calls of
        /// them matter, too.
        const FORGETTING: &[Replacement] = &[$(
            // SAFETY: only the address is used.
            (stringify!($name), unsafe { std::mem::transmute::<*const (), unsafe extern "C-unwind" fn()>($name as *const ()) })
        ),*];

        /// The C library's functions.
        #[allow(non_upper_case_globals)]
        mod closing {
            use super::*;

            $(
                // SAFETY: its type, by POSIX.
                pub static $name: Function<unsafe extern "C-unwind" fn($(int!($argument)),*) -> c_int> = unsafe { Function::first(stringify!($name)) };
            )*
        }

        /// Finds the functions before anybody calls ours, be it in a signal handler.
        fn find_closing() {
            $(closing::$name.exists();)*
        }

        $(
            unsafe extern "C-unwind" fn $name($($argument: c_int),*) -> c_int {
                open_files::forget($descriptor);
                // SAFETY: passes on what was passed.
                unsafe { closing::$name.get()($($argument),*) }
            }
        )*
    };
}

macro_rules! int {
    ($argument:ident) => {
        c_int
    };
}

forgetting! {
    close(descriptor) forgets descriptor;
    dup2(from, to) forgets to;
    dup3(from, to, flags) forgets to;
}
