//! A choice of ranks: `0-3,8`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Ranks that the user chose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranks(Vec<RangeInclusive<u32>>);

impl Ranks {
    pub fn contain(&self, rank: u32) -> bool {
        self.0.iter().any(|ranks| ranks.contains(&rank))
    }

    pub fn last(&self) -> u32 {
        self.0.iter().map(|ranks| *ranks.end()).max().unwrap_or(0)
    }
}

impl FromStr for Ranks {
    type Err = String;

    fn from_str(text: &str) -> Result<Ranks, String> {
        let range = |word: &str| {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (first <= last).then_some(first..=last)
        };
        let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
        ranges.map(Ranks).ok_or("expected a list of ranks and ranges, as 0-3,8".into())
    }
}

impl fmt::Display for Ranks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, ranks) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            match ranks.start() == ranks.end() {
                true => write!(out, "{comma}{}", ranks.start())?,
                false => write!(out, "{comma}{}-{}", ranks.start(), ranks.end())?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Ranks;

    #[test]
    fn a_list_of_ranks_is_read_and_said_again_and_anything_else_refused() {
        let ranks: Ranks = "0-3,8".parse().unwrap();
        let contained: Vec<u32> = (0..12).filter(|rank| ranks.contain(*rank)).collect();
        assert_eq!((contained, ranks.last(), ranks.to_string().as_str()), (vec![0, 1, 2, 3, 8], 8, "0-3,8"));
        for wrong in ["", "a", "3-1", "1,,2", "-1", "1-"] {
            assert!(wrong.parse::<Ranks>().is_err(), "{wrong}");
        }
    }
}
