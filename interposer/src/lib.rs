//! `liboverhear.so`, the recorder that is preloaded into an MPI program.
//!
//! The life of one call:
//! 1. The program calls our `MPI_X` ([`wrappers`]): by its exported name, through a patched slot, or through a binding
//!    of another language ([`layers`]).
//! 2. Its arguments determine what repeats about the call: communicator, peer, tag, bytes.
//! 3. The thread's dictionary has a number for that ([`recorder`]), which goes into the file before MPI is entered.
//! 4. [`real`] makes the call.
//! 5. A record of eight bytes says how long it took ([`clock`]), and what the progress engine did meanwhile
//!    ([`progress`]).
//!
//! Records of the program's named regions go in between ([`regions`]). A recording begins and ends with MPI
//! ([`lifecycle`]).
//!
//! One library serves every MPI: only [`abi`] knows how they differ. It does nothing until the process initializes MPI.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib dlsym dlclose
//! wrappers filters
//! lifecycle
//! between layers progress regions sampling program_signals
//! recorder/thread
//! recorder/content
//! recorder/objects
//! recorder/file
//! recorder/guard
//! signals
//! recorder/process
//! abi clock
//! real function
//! loaded
//! unwind
//! symbol linked config messages notes call_site old_libc machine
//! descriptor open_files thread_timer program_headers
//! forks system_calls uncancellable
//! thread_words pause
//! ```

// The file of a module with submodules is its folder's mod.rs.
#![warn(clippy::self_named_module_files)]

#[cfg(not(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64"))))]
compile_error!("liboverhear.so is for x86-64 and arm64 Linux with glibc");

mod abi;
mod between;
mod call_site;
mod clock;
mod config;
mod descriptor;
#[cfg(not(feature = "archive"))]
mod dlclose;
#[cfg(not(feature = "archive"))]
mod dlsym;
#[cfg(not(feature = "archive"))]
mod filters;
mod forks;
mod function;
mod layers;
mod lifecycle;
mod linked;
mod loaded;
mod machine;
mod messages;
mod notes;
mod old_libc;
mod open_files;
mod pause;
mod program_headers;
mod program_signals;
mod progress;
mod real;
mod recorder;
mod regions;
mod sampling;
mod signals;
mod symbol;
mod system_calls;
mod thread_timer;
mod thread_words;
mod uncancellable;
mod unwind;
mod wrappers;

/// Runs when the library is loaded. Patches already here, since a program that is linked with MPI may call functions
/// before MPI_Init.
extern "C" fn loaded() {
    recorder::guard::run(|| {
        old_libc::has(symbol::first(old_libc::NEWER));
        #[cfg(not(feature = "archive"))]
        filters::prepare();
        messages::begin();
        if config::recorded_process() == Some(std::process::id()) {
            messages::keep_stderr();
        }
        lifecycle::process_begins();
        loaded::begin();
        if real::is_linked() {
            layers::patch(&wrappers::HANDED_DOWN.wrappers, 0);
        }
    });
}

extern "C" fn unloaded() {
    recorder::guard::run(lifecycle::process_ends);
}

#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;

#[used]
#[unsafe(link_section = ".fini_array")]
static UNLOADED: extern "C" fn() = unloaded;
