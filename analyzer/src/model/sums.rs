//! Sums of numbers that files say. A damaged one may say any; then a sum stays at the largest number there is.

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
