//! Colors of time classes, the same in every picture; color-blind readers can tell them apart (Okabe and Ito 2008).

use model::levels::TimeClass;

/// CSS color of a class.
pub fn color(class: TimeClass) -> &'static str {
    match class {
        TimeClass::Computation => "#e4e7eb",
        TimeClass::PointToPoint => "#0072b2",
        TimeClass::Completion => "#56b4e9",
        TimeClass::Collective => "#d55e00",
        TimeClass::OneSided => "#009e73",
        TimeClass::File => "#cc79a7",
        TimeClass::Other => "#e69f00",
        TimeClass::Open => "#8b1a1a",
    }
}

/// Colors of waits, engine entries, messages and text.
pub const INK: &str = "#17202a";

/// Closest color of a terminal with 256 colors.
pub fn terminal(class: TimeClass) -> u8 {
    match class {
        TimeClass::Computation => 250,
        TimeClass::PointToPoint => 25,
        TimeClass::Completion => 75,
        TimeClass::Collective => 166,
        TimeClass::OneSided => 36,
        TimeClass::File => 175,
        TimeClass::Other => 178,
        TimeClass::Open => 88,
    }
}

/// Letter of a class on terminals without colors.
pub fn letter(class: TimeClass) -> char {
    match class {
        TimeClass::Computation => '.',
        TimeClass::PointToPoint => 'p',
        TimeClass::Completion => 't',
        TimeClass::Collective => 'c',
        TimeClass::OneSided => 'o',
        TimeClass::File => 'f',
        TimeClass::Other => 'm',
        TimeClass::Open => '!',
    }
}
