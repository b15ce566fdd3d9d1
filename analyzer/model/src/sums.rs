//! Saturating sums: a damaged file may hold any number.

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
