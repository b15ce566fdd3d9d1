//! Sums of numbers read from files. A damaged file may hold any number, so sums saturate.

/// A sum that grows.
pub trait Grow {
    /// Adds more.
    fn grow(&mut self, more: Self);
}

/// All that comes, added up.
pub trait Total<T> {
    /// The sum.
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
