//! What requests hand out and fill, until they are complete.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use super::BufferPart;

static PENDING: LazyLock<Mutex<HashMap<u64, Transfer>>> = LazyLock::new(Mutex::default);

/// What a request moves.
#[derive(Clone)]
pub struct Transfer {
    /// The number that its creation took: another request may have its handle by the time one looks.
    pub created: u64,
    /// What each start of a persistent one hands out.
    pub sent: Arc<[BufferPart]>,
    /// What it fills.
    pub received: Arc<[BufferPart]>,
}

/// Remembers a request by its handle.
pub fn insert(handle: u64, transfer: Transfer) {
    table().insert(handle, transfer);
}

/// What the request of this handle and number moves.
pub fn get(handle: u64, created: u64) -> Option<Transfer> {
    table().get(&handle).filter(|transfer| transfer.created == created).cloned()
}

/// The request is complete, or given up.
pub fn remove(handle: u64, created: u64) {
    let mut table = table();
    if table.get(&handle).is_some_and(|transfer| transfer.created == created) {
        table.remove(&handle);
    }
}

fn table() -> MutexGuard<'static, HashMap<u64, Transfer>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}
