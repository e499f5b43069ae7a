//! How each country writes its account numbers after the check digits.

/// What stands at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// `n` in the registry.
    Digit,
    /// `a`.
    Letter,
    /// `c`.
    Either,
}

/// Runs of one class: how many, and which.
pub(super) type Layout = &'static [(usize, Class)];

use Class::{Digit, Either, Letter};

/// By country, from the SWIFT registry of IBAN formats, release 99; neighbours of one class are one run.
#[rustfmt::skip]
const LAYOUTS: &[(&[u8; 2], Layout)] = &[
    (b"AD", &[(8, Digit), (12, Either)]),
    (b"AE", &[(19, Digit)]),
    (b"AL", &[(8, Digit), (16, Either)]),
    (b"AT", &[(16, Digit)]),
    (b"AZ", &[(4, Letter), (20, Either)]),
    (b"BA", &[(16, Digit)]),
    (b"BE", &[(12, Digit)]),
    (b"BG", &[(4, Letter), (6, Digit), (8, Either)]),
    (b"BH", &[(4, Letter), (14, Either)]),
    (b"BI", &[(23, Digit)]),
    (b"BR", &[(23, Digit), (1, Letter), (1, Either)]),
    (b"BY", &[(4, Either), (4, Digit), (16, Either)]),
    (b"CH", &[(5, Digit), (12, Either)]),
    (b"CR", &[(18, Digit)]),
    (b"CY", &[(8, Digit), (16, Either)]),
    (b"CZ", &[(20, Digit)]),
    (b"DE", &[(18, Digit)]),
    (b"DJ", &[(23, Digit)]),
    (b"DK", &[(14, Digit)]),
    (b"DO", &[(4, Either), (20, Digit)]),
    (b"EE", &[(16, Digit)]),
    (b"EG", &[(25, Digit)]),
    (b"ES", &[(20, Digit)]),
    (b"FI", &[(14, Digit)]),
    (b"FK", &[(2, Letter), (12, Digit)]),
    (b"FO", &[(14, Digit)]),
    (b"FR", &[(10, Digit), (11, Either), (2, Digit)]),
    (b"GB", &[(4, Letter), (14, Digit)]),
    (b"GE", &[(2, Letter), (16, Digit)]),
    (b"GI", &[(4, Letter), (15, Either)]),
    (b"GL", &[(14, Digit)]),
    (b"GR", &[(7, Digit), (16, Either)]),
    (b"GT", &[(24, Either)]),
    (b"HN", &[(4, Letter), (20, Digit)]),
    (b"HR", &[(17, Digit)]),
    (b"HU", &[(24, Digit)]),
    (b"IE", &[(4, Letter), (14, Digit)]),
    (b"IL", &[(19, Digit)]),
    (b"IQ", &[(4, Letter), (15, Digit)]),
    (b"IS", &[(22, Digit)]),
    (b"IT", &[(1, Letter), (10, Digit), (12, Either)]),
    (b"JO", &[(4, Letter), (4, Digit), (18, Either)]),
    (b"KW", &[(4, Letter), (22, Either)]),
    (b"KZ", &[(3, Digit), (13, Either)]),
    (b"LB", &[(4, Digit), (20, Either)]),
    (b"LC", &[(4, Letter), (24, Either)]),
    (b"LI", &[(5, Digit), (12, Either)]),
    (b"LT", &[(16, Digit)]),
    (b"LU", &[(3, Digit), (13, Either)]),
    (b"LV", &[(4, Letter), (13, Either)]),
    (b"LY", &[(21, Digit)]),
    (b"MC", &[(10, Digit), (11, Either), (2, Digit)]),
    (b"MD", &[(20, Either)]),
    (b"ME", &[(18, Digit)]),
    (b"MK", &[(3, Digit), (10, Either), (2, Digit)]),
    (b"MN", &[(16, Digit)]),
    (b"MR", &[(23, Digit)]),
    (b"MT", &[(4, Letter), (5, Digit), (18, Either)]),
    (b"MU", &[(4, Letter), (19, Digit), (3, Letter)]),
    (b"NI", &[(4, Letter), (20, Digit)]),
    (b"NL", &[(4, Letter), (10, Digit)]),
    (b"NO", &[(11, Digit)]),
    (b"OM", &[(3, Digit), (16, Either)]),
    (b"PK", &[(4, Letter), (16, Either)]),
    (b"PL", &[(24, Digit)]),
    (b"PS", &[(4, Letter), (21, Either)]),
    (b"PT", &[(21, Digit)]),
    (b"QA", &[(4, Letter), (21, Either)]),
    (b"RO", &[(4, Letter), (16, Either)]),
    (b"RS", &[(18, Digit)]),
    (b"RU", &[(14, Digit), (15, Either)]),
    (b"SA", &[(2, Digit), (18, Either)]),
    (b"SC", &[(4, Letter), (20, Digit), (3, Letter)]),
    (b"SD", &[(14, Digit)]),
    (b"SE", &[(20, Digit)]),
    (b"SI", &[(15, Digit)]),
    (b"SK", &[(20, Digit)]),
    (b"SM", &[(1, Letter), (10, Digit), (12, Either)]),
    (b"SO", &[(19, Digit)]),
    (b"ST", &[(21, Digit)]),
    (b"SV", &[(4, Letter), (20, Digit)]),
    (b"TL", &[(19, Digit)]),
    (b"TN", &[(20, Digit)]),
    (b"TR", &[(6, Digit), (16, Either)]),
    (b"UA", &[(6, Digit), (19, Either)]),
    (b"VA", &[(18, Digit)]),
    (b"VG", &[(4, Letter), (16, Digit)]),
    (b"XK", &[(16, Digit)]),
    (b"YE", &[(4, Letter), (4, Digit), (18, Either)]),
];

/// The layout of a country, in upper case.
pub(super) fn layout(country: &[u8]) -> Option<Layout> {
    LAYOUTS.iter().find(|(name, _)| name.as_slice() == country).map(|&(_, layout)| layout)
}

/// Whether the characters have the classes of the layout.
pub(super) fn fits(layout: Layout, characters: &[u8]) -> bool {
    let mut rest = characters.iter();
    let mut run =
        |&(length, class): &(usize, Class)| (0..length).all(|_| rest.next().is_some_and(|&byte| class.has(byte)));
    layout.iter().all(&mut run)
}

impl Class {
    const fn has(self, byte: u8) -> bool {
        match self {
            Digit => byte.is_ascii_digit(),
            Letter => byte.is_ascii_alphabetic(),
            Either => byte.is_ascii_alphanumeric(),
        }
    }
}
