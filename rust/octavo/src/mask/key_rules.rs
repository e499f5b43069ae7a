//! The prefixes of keys, which are data.

use super::kind::Kind;

/// The characters of a key after its prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Alphabet {
    /// Hexadecimal digits.
    Hexadecimal,
    /// Letters and digits.
    Alphanumeric,
    /// Letters, digits, `_`, `-`.
    Key,
    /// The same and `.`.
    Dotted,
    /// The same as `Key` and `/`.
    Path,
    /// The same as `Path` and `@`.
    Hook,
    /// The same as `Key` and `$`.
    Dollar,
    /// The same as `Key`, and the signs of base64 and of percent-encoding.
    Encoded,
}

/// What tells a key from words behind the same prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Body {
    /// Nothing need: nobody writes words there.
    Any,
    /// Nothing but words that stand for a key is none: the prefix is of keys alone.
    Letters,
    /// A digit, or letters without a joint that are longer than words.
    Digit,
    /// A digit and letters of both cases: the prefix is short, and stands before words as well.
    Mixed,
}

/// One format of a key.
pub(super) struct Rule {
    /// What follows the first separator and belongs to the prefix.
    pub(super) rest: &'static str,
    pub(super) kind: Kind,
    pub(super) alphabet: Alphabet,
    /// Characters after the prefix, at least.
    pub(super) shortest: usize,
    /// What tells the body from words, which could be written in most alphabets.
    pub(super) body: Body,
    /// Whether the prefix is masked with the key. The address of a webhook stays.
    pub(super) whole: bool,
}

const fn rule(rest: &'static str, kind: Kind, alphabet: Alphabet, shortest: usize, body: Body) -> Rule {
    Rule { rest, kind, alphabet, shortest, body, whole: true }
}

const fn webhook(rest: &'static str, kind: Kind) -> Rule {
    Rule { rest, kind, alphabet: Alphabet::Path, shortest: 24, body: Digit, whole: false }
}

use Alphabet::{Alphanumeric, Dotted, Encoded, Hexadecimal, Key};
use Body::{Any, Digit, Letters, Mixed};
use Kind::{ApiKey, OpenaiKey};

const SK: &[Rule] = &[
    rule("ant-api03-", Kind::AnthropicKey, Key, 20, Letters),
    rule("ant-admin01-", Kind::AnthropicKey, Key, 20, Letters),
    rule("ant-oat01-", Kind::AnthropicKey, Key, 20, Letters),
    rule("ant-", Kind::AnthropicKey, Key, 28, Letters),
    rule("proj-", OpenaiKey, Key, 20, Letters),
    rule("svcacct-", OpenaiKey, Key, 20, Letters),
    rule("admin-", OpenaiKey, Key, 20, Letters),
    rule("service-", OpenaiKey, Key, 20, Letters),
    rule("None-", OpenaiKey, Key, 20, Letters),
    rule("or-v1-", ApiKey, Alphanumeric, 32, Digit),
    rule("or-", ApiKey, Key, 32, Digit),
    rule("lf-", ApiKey, Key, 32, Digit),
    rule("let-", ApiKey, Key, 32, Letters),
    rule("helicone-", ApiKey, Key, 28, Digit),
    rule("", OpenaiKey, Alphanumeric, 20, Letters),
];
const SK_UNDERSCORE: &[Rule] = &[
    rule("live_", Kind::StripeKey, Alphanumeric, 14, Any),
    rule("test_", Kind::StripeKey, Alphanumeric, 14, Any),
    rule("prod_", Kind::StripeKey, Alphanumeric, 14, Any),
    // ElevenLabs
    rule("", ApiKey, Alphanumeric, 40, Digit),
];
const STRIPE: &[Rule] = &[
    rule("live_", Kind::StripeKey, Alphanumeric, 14, Any),
    rule("test_", Kind::StripeKey, Alphanumeric, 14, Any),
    rule("prod_", Kind::StripeKey, Alphanumeric, 14, Any),
];
const WHSEC: &[Rule] = &[rule("", Kind::StripeKey, Alphanumeric, 24, Letters)];
const GITHUB: &[Rule] = &[rule("", Kind::GithubToken, Alphanumeric, 30, Any)];
const GITHUB_PAT: &[Rule] = &[rule("pat_", Kind::GithubToken, Key, 36, Letters)];
const SLACK: &[Rule] = &[rule("", Kind::SlackToken, Key, 16, Letters)];
const SLACK_ROTATED: &[Rule] =
    &[rule("xoxp-", Kind::SlackToken, Key, 16, Digit), rule("xoxb-", Kind::SlackToken, Key, 16, Digit)];
/// The value of Slack's cookie `d`, which is often percent-encoded.
const SLACK_COOKIE: &[Rule] = &[rule("", Kind::SlackToken, Encoded, 16, Digit)];
/// Sentry: JSON in base64, which everybody can read, then `_` and the secret.
const SENTRY: &[Rule] = &[rule("", ApiKey, Encoded, 20, Digit)];
const HOOKS: &[Rule] = &[
    webhook("slack.com/services/", Kind::SlackToken),
    webhook("slack.com/workflows/", Kind::SlackToken),
    webhook("slack.com/triggers/", Kind::SlackToken),
    Rule { shortest: 10, ..webhook("zapier.com/hooks/catch/", ApiKey) },
];
const TEAMS_HOOK: &[Rule] = &[Rule { alphabet: Alphabet::Hook, ..webhook("office.com/webhookb2/", ApiKey) }];
const DISCORD_HOOK: &[Rule] = &[webhook("com/api/webhooks/", ApiKey)];
const HF: &[Rule] = &[rule("", Kind::HfToken, Alphanumeric, 30, Any)];
const API_ORG: &[Rule] = &[rule("org_", Kind::HfToken, Alphanumeric, 30, Any)];
const GITLAB: &[Rule] = &[rule("", Kind::GitlabToken, Dotted, 16, Letters)];
const NPM: &[Rule] = &[rule("", Kind::NpmToken, Alphanumeric, 30, Any)];
const PYPI: &[Rule] = &[rule("AgE", Kind::PypiToken, Key, 32, Any)];
const GOOGLE_SECRET: &[Rule] = &[rule("", Kind::GoogleApiKey, Key, 24, Any)];
const GOOGLE_ACCESS: &[Rule] = &[rule("", Kind::GoogleApiKey, Dotted, 30, Digit)];
const AGE: &[Rule] = &[rule("SECRET-KEY-1", Kind::PrivateKey, Alphanumeric, 40, Any)];
const KNOWN_20: &[Rule] = &[rule("", ApiKey, Alphanumeric, 20, Letters)];
const LETTERS_20: &[Rule] = &[rule("", ApiKey, Alphanumeric, 20, Digit)];
const LETTERS_32: &[Rule] = &[rule("", ApiKey, Alphanumeric, 32, Digit)];
const KEY_20: &[Rule] = &[rule("", ApiKey, Key, 20, Digit)];
const KEY_32: &[Rule] = &[rule("", ApiKey, Key, 32, Digit)];
const DOTTED_40: &[Rule] = &[rule("", ApiKey, Dotted, 40, Digit)];
const V1: &[Rule] = &[rule("v1_", ApiKey, Alphanumeric, 32, Digit)];
const TOGETHER: &[Rule] = &[rule("v1_", ApiKey, Key, 32, Digit)];
const LINEAR: &[Rule] =
    &[rule("api_", ApiKey, Alphanumeric, 32, Letters), rule("oauth_", ApiKey, Alphanumeric, 32, Digit)];
const DOCKER: &[Rule] = &[rule("pat_", ApiKey, Key, 20, Letters), rule("oat_", ApiKey, Key, 20, Letters)];
/// Doppler.
const DOPPLER: &[Rule] = &[
    rule("pt.", ApiKey, Alphanumeric, 32, Any),
    rule("st.", ApiKey, Dotted, 32, Any),
    rule("ct.", ApiKey, Alphanumeric, 32, Any),
    rule("sa.", ApiKey, Alphanumeric, 32, Any),
    rule("scim.", ApiKey, Alphanumeric, 32, Any),
    rule("audit.", ApiKey, Alphanumeric, 32, Any),
];
const LSV2: &[Rule] = &[rule("pt_", ApiKey, Key, 32, Digit), rule("sk_", ApiKey, Key, 32, Digit)];
const SECRET: &[Rule] = &[rule("secret_", ApiKey, Key, 20, Digit)];
const PSCALE: &[Rule] = &[
    rule("tkn_", ApiKey, Key, 20, Letters),
    rule("pw_", ApiKey, Key, 20, Digit),
    rule("oauth_", ApiKey, Key, 20, Digit),
];

const ATLASSIAN: &[Rule] = &[rule("", ApiKey, Encoded, 40, Digit)];
const HUBSPOT: &[Rule] =
    &[rule("na1-", ApiKey, Key, 32, Digit), rule("na2-", ApiKey, Key, 32, Digit), rule("eu1-", ApiKey, Key, 32, Digit)];
const TAILSCALE: &[Rule] = &[
    rule("auth-", ApiKey, Key, 16, Digit),
    rule("api-", ApiKey, Key, 16, Digit),
    rule("client-", ApiKey, Key, 16, Digit),
];
const NAVER_CLOUD: &[Rule] = &[rule("iam_", ApiKey, Alphanumeric, 20, Digit)];
const PLAID: &[Rule] = &[
    rule("production-", ApiKey, Key, 36, Digit),
    rule("sandbox-", ApiKey, Key, 36, Digit),
    rule("development-", ApiKey, Key, 36, Digit),
];
const RAZORPAY: &[Rule] =
    &[rule("live_", ApiKey, Alphanumeric, 14, Letters), rule("test_", ApiKey, Alphanumeric, 14, Letters)];
const FLUTTERWAVE_TEST: &[Rule] = &[rule("TEST-", ApiKey, Key, 32, Digit)];
const AMAZON_MWS: &[Rule] = &[rule("mws.", ApiKey, Key, 36, Digit)];
/// Of a certificate authority at Cloudflare: 24 hexadecimal digits, a dash, and 146 more.
const CLOUDFLARE: &[Rule] = &[rule("0-", ApiKey, Key, 120, Digit)];
const BEDROCK: &[Rule] = &[rule("api-key-", ApiKey, Encoded, 40, Digit)];
const APIFY: &[Rule] = &[rule("api_", ApiKey, Alphanumeric, 30, Letters)];
const WANDB: &[Rule] = &[rule("v1_", ApiKey, Key, 40, Digit)];
const POLAR: &[Rule] = &[rule("oat_", ApiKey, Key, 32, Letters), rule("pat_", ApiKey, Key, 32, Letters)];
const CURSOR: &[Rule] = &[rule("", ApiKey, Hexadecimal, 64, Digit)];
const BROWSERBASE: &[Rule] = &[rule("live_", ApiKey, Key, 24, Digit), rule("test_", ApiKey, Key, 24, Digit)];
const SNYK: &[Rule] = &[rule("uat.", ApiKey, Dotted, 40, Digit), rule("sat.", ApiKey, Dotted, 40, Digit)];
const LANGSMITH_OLD: &[Rule] = &[rule("_", ApiKey, Alphanumeric, 32, Digit)];
const MONGO_ATLAS: &[Rule] = &[rule("sa_sk_", ApiKey, Key, 32, Letters)];
const PADDLE: &[Rule] = &[rule("live_apikey_", ApiKey, Key, 40, Digit), rule("sdbx_apikey_", ApiKey, Key, 40, Digit)];
const VK: &[Rule] = &[rule("a.", ApiKey, Key, 60, Mixed)];
/// `ClickUp`: `pk_`, the number of a user, `_`, and the key. Other keys that begin so are public.
const CLICKUP: &[Rule] = &[
    rule("1", ApiKey, Key, 36, Digit),
    rule("2", ApiKey, Key, 36, Digit),
    rule("3", ApiKey, Key, 36, Digit),
    rule("4", ApiKey, Key, 36, Digit),
    rule("5", ApiKey, Key, 36, Digit),
    rule("6", ApiKey, Key, 36, Digit),
    rule("7", ApiKey, Key, 36, Digit),
    rule("8", ApiKey, Key, 36, Digit),
    rule("9", ApiKey, Key, 36, Digit),
];
const FRAME_IO: &[Rule] = &[rule("u-", ApiKey, Key, 40, Digit)];
const SCALINGO: &[Rule] = &[rule("us-", ApiKey, Key, 40, Digit), rule("eu-", ApiKey, Key, 40, Digit)];
const OPENAI_SESSION: &[Rule] = &[rule("", OpenaiKey, Alphanumeric, 40, Letters)];
const MIXED_40: &[Rule] = &[rule("", ApiKey, Key, 40, Mixed)];
const MIXED_28: &[Rule] = &[rule("", ApiKey, Alphanumeric, 28, Mixed)];
const DUFFEL: &[Rule] = &[rule("live_", ApiKey, Key, 32, Digit), rule("test_", ApiKey, Key, 32, Digit)];
/// Braintree: `access_token$production$…`.
const BRAINTREE: &[Rule] = &[
    Rule { alphabet: Alphabet::Dollar, ..rule("token$production$", ApiKey, Key, 32, Digit) },
    Rule { alphabet: Alphabet::Dollar, ..rule("token$sandbox$", ApiKey, Key, 32, Digit) },
];
const NOTION: &[Rule] = &[rule("", ApiKey, Alphanumeric, 40, Digit)];
/// Toss Payments, and Lob.
const TOSS: &[Rule] = &[
    rule("gsk_docs_", ApiKey, Alphanumeric, 20, Digit),
    rule("sk_docs_", ApiKey, Alphanumeric, 20, Digit),
    rule("sk_", ApiKey, Alphanumeric, 20, Digit),
    rule("gsk_", ApiKey, Alphanumeric, 20, Digit),
    rule("", ApiKey, Hexadecimal, 35, Digit),
];
const ONE_PASSWORD: &[Rule] = &[rule("eyJ", ApiKey, Encoded, 60, Digit)];
/// Resend: eight characters, `_`, twenty-four. Shorter ones may be names of variables.
const KEY_RESEND: &[Rule] = &[rule("", ApiKey, Key, 32, Digit)];
const SHIPPO: &[Rule] =
    &[rule("live_", ApiKey, Alphanumeric, 32, Digit), rule("test_", ApiKey, Alphanumeric, 32, Digit)];
const DYNATRACE: &[Rule] = &[rule("", ApiKey, Dotted, 64, Digit)];
const MAPBOX: &[Rule] = &[rule("eyJ", ApiKey, Dotted, 40, Digit)];
const GOOGLE_AUTH: &[Rule] = &[rule("Ab8", Kind::GoogleApiKey, Key, 30, Digit)];

/// Words that prefixes begin with, and the formats of those prefixes.
type Heads = &'static [(&'static [&'static str], &'static [Rule])];

/// The formats whose prefix begins with this word and separator.
pub(super) fn rules(separator: u8, head: &str) -> &'static [Rule] {
    let found = heads(separator).iter().find(|(words, _)| words.contains(&head));
    found.map_or(&[], |(_, rules)| *rules)
}

fn heads(separator: u8) -> Heads {
    match separator {
        b'-' => DASHED,
        b'_' => UNDERSCORED,
        _ => DOTTED,
    }
}

/// Whether a word before this separator may end with these two bytes: most words in a text end otherwise.
pub(super) fn may_end(separator: u8, before: u8, last: u8) -> bool {
    let ends = match separator {
        b'-' => &DASHED_ENDS,
        b'_' => &UNDERSCORED_ENDS,
        _ => &DOTTED_ENDS,
    };
    ends.get(usize::from(before & 31)).is_some_and(|bits| bits >> (last & 31) & 1 != 0)
}

static DASHED_ENDS: [u32; 32] = ends(DASHED);
static UNDERSCORED_ENDS: [u32; 32] = ends(UNDERSCORED);
static DOTTED_ENDS: [u32; 32] = ends(DOTTED);

/// The last two bytes of the words, of each the five lower bits. A word has two bytes at least.
const fn ends(heads: Heads) -> [u32; 32] {
    let mut ends = [0; 32];
    let mut rows = heads;
    while let [(words, _), others @ ..] = rows {
        let mut words = *words;
        while let [word, rest @ ..] = words {
            if let [.., before, last] = word.as_bytes()
                && let Some((bits, _)) = ends.split_at_mut((*before & 31) as usize).1.split_first_mut()
            {
                *bits |= 1 << (*last & 31);
            }
            words = rest;
        }
        rows = others;
    }
    ends
}

const DASHED: Heads = &[
    (&["sk"], SK),
    (&["xoxa", "xoxb", "xoxc", "xoxe", "xoxo", "xoxp", "xoxr", "xoxs", "xapp"], SLACK),
    (&["xoxd"], SLACK_COOKIE),
    (
        &["glpat", "gldt", "glrt", "glptt", "glcbt", "glft", "glsoat", "glimt", "glagent", "gloas", "glffct", "glwt"],
        GITLAB,
    ),
    (&["pypi"], PYPI),
    (&["GOCSPX"], GOOGLE_SECRET),
    (&["AGE"], AGE),
    // xAI, Perplexity, Tavily, NVIDIA, Brevo, Anyscale, Square, Heroku, Contentful
    (&["xai", "pplx", "tvly", "nvapi", "xkeysib", "esecret", "sq0atp", "HRKU", "CFPAT", "NRII"], KEY_20),
    // New Relic
    (&["NRAK", "NRJS"], KNOWN_20),
    (&["ico", "dnkey", "da2", "p8e"], LETTERS_20),
    // Mailgun, Pulumi, Cerebras, Firecrawl
    (&["key", "pul", "csk", "fc"], LETTERS_32),
    // Postman, Square
    (&["PMAK", "sq0csp"], KEY_32),
    // HubSpot private apps, Tailscale
    (&["pat"], HUBSPOT),
    (&["tskey"], TAILSCALE),
    (&["access"], PLAID),
    // Flutterwave
    (&["FLWSECK"], KEY_32),
    (&["bedrock"], BEDROCK),
    // Voyage, mem0
    (&["pa", "m0"], MIXED_40),
    (&["fio"], FRAME_IO),
    (&["tk"], SCALINGO),
    (&["sess"], OPENAI_SESSION),
];

const UNDERSCORED: Heads = &[
    (&["ghp", "gho", "ghu", "ghs", "ghr"], GITHUB),
    (&["github"], GITHUB_PAT),
    (&["sk"], SK_UNDERSCORE),
    (&["ncp"], NAVER_CLOUD),
    (&["duffel"], DUFFEL),
    (&["access"], BRAINTREE),
    (&["rk"], STRIPE),
    (&["whsec"], WHSEC),
    (&["hf"], HF),
    (&["api"], API_ORG),
    (&["npm"], NPM),
    // Groq, Replicate, Pinecone, Figma, Notion, Supabase, Sentry, Grafana, RubyGems, Fireworks, Shopify, Netlify,
    // Vercel, Buildkite, SonarQube, PostHog, E2B, Jina, Adafruit, Readme, Infracost, Prefect
    (
        &[
            "sbp", "fw", "ntn", "shpat", "shpss", "shpca", "shppa", "nfp", "vcp", "bkua", "sqp", "sqa", "squ", "napi",
            "rnd", "crsr", "zpka", "cfat", "cfk", "phx", "e2b", "jina", "aio", "rdme", "ico", "pnu",
        ],
        LETTERS_20,
    ),
    (&["gsk", "r8"], KNOWN_20),
    (&["sntrys", "sntryu"], SENTRY),
    (&["rubygems"], LETTERS_32),
    (&["glsa", "pcsk", "figd", "glc"], KEY_20),
    (&["dop", "doo", "dor"], V1),
    (&["tgp"], TOGETHER),
    (&["lin"], LINEAR),
    (&["dckr"], DOCKER),
    // Notion (before `ntn_`), Toss Payments, 1Password service accounts
    (&["secret"], NOTION),
    (&["live", "test"], TOSS),
    (&["ops"], ONE_PASSWORD),
    // CircleCI, Sourcegraph, Typeform
    // Fly
    (&["fm2", "fm1r", "fm1a", "fo1"], ATLASSIAN),
    (&["CCIPAT", "sgp", "tfp", "CLOJARS", "CCDB1"], KEY_32),
    // Resend, Shippo
    (&["re"], KEY_RESEND),
    (&["shippo"], SHIPPO),
    (&["lsv2"], LSV2),
    (&["ls"], LANGSMITH_OLD),
    (&["rzp"], RAZORPAY),
    (&["FLWSECK"], FLUTTERWAVE_TEST),
    // Upstage
    (&["up"], MIXED_28),
    (&["apify"], APIFY),
    (&["wandb"], WANDB),
    (&["polar"], POLAR),
    (&["key"], CURSOR),
    (&["bb"], BROWSERBASE),
    (&["snyk"], SNYK),
    (&["pk"], CLICKUP),
    (&["mdb"], MONGO_ATLAS),
    (&["pdl"], PADDLE),
    // Unkey, Honeycomb, Cloudflare
    (&["unkey", "hcaik", "hcbik", "hcxik", "cfut"], LETTERS_20),
    (&["sb"], SECRET),
    (&["pscale"], PSCALE),
];

const DOTTED: Heads = &[
    // SendGrid, Dropbox, HashiCorp Vault
    (&["SG", "sl"], DOTTED_40),
    (&["hvs", "hvb", "hvr"], KEY_20),
    (&["dp"], DOPPLER),
    // Mapbox, Google's new keys, Dynatrace
    (&["sk"], MAPBOX),
    (&["AQ"], GOOGLE_AUTH),
    (&["dt0c01", "dt0s01"], DYNATRACE),
    (&["ya29"], GOOGLE_ACCESS),
    (&["amzn"], AMAZON_MWS),
    (&["v1"], CLOUDFLARE),
    (&["vk1"], VK),
    (&["hooks"], HOOKS),
    (&["webhook"], TEAMS_HOOK),
    (&["xoxe"], SLACK_ROTATED),
    (&["discord", "discordapp"], DISCORD_HOOK),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_may_end_as_it_does() {
        let mut seen = 0;
        for separator in [b'-', b'_', b'.'] {
            for word in heads(separator).iter().flat_map(|(words, _)| *words) {
                let ends = word.as_bytes().last_chunk().is_some_and(|&[before, last]| may_end(separator, before, last));
                assert!(ends && !rules(separator, word).is_empty(), "{word}");
                seen += 1;
            }
            assert!(!may_end(separator, b'j', b'j'));
        }
        assert!(seen > 100, "{seen}");
    }
}
