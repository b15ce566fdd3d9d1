//! Lines that loops print: `LOOP BYTES figure=value ...`.

#[derive(Clone, PartialEq, Debug)]
pub struct Printed {
    pub of: String,
    /// Size of a message.
    pub bytes: u64,
    /// Figures by name.
    pub figures: Vec<(String, f64)>,
}

impl Printed {
    /// Picks the loops' lines from an output.
    pub fn rows(output: &str) -> Vec<Printed> {
        output.lines().filter_map(Printed::read).collect()
    }

    fn read(line: &str) -> Option<Printed> {
        let mut words = line.split_whitespace();
        let (of, bytes) = (words.next()?.to_string(), words.next()?.parse().ok()?);
        let figure = |word: &str| {
            let (name, value) = word.split_once('=')?;
            Some((name.to_string(), value.parse().ok()?))
        };
        let figures: Option<Vec<(String, f64)>> = words.map(figure).collect();
        figures.filter(|figures| !figures.is_empty()).map(|figures| Printed { of, bytes, figures })
    }

    /// Panics if the line has no figure of this name.
    pub fn figure(&self, name: &str) -> f64 {
        let found = self.figures.iter().find(|(own, _)| own == name);
        found.unwrap_or_else(|| panic!("no {name} in {self:?}")).1
    }
}

#[cfg(test)]
mod tests {
    use super::Printed;

    #[test]
    fn a_line_of_figures_is_read_and_others_are_passed_over() {
        let rows = Printed::rows("osu_latency 8 latency_us=0.31\nwarning: 2 cores\n\nosu_bw 16 nothing\n");
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.of.as_str(), row.bytes, row.figure("latency_us")), ("osu_latency", 8, 0.31));
    }
}
