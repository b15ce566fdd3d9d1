//! The output file of a picture.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use maud::html;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;

use crate::palette::{GROUND, INK};
use model::error::Error;
use model::output;
use tables::visible::visible;

#[derive(Clone, Debug)]
pub struct PlotFile {
    path: PathBuf,
    format: PictureFormat,
    /// Lines above the picture that name its runs.
    caption: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
enum PictureFormat {
    Svg,
    Png,
}

impl FromStr for PlotFile {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<PlotFile, &'static str> {
        let path = PathBuf::from(name);
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        let format = match extension.as_ref().map(|extension| extension.to_str()) {
            // Pipes and devices get SVG, which every browser shows.
            None | Some(Some("svg")) => PictureFormat::Svg,
            Some(Some("png")) => PictureFormat::Png,
            _ => return Err("a plot is SVG or PNG: end the name in .svg or .png"),
        };
        Ok(PlotFile { path, format, caption: Vec::new() })
    }
}

/// The error says why nothing could be drawn.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

/// PNG pixels per SVG pixel: text stays sharp on screens and slides.
const PIXELS: f32 = 2.0;

impl PlotFile {
    /// A file of this name, whatever its extension.
    pub fn of(path: &Path, is_png: bool) -> PlotFile {
        let format = if is_png { PictureFormat::Png } else { PictureFormat::Svg };
        PlotFile { path: path.into(), format, caption: Vec::new() }
    }

    /// Puts these lines above the picture.
    pub fn captioned(&self, caption: Vec<String>) -> PlotFile {
        PlotFile { caption, ..self.clone() }
    }

    /// Writes the SVG that `draw` makes, rendered if a PNG is wanted.
    pub fn write(&self, draw: impl FnOnce(&mut String) -> Drawn) -> Result<(), Error> {
        let mut svg = String::new();
        let bytes = draw(&mut svg).and_then(|()| {
            // The renderer draws in black by default.
            let svg = svg.replace("#000000", &INK.on_white().to_string());
            let svg = above(&svg, &self.caption);
            match self.format {
                PictureFormat::Svg => Ok(svg.into_bytes()),
                PictureFormat::Png => rendered(&svg),
            }
        });
        let written = bytes.and_then(|bytes| Ok(output::write(&self.path, &bytes)?));
        written.map_err(|reason| self.error(&reason.to_string()))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An error that names the file.
    pub(super) fn error(&self, reason: &str) -> Error {
        Error::Other(format!("{}: {reason}", self.path.display()))
    }
}

/// Renders an SVG as PNG, with a bundled font, so it looks the same everywhere.
fn rendered(svg: &str) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_font_data(dejavu::sans::regular().to_vec());
    options.fontdb_mut().set_sans_serif_family("DejaVu Sans");
    let tree = usvg::Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size().scale_by(PIXELS).ok_or("it has no size")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("it is too large")?;
    resvg::render(&tree, Transform::from_scale(PIXELS, PIXELS), &mut pixels.as_mut());
    Ok(pixels.encode_png()?)
}

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
