//! Makes names safe to show: escapes characters that would steer a terminal, break a line or hide in it.
//!
//! Everything printed for people goes through [`visible`], and widths count its result.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

/// Ranges of invisible formatting characters, in order: general category Cf, the line separators and the fillers.
const UNSEEN: &[(u32, u32)] = &[
    (0x00ad, 0x00ad),
    (0x034f, 0x034f),
    (0x0600, 0x0605),
    (0x061c, 0x061c),
    (0x06dd, 0x06dd),
    (0x070f, 0x070f),
    (0x0890, 0x0891),
    (0x08e2, 0x08e2),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x2028, 0x202e),
    (0x2060, 0x206f),
    (0x3164, 0x3164),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0x110bd, 0x110bd),
    (0x110cd, 0x110cd),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
];

/// True if a character is invisible: a control or formatting character.
pub fn is_hidden(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    let number = u32::from(character);
    let unseen = UNSEEN.get(UNSEEN.partition_point(|(_, to)| *to < number));
    character.is_control() || unseen.is_some_and(|(from, _)| *from <= number)
}

/// The text with every hidden character written out: `\x1b`, `\u{202e}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        let _ = match u32::from(character) {
            _ if !is_hidden(character) => write!(shown, "{character}"),
            number @ 0..=0xff => write!(shown, "\\x{number:02x}"),
            number => write!(shown, "\\u{{{number:x}}}"),
        };
    }
    Cow::Owned(shown)
}

/// The number of terminal cells that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

#[cfg(test)]
mod tests {
    use super::{visible, width};

    #[test]
    fn what_is_seen_stays_as_it_is_and_what_is_hidden_is_written_out() {
        assert_eq!(visible("möller 东 \\x1b"), "möller 东 \\x1b");
        assert_eq!(visible("a\x1b]0;t\x07\r\n\tb\u{9b}c"), "a\\x1b]0;t\\x07\\x0d\\x0a\\x09b\\x9bc");
        assert_eq!(
            visible("x\u{202e}y\u{2066}\u{200b}\u{feff}\u{e0041}"),
            "x\\u{202e}y\\u{2066}\\u{200b}\\u{feff}\\u{e0041}"
        );
    }

    #[test]
    fn every_character_without_a_width_that_stands_alone_is_written_out() {
        let mut ran = 0;
        for character in (0..=0x2fff).filter_map(char::from_u32).filter(|c| c.is_control()) {
            assert!(width(&visible(&character.to_string())) >= 4, "{character:?}");
            ran += 1;
        }
        assert!(ran > 60);
    }
}
