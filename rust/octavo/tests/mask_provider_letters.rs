//! Keys of providers whose bodies have no digit, or begin with a sign: the prefix says what they are.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod marked;

use marked::{mask, unchanged};

/// Letters in the order of the alphabet, as examples have them, in one case and in both.
fn bodies(length: usize) -> Vec<String> {
    let small: String = ('a'..='z').cycle().take(length).collect();
    let both = small.char_indices().map(|(at, one)| if at % 2 == 0 { one } else { one.to_ascii_uppercase() });
    vec![small.clone(), small.to_ascii_uppercase(), both.collect()]
}

const FRAMES: &[&str] =
    &["¤", "key=¤", "\"¤\"", "키는 ¤입니다.", "use ¤, then", "{\"a\": \"¤\"}", "(¤)", "export X=¤\n"];

fn masks_whole(key: &str, kind: &str) {
    for frame in FRAMES {
        assert_eq!(mask(&frame.replace('¤', key)), frame.replace('¤', &format!("[{kind}]")), "{frame} of {key}");
    }
}

#[test]
fn a_prefix_and_its_length_are_enough() {
    for (prefix, length, kind) in [
        ("glpat-", 20, "GITLAB_TOKEN"),
        ("gldt-", 20, "GITLAB_TOKEN"),
        ("sk-proj-", 48, "OPENAI_KEY"),
        ("sk-svcacct-", 48, "OPENAI_KEY"),
        ("sk-", 48, "OPENAI_KEY"),
        ("sk-", 20, "OPENAI_KEY"),
        ("sk-ant-api03-", 93, "ANTHROPIC_KEY"),
        ("sk-ant-admin01-", 93, "ANTHROPIC_KEY"),
        ("sk-or-v1-", 64, "API_KEY"),
        ("github_pat_", 82, "GITHUB_TOKEN"),
        ("xoxb-", 40, "SLACK_TOKEN"),
        ("gsk_", 52, "API_KEY"),
        ("r8_", 37, "API_KEY"),
        ("pplx-", 48, "API_KEY"),
        ("xai-", 80, "API_KEY"),
        ("nvapi-", 64, "API_KEY"),
        ("tvly-", 32, "API_KEY"),
        ("whsec_", 32, "STRIPE_KEY"),
        ("lin_api_", 40, "API_KEY"),
        ("dckr_pat_", 27, "API_KEY"),
        ("hvs.", 90, "API_KEY"),
        ("figd_", 40, "API_KEY"),
        ("NRAK-", 27, "API_KEY"),
    ] {
        for body in bodies(length) {
            masks_whole(&format!("{prefix}{body}"), kind);
        }
    }
}

#[test]
fn a_body_may_begin_with_a_sign() {
    for (key, kind) in [
        ("glpat-_93bd6FDlyTuA67J6BBY", "GITLAB_TOKEN"),
        ("glpat--fA6T63FF6hlH-0Wqqxc", "GITLAB_TOKEN"),
        ("SG.-_d-GfCjqtr0XSV_iBysTB.POtZ93bd6FDlyTuA67J6BBY0123456789abcdefghijk", "API_KEY"),
        ("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", "GOOGLE_API_KEY"),
        ("sl.-L93bd6FDlyTuA67J6BBY93bd6FDlyTuA67J6BBY", "API_KEY"),
        ("hvb._693bd6FDlyTuA67J6BBY", "API_KEY"),
        ("sq0atp--93bd6FDlyTuA67J6BBY", "API_KEY"),
        ("CFPAT--93bd6FDlyTuA67J6BBY93bd6FDlyTuA67J6BBY", "API_KEY"),
        ("figd__93bd6FDlyTuA67J6BBY93bd6FDlyTuA67J6BBY", "API_KEY"),
        ("sk-proj-_93bd6FDlyTuA67J6BBY93bd6FDlyTuA67J6BBY", "OPENAI_KEY"),
    ] {
        masks_whole(key, kind);
    }
}

/// Bodies of the right alphabet, the same in every run.
#[test]
fn random_keys_are_found() {
    let mut state: u64 = 7;
    let mut next = |alphabet: &str| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let count = u64::try_from(alphabet.len()).unwrap();
        alphabet.chars().nth(usize::try_from((state >> 11) % count).unwrap()).unwrap()
    };
    let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let signs = format!("{letters}-_");
    let (mut left, mut seen) = (Vec::new(), 0);
    for (prefix, length, alphabet) in [
        ("glpat-", 20, signs.as_str()),
        ("GOCSPX-", 28, &signs),
        ("gsk_", 52, letters),
        ("r8_", 37, letters),
        ("NRII-", 32, &signs),
        ("GR1348941", 20, &signs),
        ("tgp_v1_", 43, &signs),
        ("sk-ant-api03-", 93, &signs),
        ("nvapi-", 64, &signs),
    ] {
        for at in 0..400 {
            let body: String = (0..length).map(|_| next(alphabet)).collect();
            let key = format!("{prefix}{body}");
            let masked = mask(&FRAMES.get(at % FRAMES.len()).unwrap().replace('¤', &key));
            seen += 1;
            if masked.contains(&body[length - 6..]) || masked.contains(&body[..8]) {
                left.push(format!("{key} became {masked}"));
            }
        }
    }
    assert!(seen > 3_000);
    assert!(left.len() * 500 < seen, "{} of {seen}\n{}", left.len(), left.join("\n"));
}

#[test]
fn what_stands_for_a_key_stays() {
    unchanged(&[
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "sk-proj-XXXXXXXXXXXXXXXXXXXXXXXX",
        "glpat-xxxxxxxxxxxxxxxxxxxx",
        "sk-ant-api03-your-api-key-goes-here-please",
        "sk-ant-api03-<your key>",
        "sk-ant-api03-...",
        "sk-your-key-here",
        "sk-proj-your-openai-api-key-here",
        "sk-yourapikeyherereplaceit",
        "glpat-your-access-token-here",
        "glpat-REPLACE_WITH_YOUR_TOKEN",
        "xoxb-your-slack-bot-token",
        "github_pat_your_personal_access_token_goes_here_please",
        "gsk_container_node_new_for_children",
        "sk-container-id-one-two-three",
        "fw_download_firmware_image_from_server",
        "xai-explainable-artificial-intelligence",
        "key-value-store-with-many-entries-of-each",
        "sk-estimator-doc-link",
    ]);
}
