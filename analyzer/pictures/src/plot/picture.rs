//! The output file of a picture.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;

use super::captions;
use crate::palette::INK;
use model::error::Error;
use model::output;

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

    /// The same file, with these lines above its picture.
    pub fn captioned(&self, caption: Vec<String>) -> PlotFile {
        PlotFile { caption, ..self.clone() }
    }

    /// Writes the SVG that `draw` makes, rendered if a PNG is wanted.
    pub fn write(&self, draw: impl FnOnce(&mut String) -> Drawn) -> Result<(), Error> {
        let mut svg = String::new();
        let bytes = draw(&mut svg).and_then(|()| {
            // What is drawn by default is black.
            let svg = svg.replace("#000000", &INK.on_white().to_string());
            let svg = captions::above(&svg, &self.caption);
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
