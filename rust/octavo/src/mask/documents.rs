//! Driver licences, passports and business registration numbers of Korea.

use super::groups::{Separator, Sequence, number};
use super::kind::Kind;
use super::quoted::ends_with;
use super::scan::{Found, Scene};
use super::view::is_digit;

/// Words beside a driver licence.
pub(super) const LICENSE_WORDS: &[&str] = &["면허", "driver", "license", "licence"];
/// Where a licence was given.
const REGIONS: &[&str] = &[
    "서울", "부산", "대구", "인천", "광주", "대전", "울산", "세종", "경기", "강원", "충북", "충남", "전북", "전남",
    "경북", "경남", "제주", "남부", "북부",
];
/// Words behind which the number of any country's passport stands.
const PASSPORT_NUMBER: &[&str] = &["여권번호", "여권 번호", "passport no", "passport number"];
/// Words beside a passport.
pub(super) const PASSPORT_WORDS: &[&str] = &["여권", "passport", "旅券", "护照", "パスポ-ト"];

/// `RR-YY-NNNNNN-CC`: region 11 to 28. The check digits have no public formula.
pub(super) fn driver_license(scene: &Scene<'_, '_>, sequence: &Sequence<'_, '_>) -> Option<Found> {
    const OTHERS: &[&str] = &["lot", "ref", "sku", "part", "serial", "order", "batch", "품번", "주문", "모델"];
    if matches!(sequence.lengths, [2, 6, 2, ..]) {
        return regional_license(scene, sequence);
    }
    let grouped = matches!(sequence.lengths, [2, 2, 6, 2, ..]);
    if !grouped && !matches!(sequence.lengths, [12, ..]) {
        return None;
    }
    let count = if grouped { 4 } else { 1 };
    let range = sequence.closed(count)?;
    let region = number(sequence.digits(0, 1).into_iter().take(2));
    let dashed = grouped && sequence.joined_by(count, &[Separator::Dash]);
    if !(11..=28).contains(&region) {
        return None;
    }
    let window = scene.window(&range);
    if !(dashed || window.has(LICENSE_WORDS)) || window.nearer(OTHERS, LICENSE_WORDS) {
        return None;
    }
    scene.found(Kind::KrDriverLicense, range, 88)
}

/// `서울 12-123456-78`: until 2013 the region was written in letters.
fn regional_license(scene: &Scene<'_, '_>, sequence: &Sequence<'_, '_>) -> Option<Found> {
    let range = sequence.closed(3)?;
    let view = scene.view;
    let region = view.run_back(range.start, 2, |byte| matches!(byte, b' ' | b'-'));
    let named = REGIONS.iter().any(|name| ends_with(view, region, name));
    (named && sequence.joined_by(3, &[Separator::Dash]) && scene.window(&range).has(LICENSE_WORDS))
        .then(|| scene.found(Kind::KrDriverLicense, range, 88))?
}

/// `M12345678`, and since 2021 `M123A4567`: only beside a word, because many codes look so.
pub(super) fn passport(scene: &Scene<'_, '_>, at: usize, end: usize) -> Option<Found> {
    let view = scene.view;
    // Until 2008 the letters were two: `PM1234567`.
    let older = end - at == 7 && at >= 2 && view.starts_with(at - 2, "P") && view.before(at).is_ascii_uppercase();
    let foreign = || end - at == 7 && at >= 2 && view.slice(at - 2..at).bytes().all(|byte| byte.is_ascii_uppercase());
    let older = older || (foreign() && scene.window(&(at - 2..end)).directly(PASSPORT_NUMBER));
    let start = at.checked_sub(if older { 2 } else { 1 })?;
    if !(older || is_passport_letter(view.before(at))) || !view.begins_word(start) {
        return None;
    }
    let end = match end - at {
        8 => end,
        7 if older => end,
        3 if view.at(end).is_ascii_alphabetic() && view.run(end + 1, 5, |byte| byte.is_ascii_digit()) == end + 5 => {
            end + 5
        }
        _ => return None,
    };
    let range = start..end;
    if !view.ends_word(end) || !scene.window(&range).has(PASSPORT_WORDS) {
        return None;
    }
    scene.found(Kind::KrPassport, range, 90)
}

/// `M 12345678`, `M-12345678`, `M 1234 5678`: a blank or dash between letter and digits.
pub(super) fn parted_passport(scene: &Scene<'_, '_>, at: usize, end: usize) -> Option<Found> {
    let view = scene.view;
    let letter = at.checked_sub(2)?;
    let parted = matches!(view.before(at), b'-' | b' ') && is_passport_letter(view.before(at - 1));
    let end = if end - at == 4 && view.at(end) == b' ' { view.run(end + 1, 5, is_digit) } else { end };
    let digits = view.slice(at..end).bytes().filter(u8::is_ascii_digit).count();
    if digits != 8 || !parted || !view.begins_word(letter) || !view.ends_word(end) {
        return None;
    }
    let range = letter..end;
    scene.window(&range).has_before(PASSPORT_WORDS).then(|| scene.found(Kind::KrPassport, range, 85))?
}

/// The letters of diplomatic, official, ordinary, residence and travel passports.
fn is_passport_letter(byte: u8) -> bool {
    matches!(byte.to_ascii_uppercase(), b'M' | b'S' | b'R' | b'O' | b'D' | b'G')
}

/// `AAA-BB-CCCCC` with its check digit, or beside a word.
pub(super) fn business(scene: &Scene<'_, '_>, sequence: &Sequence<'_, '_>) -> Option<Found> {
    const WORDS: &[&str] = &["사업자", "business registration", "brn"];
    let count = match sequence.lengths {
        [3, 2, 5, ..] => 3,
        [10, ..] => 1,
        _ => return None,
    };
    if !scene.kinds.contains(Kind::KrBrn) || !sequence.joined_by(count, &[Separator::Dash]) {
        return None;
    }
    let range = sequence.closed(count)?;
    let right = is_business(&sequence.digits(0, count));
    let named = scene.window(&range).has(WORDS);
    (named || (right && count == 3)).then(|| scene.found(Kind::KrBrn, range, if right { 95 } else { 70 }))?
}

/// Whether ten digits have the check digit of a business number: keys 1 3 7 1 3 7 1 3 5, and the tens of the last
/// product once more.
pub(super) fn is_business(digits: &[u8]) -> bool {
    let keys = [1, 3, 7, 1, 3, 7, 1, 3, 5];
    let sum: u32 = digits.iter().zip(keys).map(|(&digit, key)| u32::from(digit) * key).sum();
    let &[.., ninth, last] = digits else { return false };
    digits.len() == 10 && (10 - (sum + u32::from(ninth) * 5 / 10) % 10) % 10 == u32::from(last)
}

#[cfg(test)]
mod tests {
    use super::is_business;

    #[test]
    fn the_check_digit_of_a_business_number() {
        let digits = |text: &str| text.bytes().map(|byte| byte - b'0').collect::<Vec<u8>>();
        assert!(is_business(&digits("1048656659")) && !is_business(&digits("1234567890")));
    }
}
