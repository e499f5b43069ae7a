//! Secrets as the text of XML elements: `<password>x</password>`, `<property name="password">x</property>`.

use std::ops::Range;

use super::assignment;
use super::kind::Kind;
use super::quoted::{VALUE, ends_with};
use super::scan::{Found, Scene};
use super::secret_name::{Sort, sort_of_name};
use super::view::View;

/// Bytes of a tag in which its name is looked for.
const TAG: usize = 160;
/// Attributes that name what an element holds.
const NAMES: &[&str] = &[" name=", " key=", " id="];

/// `at` is the `>` that may end an opening tag.
pub(super) fn element(scene: &Scene<'_, '_>, at: usize) -> Option<Found> {
    let view = scene.view;
    // Most tags are followed by another, by a line, or are no tags.
    let ends_tag = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'"' | b'\'' | b'_' | b'-');
    if view.at(at + 1) == b'<' && view.at(at + 2) != b'!' || !ends_tag(view.before(at)) {
        return None;
    }
    if !scene.kinds.contains(Kind::Secret) {
        return None;
    }
    let open = view.run_back(at, TAG, |byte| !matches!(byte, 0 | b'<' | b'>' | b'\n'));
    if view.before(open) != b'<' {
        return None;
    }
    let sort = sort_of_tag(view, view.slice(open..at), open - 1)?;
    assignment::judged(scene, text(view, at + 1)?, sort, true)
}

/// What the tag names by itself, by an attribute, or, `<string>` of a property list, by the element before.
fn sort_of_tag(view: &View<'_>, tag: &str, open: usize) -> Option<Sort> {
    let element = tag.split([' ', '\t']).next()?;
    if element.eq_ignore_ascii_case("string") && tag == element {
        return sort_of_key_element(view, open);
    }
    sort_of_name(element.as_bytes()).or_else(|| {
        // A search for each attribute from the beginning took most of the time on pages.
        let values = || tag.match_indices('=').filter_map(|(at, _)| tag.split_at_checked(at + 1));
        let named = |name: &&str| values().find(|(before, _)| before.ends_with(*name)).map(|(_, value)| value);
        let value = NAMES.iter().find_map(named)?;
        let value = value.strip_prefix(['"', '\''])?;
        sort_of_name(value.split(['"', '\'']).next()?.as_bytes())
    })
}

/// `<key>password</key>` before the tag.
fn sort_of_key_element(view: &View<'_>, open: usize) -> Option<Sort> {
    let close = view.run_back(open, 64, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    if !ends_with(view, close, "</key>") {
        return None;
    }
    let start = close - "</key>".len();
    let name = view.run_back(start, 40, |byte| !matches!(byte, 0 | b'>' | b'<' | b'\n'));
    sort_of_name(view.bytes().get(name..start)?)
}

/// The text of the element, without blanks around it, when a closing tag follows.
fn text(view: &View<'_>, at: usize) -> Option<Range<usize>> {
    let start = view.run(at, 64, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    if view.starts_with(start, "<![CDATA[") {
        let start = start + "<![CDATA[".len();
        let end = view.run(start, VALUE, |byte| byte != b']' && byte != 0);
        return (view.starts_with(end, "]]>") && end > start).then_some(start..end);
    }
    let end = view.run(start, VALUE, |byte| !matches!(byte, 0 | b'<' | b'>' | b'\n' | b'\r'));
    let close = view.run(end, 64, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    let end = start + view.slice(start..end).trim_end().len();
    (end > start && view.at(close) == b'<' && view.at(close + 1) == b'/').then_some(start..end)
}
