//! Character references of HTML: the numeric ones, and the names that pages use most.

/// The longest name of an entity, `CounterClockwiseContourIntegral`.
const LONGEST_ENTITY: usize = 32;
const ENTITIES: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("hellip", "…"),
    ("mdash", "—"),
    ("ndash", "–"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("middot", "·"),
    ("bull", "•"),
    ("times", "×"),
    ("euro", "€"),
    ("pound", "£"),
    ("deg", "°"),
    ("rarr", "→"),
    ("larr", "←"),
    ("shy", ""),
    ("zwnj", "\u{200c}"),
    ("minus", "−"),
];

/// Text with its entities as characters. Unknown ones stay as they are.
pub(super) fn decoded(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        written.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let most = rest.floor_char_boundary(LONGEST_ENTITY);
        let end = rest.get(..most).and_then(|near| near.find(';'));
        let entity = end.and_then(|end| rest.get(1..end));
        let Some(character) = entity.and_then(entity_text) else {
            written.push('&');
            rest = rest.get(1..).unwrap_or_default();
            continue;
        };
        written.push_str(&character);
        rest = end.and_then(|end| rest.get(end + 1..)).unwrap_or_default();
    }
    written.push_str(rest);
    written
}

fn entity_text(entity: &str) -> Option<String> {
    let Some(number) = entity.strip_prefix('#') else {
        return ENTITIES.iter().find(|(name, _)| *name == entity).map(|(_, text)| (*text).to_owned());
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => number.parse(),
    };
    code.ok().and_then(char::from_u32).map(String::from)
}
