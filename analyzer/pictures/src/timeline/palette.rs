//! The colors of what ranks do, the same in every picture. Told apart by people who are blind to some (Okabe and Ito 2008).

use model::levels::TimeClass;

/// A class's color, as CSS has it.
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

/// What of it waits, engine entries, messages and text.
pub const INK: &str = "#17202a";

/// The color of a terminal with 256 of them that comes closest.
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

/// The letter that stands for it where there are no colors.
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
