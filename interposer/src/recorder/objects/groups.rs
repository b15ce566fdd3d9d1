//! Groups that windows are opened to, by their handles.
//!
//! A group is examined once MPI has accepted it in `MPI_Win_start` or `MPI_Win_post`, before the program can free it. Groups
//! of the same processes have one number: programs make a group, use it once and free it, again and again.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use traces::definitions::{Definition, Group, Span};
use traces::signature::tag;

use super::world;
use crate::recorder::file::shared;
use recorder_core::handles::Handles;

static GROUPS: Handles<i32> = Handles::new();
static NUMBERS: LazyLock<Mutex<HashMap<Vec<Span>, i32>>> = LazyLock::new(Mutex::default);

/// The number of a group; `None` where its handle was not met before.
#[inline(always)]
pub fn number(handle: u64) -> Option<i32> {
    GROUPS.get(handle)
}

/// Gets to know a group that MPI has accepted.
pub fn learn(handle: u64) {
    if number(handle).is_some() {
        return;
    }
    let number = world::everyone(handle).map_or(tag::NONE, numbered);
    GROUPS.share(handle, number);
}

/// Forgets a group that is about to be freed: its handle may come again for another. Returns whether it was known.
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
