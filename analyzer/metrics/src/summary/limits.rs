//! The limits of the rules: what is too little or too much to be told, and the reason for that figure.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A figure at which a rule changes its mind.
pub struct Limit {
    pub name: &'static str,
    pub unit: &'static str,
    pub side: LimitSide,
    pub why: ReasonKind,
    /// The reason, in sentences.
    pub reason: &'static str,
    value: f64,
    /// Bits of the value that counts: another one than `value` while `cargo lab sensitivity` tries it.
    tried: AtomicU64,
}

/// The side of a limit on which a rule says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitSide {
    /// A smaller figure is not told.
    Least,
    /// A larger figure is not told.
    Most,
}

/// The kind of reason for a figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReasonKind {
    /// Runs lie on both sides of it, and apart.
    Measured,
    /// The figure follows from others.
    Derived,
    /// Another figure would do as well.
    Convention,
}

impl Limit {
    pub const fn new(
        name: &'static str,
        (value, unit): (f64, &'static str),
        (side, why): (LimitSide, ReasonKind),
        reason: &'static str,
    ) -> Limit {
        Limit { name, unit, side, why, reason, value, tried: AtomicU64::new(value.to_bits()) }
    }

    pub fn get(&self) -> f64 {
        f64::from_bits(self.tried.load(Relaxed))
    }

    /// The limit of a number of things.
    pub fn count(&self) -> u64 {
        self.get() as u64
    }

    /// The figure of the rule, whatever is tried.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Judges by another figure from here on, in all threads.
    pub fn set(&self, tried: f64) {
        self.tried.store(tried.to_bits(), Relaxed);
    }

    /// The figure that takes the limit out.
    pub fn none(&self) -> f64 {
        match self.side {
            LimitSide::Least => 0.0,
            LimitSide::Most => f64::INFINITY,
        }
    }
}

impl LimitSide {
    pub fn name(self) -> &'static str {
        match self {
            LimitSide::Least => "at least",
            LimitSide::Most => "at most",
        }
    }
}

impl ReasonKind {
    pub fn name(self) -> &'static str {
        match self {
            ReasonKind::Measured => "measured",
            ReasonKind::Derived => "derived",
            ReasonKind::Convention => "by convention",
        }
    }
}

/// Declares the limits of a file, and all of them as `LIMITS`. The comment above each is its reason.
macro_rules! limits {
    ($($(#[doc = $reason:literal])+ $name:ident = $value:expr, $side:ident, $unit:literal, $why:ident;)+) => {
        $(
            $(#[doc = $reason])+
            pub static $name: $crate::summary::limits::Limit = $crate::summary::limits::Limit::new(
                stringify!($name),
                ($value as f64, $unit),
                ($crate::summary::limits::LimitSide::$side, $crate::summary::limits::ReasonKind::$why),
                concat!($($reason),+),
            );
        )+
        pub static LIMITS: &[&$crate::summary::limits::Limit] = &[$(&$name),+];
    };
}
pub(super) use limits;
