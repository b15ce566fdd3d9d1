//! The buffers that requests send and fill, until the requests are complete.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use super::BufferPart;

static PENDING: LazyLock<Mutex<HashMap<u64, Transfer>>> = LazyLock::new(Mutex::default);

/// The buffers of a request.
#[derive(Clone)]
pub struct Transfer {
    /// The number of the request, since another request may have the same handle later.
    pub created: u64,
    /// Parts that each start of a persistent request sends.
    pub sent: Arc<[BufferPart]>,
    /// Parts that the request fills.
    pub received: Arc<[BufferPart]>,
}

pub fn insert(handle: u64, transfer: Transfer) {
    table().insert(handle, transfer);
}

/// The buffers of the request with this handle and number.
pub fn get(handle: u64, created: u64) -> Option<Transfer> {
    table().get(&handle).filter(|transfer| transfer.created == created).cloned()
}

/// Forgets a request that is complete or was freed.
pub fn remove(handle: u64, created: u64) {
    let mut table = table();
    if table.get(&handle).is_some_and(|transfer| transfer.created == created) {
        table.remove(&handle);
    }
}

fn table() -> MutexGuard<'static, HashMap<u64, Transfer>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}
