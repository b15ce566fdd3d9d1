//! The position of a rank or thread, by its file alone.

use serde::{Deserialize, Serialize};
use traces::calls::Call;
use traces::signature::Signature;

use crate::bytes;
use crate::rank::End;

/// Position of a rank or thread. Times in seconds since the rank's recording began.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Spot {
    /// In a call, since this time.
    Inside(#[serde(with = "bytes")] Signature, f64),
    /// Between successive equal polls without success, the first at this time.
    Asking(#[serde(with = "bytes")] Signature, f64),
    /// Outside MPI; the last call ended at this time.
    Outside(#[serde(with = "bytes::option")] Option<Signature>, f64),
    Finalized,
}

impl Spot {
    /// Position by the latest state, and by the current polls without success, if any, with their begin.
    pub fn new(end: &End, asks: Option<(Signature, f64)>) -> Spot {
        let asking = asks.map(|(call, since)| Spot::Asking(call, since));
        match end {
            End::Finalized => Spot::Finalized,
            End::Inside { call, since } if !polls(call) => Spot::Inside(*call, *since),
            End::Inside { call, since } => asking.unwrap_or(Spot::Asking(*call, *since)),
            End::Outside { after, last } => asking.unwrap_or(Spot::Outside(*last, *after)),
        }
    }

    /// Begin of its stay there.
    pub fn since(&self) -> Option<f64> {
        match self {
            Spot::Inside(_, since) | Spot::Asking(_, since) | Spot::Outside(_, since) => Some(*since),
            Spot::Finalized => None,
        }
    }

    /// The call that it is in, or its last.
    pub fn call(&self) -> Option<&Signature> {
        match self {
            Spot::Inside(call, _) | Spot::Asking(call, _) => Some(call),
            Spot::Outside(last, _) => last.as_ref(),
            Spot::Finalized => None,
        }
    }
}

/// True if a call returns whether it finds something or not.
fn polls(signature: &Signature) -> bool {
    Call::from_number(signature.call).is_some_and(Call::polls)
}
