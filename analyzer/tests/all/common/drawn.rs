//! Pictures by what is drawn: an SVG is compared as text, and a PNG with the shapes of its SVG, since letters differ between
//! versions of the renderer.

use std::fs;
use std::path::Path;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Share of a picture's pixels that letters may take.
const LETTERS: f64 = 0.15;

/// The shapes of an SVG, without its letters: no font is known.
fn shapes(svg: &str, width: u32) -> Pixmap {
    let tree = Tree::from_str(svg, &Options::default()).unwrap();
    let scale = width as f32 / tree.size().width();
    let mut pixels = Pixmap::new(width, (tree.size().height() * scale).round() as u32).unwrap();
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels
}

/// Panics unless the PNG is the SVG with letters on it.
#[track_caller]
pub fn assert_drawn(png: &Path, svg: &Path) {
    let drawn = Pixmap::decode_png(&fs::read(png).unwrap()).unwrap();
    let shapes = shapes(&fs::read_to_string(svg).unwrap(), drawn.width());
    assert_eq!(drawn.height(), shapes.height(), "{}", png.display());
    let differing = drawn.pixels().iter().zip(shapes.pixels()).filter(|(drawn, shape)| drawn != shape).count();
    let share = differing as f64 / drawn.pixels().len() as f64;
    assert!(share > 0.0, "{} has no letters", png.display());
    assert!(share < LETTERS, "{}: {:.0} % of it are not the shapes of its SVG", png.display(), 100.0 * share);
}
