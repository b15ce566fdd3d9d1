//! Where a rank or one of its threads is, as its file says by itself: in which call, since when.

use serde::{Deserialize, Serialize};
use traces::calls::Call;
use traces::signature::Signature;

use crate::bytes;
use crate::rank::End;

/// See the module. Times in seconds since the rank's recording began.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Spot {
    /// In a call, since then.
    Inside(#[serde(with = "bytes")] Signature, f64),
    /// Between calls that ask for the same in vain, one after another, the first at that time.
    Asking(#[serde(with = "bytes")] Signature, f64),
    /// Outside MPI since its last call ended then.
    Outside(#[serde(with = "bytes::option")] Option<Signature>, f64),
    /// It has finalized MPI.
    Finalized,
}

impl Spot {
    /// By the last that is known of a rank or a thread, and the call that it makes in vain, since then, if there is one.
    pub fn new(end: &End, asks: Option<(Signature, f64)>) -> Spot {
        let asking = asks.map(|(call, since)| Spot::Asking(call, since));
        match end {
            End::Finalized => Spot::Finalized,
            End::Inside { call, since } if !polls(call) => Spot::Inside(*call, *since),
            End::Inside { call, since } => asking.unwrap_or(Spot::Asking(*call, *since)),
            End::Outside { after, last } => asking.unwrap_or(Spot::Outside(*last, *after)),
        }
    }

    /// Since when it is there.
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

/// Whether a call returns whatever it finds.
fn polls(signature: &Signature) -> bool {
    Call::from_number(signature.call).is_some_and(Call::polls)
}
