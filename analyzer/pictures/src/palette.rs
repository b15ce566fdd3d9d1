//! Every color of plots, timelines and pages, each for light and for dark ground.
//!
//! The hues are those of Okabe and Ito (2008), which readers who are blind to some colors can tell apart, with three
//! more that keep their distance.

use std::fmt;
use std::fmt::Write;

use plotters::style::RGBColor;

use model::levels::TimeClass;

/// A color of the page, `--name` in style sheets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hue {
    name: &'static str,
    light: Rgb,
    dark: Rgb,
}

/// Red, green and blue, a byte each; printed as in CSS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rgb(u32);

const fn hue(name: &'static str, light: u32, dark: u32) -> Hue {
    Hue { name, light: Rgb(light), dark: Rgb(dark) }
}

/// Background of the page, and of headings and buttons.
pub const GROUND: Hue = hue("ground", 0xffffff, 0x14181d);
const RAISED: Hue = hue("raised", 0xf5f7f9, 0x1c2229);
/// Lines between things.
const LINE: Hue = hue("line", 0xd5dbe1, 0x37414c);
/// Text, waits, messages and entries into the engine; text of less weight.
pub const INK: Hue = hue("ink", 0x1a2026, 0xe6eaee);
const DIM: Hue = hue("dim", 0x525d68, 0xa3afbb);
const LINK: Hue = hue("link", 0x005a94, 0x74bdf2);
/// Warnings, and tables of a part of the run.
const MARK: Hue = hue("mark", 0xb34700, 0xff9a57);
/// Bars behind figures in tables.
const SHARE: Hue = hue("share-color", 0xd3e6f4, 0x1f4059);
/// Marks the reader's choice in a timeline.
const ACCENT: Hue = hue("accent", 0x7a1fa2, 0xd59bf0);
/// Classes that a reader takes the color from.
const WEAK: Hue = hue("weak", 0xeef1f4, 0x232a32);

/// Computation, and regions.
pub const GRAY: Hue = hue("gray", 0xccd3da, 0x414c58);
pub const BLUE: Hue = hue("blue", 0x0072b2, 0x3590cc);
const SKY: Hue = hue("sky", 0x56b4e9, 0x86d0ff);
pub const RED: Hue = hue("red", 0xd55e00, 0xf67a20);
const GREEN: Hue = hue("green", 0x009e73, 0x26b87a);
const PINK: Hue = hue("pink", 0xcc79a7, 0xb79cd0);
const ORANGE: Hue = hue("orange", 0xe69f00, 0xf1c143);
const SLATE: Hue = hue("slate", 0x494963, 0xc3cdb4);
const MAROON: Hue = hue("maroon", 0x8b1a1a, 0xc94a4a);

const ALL: [Hue; 19] = [
    GROUND, RAISED, LINE, INK, DIM, LINK, MARK, SHARE, ACCENT, WEAK, GRAY, BLUE, SKY, RED, GREEN, PINK, ORANGE, SLATE,
    MAROON,
];

/// Lines and bars of a plot, in their order; without the yellow of Okabe and Ito, which is hard to see on white.
pub const SERIES: [Hue; 7] = [BLUE, RED, GREEN, PINK, SKY, ORANGE, INK];

pub const fn of_class(class: TimeClass) -> Hue {
    match class {
        TimeClass::Computation => GRAY,
        TimeClass::PointToPoint => BLUE,
        TimeClass::Completion => SKY,
        TimeClass::Collective => RED,
        TimeClass::OneSided => GREEN,
        TimeClass::File => PINK,
        TimeClass::Other => ORANGE,
        TimeClass::Open => MAROON,
    }
}

/// The parts of a rank's time, by the keys of their columns. Parts that are a class of calls have the class's color.
const PARTS: [(&str, Hue); 8] = [
    ("computation_s", of_class(TimeClass::Computation)),
    ("waiting_s", INK),
    ("point_to_point_s", of_class(TimeClass::PointToPoint)),
    ("collective_s", of_class(TimeClass::Collective)),
    ("one_sided_s", of_class(TimeClass::OneSided)),
    ("files_s", of_class(TimeClass::File)),
    ("start_and_end_s", SLATE),
    ("other_mpi_s", of_class(TimeClass::Other)),
];

pub fn of_part(key: &str) -> Option<Hue> {
    PARTS.iter().find(|(name, _)| *name == key).map(|(_, hue)| *hue)
}

/// The colors as properties of a style sheet, and the classes that give elements theirs.
pub fn css() -> String {
    let mut css = String::from(":root {\n");
    for Hue { name, light, dark } in &ALL {
        writeln!(css, "  --{name}: light-dark({light}, {dark});").expect("a string takes all text");
    }
    for (at, class) in TimeClass::ALL.iter().enumerate() {
        writeln!(css, "  --class-{at}: var(--{});", of_class(*class).name).expect("a string takes all text");
    }
    css.push_str("}\n");
    for (key, hue) in &PARTS {
        writeln!(css, ".part-{key} {{ --color: var(--{}); }}", hue.name).expect("a string takes all text");
    }
    css
}

impl Hue {
    /// The color on white paper: of files that have one ground only.
    pub const fn on_white(self) -> Rgb {
        self.light
    }

    pub fn in_plot(self) -> RGBColor {
        let [_, red, green, blue] = self.light.0.to_be_bytes();
        RGBColor(red, green, blue)
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:06x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Light of each primary, 0 to 1.
    fn linear(color: Rgb) -> [f64; 3] {
        let [_, primaries @ ..] = color.0.to_be_bytes();
        primaries.map(|byte| match f64::from(byte) / 255.0 {
            dark if dark <= 0.04045 => dark / 12.92,
            light => ((light + 0.055) / 1.055).powf(2.4),
        })
    }

    /// Contrast by WCAG 2.1.
    fn contrast(one: Rgb, other: Rgb) -> f64 {
        let bright = |color| linear(color).iter().zip([0.2126, 0.7152, 0.0722]).map(|(a, b)| a * b).sum::<f64>() + 0.05;
        let (one, other) = (bright(one), bright(other));
        one.max(other) / one.min(other)
    }

    type Matrix = [[f64; 3]; 3];

    fn times(matrix: &Matrix, [a, b, c]: [f64; 3]) -> [f64; 3] {
        matrix.map(|[x, y, z]| x * a + y * b + z * c)
    }

    /// The eyes of readers: full color vision, or without one of three kinds of cones (Machado, Oliveira and Fernandes 2009).
    const EYES: [Matrix; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ];

    /// Distance as eyes see it, in hundredths of that from black to white (Oklab, Ottosson 2020).
    fn apart(eyes: &Matrix, one: Rgb, other: Rgb) -> f64 {
        let place = |color| {
            let seen = times(eyes, linear(color)).map(|light| light.clamp(0.0, 1.0));
            let cones = [
                [0.4122214708, 0.5363325363, 0.0514459929],
                [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005],
            ];
            let opponents = [
                [0.2104542553, 0.7936177850, -0.0040720468],
                [1.9779984951, -2.4285922050, 0.4505937099],
                [0.0259040371, 0.7827717662, -0.8086757660],
            ];
            times(&opponents, times(&cones, seen).map(f64::cbrt))
        };
        100.0 * place(one).iter().zip(place(other)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    const SCHEMES: [fn(&Hue) -> Rgb; 2] = [|hue| hue.light, |hue| hue.dark];

    #[test]
    fn text_stands_out_from_what_it_stands_on() {
        for scheme in SCHEMES {
            for (text, below) in [INK, DIM, LINK, MARK].iter().flat_map(|text| [(text, GROUND), (text, RAISED)]) {
                let contrast = contrast(scheme(text), scheme(&below));
                assert!(contrast >= 4.5, "{} on {}: {contrast:.2}", text.name, below.name);
            }
            assert!(contrast(scheme(&INK), scheme(&SHARE)) >= 4.5);
            assert!(contrast(scheme(&INK), scheme(&GRAY)) >= 4.5, "names of regions");
        }
    }

    #[test]
    fn what_pictures_tell_by_color_is_told_apart_by_all_eyes_and_in_both_schemes() {
        let told = [GROUND, GRAY, BLUE, SKY, RED, GREEN, PINK, ORANGE, SLATE, MAROON, INK];
        let mut pairs = 0;
        for (scheme, eyes) in SCHEMES.iter().flat_map(|scheme| EYES.iter().map(move |eyes| (scheme, eyes))) {
            for (at, one) in told.iter().enumerate() {
                for other in &told[..at] {
                    let apart = apart(eyes, scheme(one), scheme(other));
                    assert!(apart > 7.0, "{} and {}: {apart:.1}", one.name, other.name);
                    pairs += 1;
                }
            }
        }
        assert_eq!(pairs, 2 * 4 * 55);
    }

    #[test]
    fn every_color_of_pages_is_declared_here() {
        let css = css();
        let sheets = [
            include_str!("../page/style.css"),
            include_str!("../page/timeline/timeline.css"),
            include_str!("../page/timeline/page.html"),
        ];
        for sheet in sheets {
            assert!(!sheet.contains("light-dark("), "a color of its own");
            for name in sheet.split("var(--").skip(1).filter_map(|rest| rest.split([')', ',']).next()) {
                let is_set = [&css[..], sheet].iter().any(|text| text.contains(&format!("--{name}:")));
                // Elements set these for themselves.
                assert!(is_set || ["color", "share", "computing", "timeline-height"].contains(&name), "--{name}");
            }
        }
    }
}
