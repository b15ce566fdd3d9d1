//! Pseudorandom numbers that are the same every time: SplitMix64 (Steele, Lea, Flood 2014, figure 17).

pub struct Random(u64);

impl Random {
    pub fn of(seed: u64, rank: u32) -> Random {
        let mut random = Random(seed ^ u64::from(rank) << 32);
        Random(random.next())
    }

    /// A number from 0 to `limit` - 1; the limit is at most 2³².
    pub fn below(&mut self, limit: u64) -> u64 {
        ((self.next() >> 32) * limit) >> 32
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
