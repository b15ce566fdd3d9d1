//! The groups that windows are opened to, by their handles.
//!
//! A group is examined once MPI has accepted it in `MPI_Win_start` or `MPI_Win_post`, before the program can free it.
//! Groups of the same processes share one number, since programs repeatedly make a group, use it once and free it.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use traces::definitions::{Definition, Group, Span};
use traces::signature::tag;

use super::world;
use crate::recorder::file::shared;
use recorder_core::handles::Handles;

static GROUPS: Handles<i32> = Handles::new();
static NUMBERS: LazyLock<Mutex<HashMap<Vec<Span>, i32>>> = LazyLock::new(Mutex::default);

/// The number of a group; `None` if its handle is new.
#[inline(always)]
pub fn number(handle: u64) -> Option<i32> {
    GROUPS.get(handle)
}

/// Examines a group that MPI has accepted, if it is new.
pub fn learn(handle: u64) {
    if number(handle).is_some() {
        return;
    }
    let number = world::everyone(handle).map_or(tag::NONE, numbered);
    GROUPS.share(handle, number);
}

/// Forgets a group that is about to be freed, since MPI may reuse its handle. Returns whether it was known.
pub fn forget(handle: u64) -> bool {
    GROUPS.remove(handle).is_some()
}

fn numbered(members: Vec<Span>) -> i32 {
    let mut numbers = NUMBERS.lock().unwrap_or_else(PoisonError::into_inner);
    let next = numbers.len() as i32 + 1;
    *numbers.entry(members).or_insert_with_key(|members| {
        shared::define(&Definition::Group(Group { number: next as u32, members: members.clone() }));
        next
    })
}
