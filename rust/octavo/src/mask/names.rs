//! Names of files and of things, in which a word says nothing about the numbers beside: `src/bank/a.c`, `account.py`,
//! `test_account::opens`, `account_balance`.

/// Last words of names that are an account's.
const OF_ACCOUNTS: &[&str] = &["account", "accounts", "acct", "acc", "bank", "no", "num", "number", "numbers", "nr"];
/// The longest ending of a file's name.
const ENDING: usize = 5;

/// The text with blanks in the place of such names.
pub(super) fn left_out(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    for part in text.split_inclusive(|one: char| !is_part(one)) {
        let word = part.trim_end_matches(|one: char| !is_part(one));
        let name = is_path(word.trim_end_matches(['.', ':'])) || is_of_something_else(word);
        left.push_str(if name { " " } else { word });
        left.push_str(part.get(word.len()..).unwrap_or_default());
    }
    left
}

/// What a name of a file, a path and a name in code are made of.
fn is_part(one: char) -> bool {
    one.is_ascii_alphanumeric() || matches!(one, '_' | '-' | '.' | '/' | ':' | '\\')
}

fn is_path(word: &str) -> bool {
    let parted = word.matches('/').count();
    word.contains("::") || parted > 1 || (parted == 1 && word.starts_with('/')) || has_ending(word)
}

/// `account.py`, `bank.c:12`.
fn has_ending(word: &str) -> bool {
    let file = word.split(':').next().unwrap_or(word);
    file.rsplit_once('.').is_some_and(|(stem, ending)| {
        let small = ending.bytes().all(|byte| byte.is_ascii_lowercase());
        small
            && (1..=ENDING).contains(&ending.len())
            && stem.ends_with(|one: char| one.is_ascii_alphanumeric())
            && !OF_ACCOUNTS.contains(&ending)
    })
}

/// A name of more than one word whose last is no account's: `account_balance`, `bankCode`.
fn is_of_something_else(word: &str) -> bool {
    let name = word.trim_end_matches([':', '.', '-', '\\']);
    let last = name.rfind(['_', '-']).map(|at| at + 1).or_else(|| last_hump(name));
    let Some(last) = last.and_then(|at| name.get(at..)) else { return false };
    let joined = name.len() > last.len();
    joined
        && last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !OF_ACCOUNTS.contains(&last.to_ascii_lowercase().as_str())
}

/// Where the last word of `accountBalance` begins.
fn last_hump(name: &str) -> Option<usize> {
    let at = name.rfind(|one: char| one.is_ascii_uppercase())?;
    name.get(..at)?.ends_with(|one: char| one.is_ascii_lowercase()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::left_out;

    #[test]
    fn names_are_left_out_and_words_are_not() {
        for name in
            ["src/bank/a.c", "account.py", "bank.rs:12", "bank::open", "account_balance", "bankCode", "/account"]
        {
            assert_eq!(left_out(&format!("x {name} 1")), "x   1", "{name}");
        }
        for word in
            ["account", "bank.", "account:", "a/c", "bank_account", "accountNumber", "account_no", "toAccount", "Bank"]
        {
            assert_eq!(left_out(&format!("x {word} 1")), format!("x {word} 1"), "{word}");
        }
    }
}
