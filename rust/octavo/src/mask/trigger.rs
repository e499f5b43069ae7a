//! Bytes that begin or mark something, told with their two neighbours and without a branch.
//!
//! Every stop of the scan that leads to nothing costs a wrong guess of the processor, some 20 cycles: as much as thirty
//! bytes. So a frequent byte stops it only between bytes that let it begin anything. One table of bytes and the look at
//! the neighbours after the stop made the scan twice as slow on code.

use super::pem::is_base64;
use super::view::is_key_byte;

/// Whatever stands beside it.
const ALWAYS: u16 = 1;
/// `b` of `Bearer`, before an `e`.
const BEARER: u16 = 1 << 1;
/// `(` before a quote, `NULL` or an escape.
const ARGUMENT: u16 = 1 << 2;
/// `(` after `VALUES`.
const ROW: u16 = 1 << 3;
/// `'` after a blank.
const QUOTE: u16 = 1 << 4;
/// `>` of a tag with a text.
const TAG: u16 = 1 << 5;
/// `_` in a word.
const JOINT: u16 = 1 << 6;
/// `\` of a line end in a string.
const ESCAPE: u16 = 1 << 7;
/// A line end before what may be a line of a key, or after it.
const LINE_BEFORE: u16 = 1 << 8;
const LINE_AFTER: u16 = 1 << 9;
/// `.` in a word.
const STOP: u16 = 1 << 10;

/// What a byte may begin or mark. Letters are here for `AKIA`, `AIza`, `eyJ` and `Bearer`, by their rarest byte.
const fn trigger(byte: u8) -> u16 {
    match byte {
        b'0'..=b'9' | b'@' | b':' | b'=' | b'-' | b'[' | b'A' | b'J' => ALWAYS,
        b'B' | b'b' => BEARER,
        b'(' => ARGUMENT | ROW,
        b'\'' => QUOTE,
        b'>' => TAG,
        b'_' => JOINT,
        b'\\' => ESCAPE,
        b'\n' => LINE_BEFORE | LINE_AFTER,
        b'.' => STOP,
        _ => 0,
    }
}

/// What may be begun by the byte before this one.
const fn behind(byte: u8) -> u16 {
    let mut may = ALWAYS | ROW | QUOTE | LINE_AFTER;
    if matches!(byte, b'e' | b'E') {
        may |= BEARER;
    }
    if matches!(byte, b'"' | b'\'' | b'`' | b'N' | b'\\') {
        may |= ARGUMENT;
    }
    if !matches!(byte, b' ' | b'=' | b'>') {
        may |= TAG;
    }
    if is_key_byte(byte) {
        may |= JOINT;
    }
    if matches!(byte, b'n' | b'r' | b'\\') {
        may |= ESCAPE;
    }
    if is_base64(byte) {
        may |= LINE_BEFORE;
    }
    if is_key_byte(byte) {
        may |= STOP;
    }
    may
}

/// What may be begun by the byte after this one.
const fn before(byte: u8) -> u16 {
    let mut may = ALWAYS | BEARER | ARGUMENT | ESCAPE | LINE_BEFORE;
    if matches!(byte, b's' | b'S' | b'\n' | b' ') {
        may |= ROW;
    }
    if matches!(byte, b' ' | b'\t') {
        may |= QUOTE;
    }
    if byte.is_ascii_alphanumeric() || matches!(byte, b'"' | b'\'' | b'_') {
        may |= TAG;
    }
    if byte.is_ascii_alphanumeric() {
        may |= JOINT;
    }
    if is_base64(byte) || byte == b'\r' {
        may |= LINE_AFTER;
    }
    if is_key_byte(byte) {
        may |= STOP;
    }
    may
}

/// Of each byte, in three fields: what it may begin, what may be begun by the byte before it, and by the one after it.
/// One load for each byte of the text: three tables cost the scan a third more.
static FIELDS: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte: u8 = 0;
    loop {
        if let Some((entry, _)) = table.split_at_mut(byte as usize).1.split_first_mut() {
            *entry = trigger(byte) as u64 | (behind(byte) as u64) << BEHIND | (before(byte) as u64) << BEFORE;
        }
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};
const FIELD: u64 = 0xFFFF;
const BEHIND: u32 = 16;
const BEFORE: u32 = 32;

/// The first trigger from `from` on. The last byte is one whatever may come behind it, and the first after a blank.
pub(super) fn next(bytes: &[u8], from: usize) -> Option<usize> {
    let of = |byte: u8| FIELDS.get(usize::from(byte)).copied().unwrap_or(0);
    let (&first, others) = bytes.get(from..)?.split_first()?;
    let mut before = of(from.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(b' ')) >> BEFORE;
    let mut this = of(first);
    for (at, &byte) in others.iter().enumerate() {
        let behind = of(byte);
        if this & behind >> BEHIND & before & FIELD != 0 {
            return Some(from + at);
        }
        before = this >> BEFORE;
        this = behind;
    }
    (this & before & FIELD != 0).then(|| bytes.len() - 1)
}
