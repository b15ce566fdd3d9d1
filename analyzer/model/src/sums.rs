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
