//! Korean bank accounts: ten to fourteen digits without a public check digit.
//!
//! So a word within thirty characters must say what they are, or the layout and the leading digits must be a
//! bank's own. Layouts after the account numbers that the banks and the KFTC publish for direct debits.

use super::context::Window;
use super::groups::{Separator, Sequence, number};
use super::kind::Kind;
use super::scan::{Found, Scene};
use super::{date, documents};

/// Words for which any ten to fourteen digits are an account.
pub(super) const WORDS: &[&str] = &[
    "계좌",
    "입금",
    "송금",
    "이체",
    "예금주",
    "통장",
    "자동납부",
    "은행",
    "뱅크",
    "신한",
    "농협",
    "수협",
    "신협",
    "새마을금고",
    "우체국",
    "저축은행",
    "카카오페이",
    "토스",
    "account number",
    "account no",
    "bank account",
    "bank acct",
    "acct no",
    "a/c",
];
/// Words for which only digits in groups are an account: they stand beside other numbers too.
pub(super) const GROUPED_WORDS: &[&str] =
    &["account", "acct", "bank", "하나", "국민", "우리", "기업", "kb", "nh", "ibk", "sc제일", "씨티", "환불", "급여"];
/// What people call a bank and an account when they write its number right behind: any ten to fourteen digits.
const BANKS: &[&str] =
    &["국민", "하나", "우리", "기업", "카뱅", "케뱅", "새마을", "씨티", "산업", "sc", "kb", "nh", "ibk", "sc제일"];
/// Words behind which ten or fourteen digits are an account; twelve are one of a cloud's as well.
const ACCOUNTS: &[&str] = &["account", "acct"];
/// Words for numbers that look the same.
pub(super) const OTHERS: &[&str] = &[
    "주문",
    "송장",
    "운송장",
    "사업자",
    "법인",
    "접수",
    "승인",
    "거래번호",
    "일련번호",
    "품번",
    "모델",
    "버전",
    "isbn",
    "issn",
    "order",
    "invoice",
    "tracking",
    "serial",
    "model",
    "version",
    "trace",
    "uuid",
    "sku",
    "lot",
    "ref",
    "seed",
    "part",
    // Times and sums, which stand in every line of a bank's log.
    "timestamp",
    "ts",
    "created",
    "updated",
    "expires",
    "epoch",
    "금액",
    "총액",
    "잔액",
    "입금액",
    "송금액",
    "이체액",
    "건수",
];
/// What follows an amount or a count.
const UNITS: &[&str] = &["원", "won", "krw", "달러", "건", "개", "명", "초", "ms", "usd"];

pub(super) fn find(scene: &Scene<'_, '_>, sequence: &Sequence<'_, '_>) -> Option<Found> {
    let count = grouped(sequence).or_else(|| matches!(sequence.lengths, [10..=14, ..]).then_some(1))?;
    let range = sequence.closed(count)?;
    let digits = sequence.digits(0, count);
    if is_another(&digits, sequence, count) {
        return None;
    }
    let own = count > 1 && is_own_layout(&digits, sequence.lengths, count);
    let led = own || (count == 1 && has_own_lead(&digits));
    if sequence.hangs_on_word && !own {
        return None;
    }
    let window = scene.window(&range);
    if window.goes_on_with(UNITS) && count == 1 {
        return None;
    }
    let confidence = if window.nearer(OTHERS, WORDS) {
        return None;
    } else if is_named(&window, sequence, count, own, led) {
        if own { 95 } else { 80 }
    } else if own && sequence.joined_by(count, &[Separator::Dash]) && !matches!(sequence.lengths, [3, 6, 5, ..]) {
        // Hana's layout has no leading digits of its own, and is that of part numbers as well.
        65
    } else {
        return None;
    };
    scene.found(Kind::KrBankAccount, range, confidence)
}

/// Whether a word says that the groups are an account. Groups of nobody's that blanks part stand in every table of
/// sums, so such a word must stand right before them.
fn is_named(window: &Window, sequence: &Sequence<'_, '_>, count: usize, own: bool, led: bool) -> bool {
    if !window.has(WORDS) && !window.has(GROUPED_WORDS) && !window.has(BANKS) {
        return false;
    }
    let window = window.without_names();
    if count > 1 && !own && sequence.joined_by(count, &[Separator::Blank]) {
        return window.directly(WORDS);
    }
    let short = count == 1 && matches!(sequence.lengths, [10 | 14, ..]);
    window.has(WORDS)
        || ((count > 2 || led) && window.has(GROUPED_WORDS))
        // Two groups may be a range.
        || (count == 2 && window.directly(GROUPED_WORDS))
        || (short && window.directly(ACCOUNTS))
        || (count == 1 && window.directly(BANKS))
}

/// The number of groups, when they are joined like an account's and have its digits together.
fn grouped(sequence: &Sequence<'_, '_>) -> Option<usize> {
    use Separator::{Blank, Dash};
    (2..=4).rev().find(|&count| {
        let lengths = sequence.lengths.get(..count).unwrap_or_default();
        let total: usize = lengths.iter().sum();
        let one_kind = sequence.joined_by(count, &[Dash]) || sequence.joined_by(count, &[Blank]);
        (10..=14).contains(&total)
            && lengths.iter().all(|&length| (1..=8).contains(&length))
            // Pairs of digits are a dump of bytes, a date or a time.
            && lengths.iter().any(|&length| length > 2)
            && one_kind
            && sequence.closed(count).is_some()
    })
}

/// Dates and times, business numbers, and digits that are all the same.
pub(super) fn is_another(digits: &[u8], sequence: &Sequence<'_, '_>, count: usize) -> bool {
    let business = matches!((sequence.lengths, count), ([3, 2, 5, ..], 3));
    let same = digits.windows(2).all(|pair| matches!(pair, [one, two] if one == two));
    business || same || date::leads(digits) || (count == 1 && documents::is_business(digits))
}

/// Digits in one piece with the length and leading digits of a bank: beside `account`, where twelve digits are as often
/// an account of a cloud, they are needed.
fn has_own_lead(digits: &[u8]) -> bool {
    let length = match *digits {
        // Shinhan.
        [1, 1, 0, ..] => 12,
        // Woori, Kakao, NH.
        [1, 0, 0, 2 | 5..=7, ..]
        | [3, 3, 3, 3, ..]
        | [3, 3, 5, 5, ..]
        | [3, 3, 8, 8, ..]
        | [3, 0, 1 | 2, ..]
        | [3, 1, 2, ..]
        | [3, 5, 1 | 2 | 5 | 6, ..] => 13,
        _ => return false,
    };
    digits.len() == length
}

/// Layouts with the leading digits that belong to them.
pub(super) fn is_own_layout(digits: &[u8], lengths: [usize; 6], count: usize) -> bool {
    let lead = |length: usize| number(digits.iter().copied().take(length));
    let code = |from: usize| number(digits.iter().copied().skip(from).take(2));
    match (lengths, count) {
        // KB: product code 01 to 06, 21 to 26 in the middle.
        ([6, 2, 6, ..], 3) => matches!(code(6), 1..=6 | 21..=26),
        ([3, 2, 4, 3, ..], 4) => matches!(code(3), 1..=6 | 21..=26),
        // Shinhan and K bank.
        ([3, 3, 6, ..], 3) => matches!(lead(3), 100 | 110 | 140 | 150 | 160),
        // Woori.
        ([4, 3, 6, ..], 3) => matches!(lead(4), 1002 | 1005 | 1006 | 1007),
        // Hana, IBK.
        ([3, 6, 5, ..], 3) | ([3, 6, 2, 3, ..], 4) => true,
        // NH.
        ([3, 4, 4, 2, ..], 4) => matches!(lead(3), 301 | 302 | 312 | 351 | 352 | 355 | 356),
        // Kakao.
        ([4, 2, 7, ..], 3) => matches!(lead(4), 3333 | 3355 | 3388 | 7777 | 7979),
        // Toss.
        ([4, 4, 4, ..], 3) => matches!(lead(4), 1000..=1002) && digits.iter().skip(4).any(|&digit| digit != 0),
        _ => false,
    }
}
