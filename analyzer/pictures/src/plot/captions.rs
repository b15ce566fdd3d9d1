//! Lines of text above a picture, such as the names of its runs.

use maud::html;

use crate::palette::{GROUND, INK};
use tables::visible::visible;

/// Height of a line in pixels.
const LINE: u32 = 20;
/// Approximate letters per line.
const FITS: usize = 120;

/// Puts lines of text above an SVG; returns it unchanged if there are none.
pub fn above(svg: &str, lines: &[String]) -> String {
    let size = |name: &str| svg.split_once(&format!(" {name}=\""))?.1.split('"').next()?.parse::<u32>().ok();
    let (Some(width), Some(height), false) = (size("width"), size("height"), lines.is_empty()) else {
        return svg.into();
    };
    let room = LINE * lines.len() as u32 + 6;
    let text = |(at, line): (usize, &String)| {
        let line: String = visible(line).chars().take(FITS).collect();
        let y = 18 + LINE * at as u32;
        html! { text x="12" y=(y) font-family="sans-serif" font-size="13" fill=(INK.on_white()) { (line) } }
            .into_string()
    };
    let lines: String = lines.iter().enumerate().map(text).collect();
    let (whole, ground) = (height + room, GROUND.on_white());
    format!(
        "<svg width=\"{width}\" height=\"{whole}\" viewBox=\"0 0 {width} {whole}\" xmlns=\"http://www.w3.org/2000/svg\">\n\
         <rect width=\"{width}\" height=\"{whole}\" fill=\"{ground}\"/>\n{lines}\n\
         <g transform=\"translate(0 {room})\">{svg}</g></svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::above;

    #[test]
    fn a_picture_grows_by_the_lines_above_it_and_a_name_stays_text() {
        let svg = "<svg width=\"900\" height=\"460\" viewBox=\"0 0 900 460\"></svg>";
        assert_eq!(above(svg, &[]), svg);
        let captioned = above(svg, &["a <b>".into(), "c".into()]);
        assert!(captioned.starts_with("<svg width=\"900\" height=\"506\""), "{captioned}");
        assert!(captioned.contains("a &lt;b&gt;</text>") && captioned.contains(svg), "{captioned}");
    }
}
