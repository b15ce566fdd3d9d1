//! Saturating sums: a damaged file may hold any number.

use std::collections::VecDeque;

pub trait Grow {
    fn grow(&mut self, more: Self);
}

pub trait Total<T> {
    fn total(self) -> T;
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Grow for $integer {
            #[inline(always)]
            fn grow(&mut self, more: $integer) {
                *self = self.saturating_add(more);
            }
        }

        impl<I: Iterator<Item = $integer>> Total<$integer> for I {
            fn total(self) -> $integer {
                self.fold(0, <$integer>::saturating_add)
            }
        }
    )*};
}

integers! { u64 i64 }

/// The part of a time that lies in `spans`, which are sorted. Drops those that end before it, so times must come in order.
pub fn shared_time(spans: &mut &[(i64, i64)], (from, until): (i64, i64)) -> i64 {
    while let [(_, end), rest @ ..] = *spans {
        if *end > from {
            break;
        }
        *spans = rest;
    }
    let shared = |(begin, end): &(i64, i64)| (until.min(*end) - from.max(*begin)).max(0);
    spans.iter().take_while(|(begin, _)| *begin < until).map(shared).total()
}

/// Sorted parts of a rank's time, added in the order of time.
#[derive(Default)]
pub struct SpansAhead(VecDeque<(i64, i64)>);

impl SpansAhead {
    /// Adds parts after the known ones.
    pub fn add(&mut self, spans: impl IntoIterator<Item = (i64, i64)>) {
        self.0.extend(spans);
    }

    /// Adds parts until one begins at `until` or later.
    pub fn add_until(&mut self, spans: &mut impl Iterator<Item = (i64, i64)>, until: i64) {
        while self.0.back().is_none_or(|(begin, _)| *begin < until)
            && let Some(span) = spans.next()
        {
            self.0.push_back(span);
        }
    }

    /// The part of a time that lies in these parts; see [`shared_time`].
    pub fn shared_time(&mut self, time: (i64, i64)) -> i64 {
        let mut spans = self.0.make_contiguous() as &[(i64, i64)];
        let shared = shared_time(&mut spans, time);
        let left = spans.len();
        self.0.drain(..self.0.len() - left);
        shared
    }
}
