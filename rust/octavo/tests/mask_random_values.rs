//! Random values under the names of secrets that machines make, and what else stands under such names.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod marked;

use marked::{check, mask, unchanged};

const FRAMES: &[&str] = &[
    "client_secret=¤\n",
    "JWT_SECRET=¤\n",
    "API_KEY=¤",
    "\"SecretAccessKey\": \"¤\"",
    "{\"secret\": \"¤\"}",
    "access_token: ¤\n",
    "token = '¤'",
    "SECRET_KEY=\"¤\"",
    "시크릿 키: ¤\n",
];

/// Random letters, the same in every run.
struct Letters(u64);

impl Letters {
    fn value(&mut self, length: usize, alphabet: &str) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        let count = u64::try_from(alphabet.len()).unwrap();
        let mut next = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            *alphabet.get(usize::try_from((self.0 >> 11) % count).unwrap()).unwrap()
        };
        (0..length).map(|_| next()).collect()
    }
}

#[test]
fn random_values_of_twelve_signs_and_more_are_found() {
    let both = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let digits = format!("{both}0123456789");
    let signs = format!("{digits}!@#$%^&*");
    let mut letters = Letters(2026);
    let (mut all_left, mut all) = (0, 0);
    for (name, alphabet) in [("letters", both), ("letters and digits", &digits), ("signs", &signs)] {
        for length in [12, 16, 20, 32] {
            let (mut left, mut seen) = (Vec::new(), 0);
            for at in 0..900 {
                let value = letters.value(length, alphabet);
                let text = FRAMES.get(at % FRAMES.len()).unwrap().replace('¤', &value);
                let masked = mask(&text);
                seen += 1;
                if !masked.contains("[SECRET]") || masked.contains(&value[length - 4..]) {
                    left.push(format!("{text} became {masked}"));
                }
            }
            let first: Vec<_> = left.iter().take(12).cloned().collect();
            // Twelve letters without digits or signs are the hardest: 21 of 900.
            assert!(left.len() * 40 <= seen, "{name} {length}: {} of {seen}\n{}", left.len(), first.join("\n"));
            all_left += left.len();
            all += seen;
        }
    }
    assert!(all > 10_000 && all_left * 100 <= all, "{all_left} of {all}");
}

#[test]
fn values_that_somebody_met() {
    check(
        "SECRET",
        &[
            "client_secret=«pjFBReidNc*a»",
            "client_secret=«f8UMs@IPxgI»&",
            "API_KEY=«^iYgf%ismAQdqkIHe&X6»",
            "JWT_SECRET=«Jj@spdpcoyLb»",
            "JWT_SECRET=«BtTKxrPiujxKzkaWRfiPRIXpXoThgFSw»",
            "\"SecretAccessKey\": \"«NHAxtdBw1OEcxOLc»\"",
            "API_KEY=«dUAyHtoCrDZdCJog»",
            "{\"client_secret\":\"«zz11yy22xx33»\"}",
        ],
    );
}

/// Words, names, places, types, code: what stands under such a name and is no value.
#[test]
fn what_a_secret_is_called_or_read_from_stays() {
    unchanged(&[
        "client_secret=settings.SECRET",
        "API_KEY=os.environ[\"API_KEY\"]",
        "token: string",
        "secret=kubernetes-dashboard-certs",
        "JWT_SECRET=changeme_in_production",
        "SECRET_KEY=your-secret-key-here",
        "client_secret: ClientSecretCredential",
        "\"token\": \"continue_from_here\"",
        "\"secret\": \"projects/my-project/secrets/db/versions/latest\"",
        "api_key = getattr(settings, name)",
        "token = tokenizer.next_token()",
        "secret: arn:aws:secretsmanager:eu-west-1:x",
        "token=HTTPSConnectionPool",
        "api_key: Optional[SecretStr]",
        "secret = JWTBearerToken",
        "token: IdentifierToken",
        "API_KEY=${API_KEY}",
        "token_type: Bearer",
        "secret: {{ .Values.clientSecret }}",
        "API_KEY=<your-api-key>",
        "secret: app/config/parameters.yaml",
        "access_token=access_token&expires_in=3600",
        "token == expected_token_value",
    ]);
}
