//! Breaks text into lines.

use textwrap::{Options, WordSplitter};

use crate::visible::visible;

/// Breaks a line of more than `width` columns at spaces, none of which is between a number and its unit, and indents the lines that follow.
pub fn wrap_to(line: &str, indent: usize, width: usize) -> String {
    let indent = " ".repeat(indent);
    let options = Options::new(width).subsequent_indent(&indent).break_words(false);
    let text = textwrap::fill(&held_together(&visible(line)), options.word_splitter(WordSplitter::NoHyphenation));
    text.replace(HOLD, " ")
}

/// A space at which no line ends.
const HOLD: char = '\u{a0}';
/// Units in text.
pub const UNITS: [&str; 14] =
    ["%", "s", "ms", "µs", "ns", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "MB/s", "GB/s"];

/// The text with numbers held to their units, and figures to their errors, by spaces at which no line ends.
pub fn held_together(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    for (at, word) in line.split(' ').enumerate() {
        let is_unit = UNITS.contains(&word.trim_end_matches(['.', ',', ';', ':', ')']));
        let has_figure = is_unit && text.ends_with(|last: char| last.is_ascii_digit());
        if at > 0 {
            text.push(if has_figure || word == "±" || text.ends_with('±') { HOLD } else { ' ' });
        }
        text.push_str(word);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::wrap_to;

    #[test]
    fn no_line_ends_between_a_number_and_its_unit_or_its_error() {
        let text =
            "Rank 3 waits 12.345 s ± 0.021 s, 45.6 % of its time, for 81,204 messages of 8 B: at most 1.5 GB/s (2 ms).";
        for width in 12..60 {
            let wrapped = wrap_to(text, 2, width);
            for line in wrapped.lines().skip(1) {
                let first = line.split_whitespace().next().unwrap().trim_end_matches(['.', ',', ';', ':', ')']);
                assert!(!["s", "±", "0.021", "%", "B", "GB/s", "ms"].contains(&first), "{width}:\n{wrapped}");
            }
            assert_eq!(wrapped.split_whitespace().collect::<Vec<_>>().join(" "), text);
        }
    }
}
