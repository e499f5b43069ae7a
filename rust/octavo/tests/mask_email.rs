//! E-mail addresses in any script, and what stands against them: particles, words, brackets, strings.

mod marked;

use marked::{check, unchanged};

#[test]
fn addresses_outside_ascii_are_found_whole() {
    check(
        "EMAIL",
        &[
            "«홍길동@예시.한국»",
            "메일: «홍길동@예시.한국»으로 보내",
            "«김철수@example.com»은",
            "«田中@example.jp»へ",
            "«иван.петров@пример.рф», «χρήστης@παράδειγμα.ελ»",
            "«kim@회사.한국»에서",
            "«kim@회사.com»으로",
            "«kim@例え.jp»に送る",
            "«josé@example.com» «müller@example.de» «müller@müller.de»",
            "«jose\u{301}@example.com»",
            "«kim@bücher.example.com»",
            "«user@xn--9t4b11yi5a.xn--3e0b707e» 로",
            "«user@xn--hy1b43d247a.com»로",
            "«o'brien@example.com», «kim&lee@example.com»",
        ],
    );
}

#[test]
fn signs_and_letters_of_other_widths_are_those_of_ascii() {
    check(
        "EMAIL",
        &[
            "메일 «kim＠example．com»로",
            "«ｋｉｍ＠ｅｘａｍｐｌｅ．ｃｏｍ»",
            "«kim@example。com»으로",
            "«kim@mail｡example｡com»",
            "«𝐤𝐢𝐦@𝐞𝐱𝐚𝐦𝐩𝐥𝐞.𝐜𝐨𝐦»",
            "«𝓀𝒾𝓂@ℯ𝓍𝒶𝓂𝓅𝓁ℯ.𝒸ℴ𝓂»",
            "«k\u{200B}im@exa\u{AD}mple.c\u{2060}om»",
        ],
    );
}

#[test]
fn words_and_particles_against_an_address_stay() {
    check(
        "EMAIL",
        &[
            "메일은«kim@example.com»으로",
            "联系«alice@example.com»谢谢",
            "メールは«kim@example.co.jp»です",
            "«kim@naver.com»로, «kim@naver.com»은 «kim@daum.net»이에요.",
            "메일은 «kim@example.com»。다음은",
            "请发«kim@example.com»。Thanks",
            "('«kim@example.com»', b'«kim@example.com»')",
            "it's:«kim@example.com»",
            "&lt;«kim@example.com»&gt;",
            "«kim@example.com».그리고",
        ],
    );
}

#[test]
fn messages_have_ids_that_are_nobodys_address() {
    unchanged(&[
        "Message-ID: <20240521.123@kernel.org>",
        "In-Reply-To: <CAF=abc.def@mail.gmail.com>",
        "message-id:<x$1@example.com>\nX: y",
        "Content-ID:  <part1.06090408@example.com>",
    ]);
    check("EMAIL", &["From: <«kim@example.com»>", "Message-ID: «kim@example.com»", "message id <«kim@example.com»>"]);
}

#[test]
fn a_sign_between_words_makes_no_address() {
    unchanged(&[
        "회의는 강남역@스타벅스.홍대",
        "kim@localhost 와 @example.com",
        "인스타@hong.gildong",
        "친구@서울",
        "@예시.한국",
        "값@배열.길이",
        "user@1000.service",
        "vue@3.4.21",
    ]);
}

#[test]
fn addresses_that_few_write_so() {
    check(
        "EMAIL",
        &[
            "mail «taro.@docomo.ne.jp»",
            "mail «da.me.@ezweb.ne.jp».",
            "«{kim,lee}@naver.com»",
            "to «{kim,lee,park.j}@example.co.kr», today",
            "«kim@naver.com@example.com»",
        ],
    );
    unchanged(&["http://user@example.com/", "a.@x", "${a}@{b}", "{a}@example", "kim.@example.com"]);
}
