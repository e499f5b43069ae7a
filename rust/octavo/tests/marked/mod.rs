//! Texts in which what must be found is marked.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part of it")]

use octavo::mask::{Options, find, masked};

pub fn mask_with(text: &str, options: &Options) -> String {
    masked(text, &find(text, options), |finding| format!("[{}]", finding.kind.name()))
}

pub fn mask(text: &str) -> String {
    mask_with(text, &Options::default())
}

/// `«…»` stands around what must be found.
pub fn check(kind: &str, marked: &[&str]) {
    let mut wrong = Vec::new();
    for text in marked {
        let plain = text.replace(['«', '»'], "");
        let mut wanted = String::new();
        let mut rest = *text;
        while let Some((before, after)) = rest.split_once('«') {
            let (_, after) = after.split_once('»').unwrap_or_default();
            wanted = format!("{wanted}{before}[{kind}]");
            rest = after;
        }
        wanted += rest;
        let got = mask(&plain);
        if got != wanted {
            wrong.push(format!("{plain}\n  wanted {wanted}\n  got    {got}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), marked.len(), wrong.join("\n"));
}

pub fn unchanged(texts: &[&str]) {
    check("", texts);
}
