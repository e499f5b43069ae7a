//! The closed set of what is found, and sets of it.

/// Defines the kinds once: variant, name in a token, and whether it is looked for when nothing is said.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $name:literal $default:literal,)*) => {
        /// What a finding is. The name stands in the token that takes its place: `[KR_RRN]`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$doc])* $variant,)*
        }

        impl Kind {
            /// Every kind, in the order of their definition.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in tokens and reports, for example `KR_RRN`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Whether the kind is looked for when no kinds are asked for.
            pub const fn on_by_default(self) -> bool {
                match self { $(Self::$variant => $default,)* }
            }
        }
    };
}

kinds! {
    /// Korean resident registration number, 6 + 7 digits.
    KrRrn "KR_RRN" true,
    /// Korean foreigner registration number: as the resident number, seventh digit 5 to 8.
    KrFrn "KR_FRN" true,
    /// Korean telephone number of a person: mobile, area code, internet and safe numbers.
    KrPhone "KR_PHONE" true,
    /// Korean bank account.
    KrBankAccount "KR_BANK_ACCOUNT" true,
    /// Korean business registration number; public data, so only on request.
    KrBrn "KR_BRN" false,
    /// Korean driver licence, 2-2-6-2 digits.
    KrDriverLicense "KR_DRIVER_LICENSE" true,
    /// Korean passport, next to a word that says so.
    KrPassport "KR_PASSPORT" true,
    /// E-mail address.
    Email "EMAIL" true,
    /// Payment card: issuer range, length and Luhn digit.
    CreditCard "CREDIT_CARD" true,
    /// International bank account number: country, length and check digits.
    Iban "IBAN" true,
    /// IPv4 or IPv6 address; only on request, because logs are made of them.
    IpAddress "IP_ADDRESS" false,
    /// Hardware address; only on request.
    MacAddress "MAC_ADDRESS" false,
    /// JSON web token, signed or encrypted.
    Jwt "JWT" true,
    /// Private key: the whole PEM block, also a truncated one.
    PrivateKey "PRIVATE_KEY" true,
    /// The password between `user:` and `@` of a URL.
    UrlPassword "URL_PASSWORD" true,
    /// `OpenAI` key.
    OpenaiKey "OPENAI_KEY" true,
    /// Anthropic key.
    AnthropicKey "ANTHROPIC_KEY" true,
    /// Identifier of an AWS access key.
    AwsAccessKey "AWS_ACCESS_KEY" true,
    /// GitHub token of every form.
    GithubToken "GITHUB_TOKEN" true,
    /// Slack token or incoming webhook.
    SlackToken "SLACK_TOKEN" true,
    /// Stripe secret or restricted key.
    StripeKey "STRIPE_KEY" true,
    /// Google API key, OAuth secret or access token.
    GoogleApiKey "GOOGLE_API_KEY" true,
    /// Hugging Face token.
    HfToken "HF_TOKEN" true,
    /// GitLab token.
    GitlabToken "GITLAB_TOKEN" true,
    /// npm token.
    NpmToken "NPM_TOKEN" true,
    /// Token of the Python package index.
    PypiToken "PYPI_TOKEN" true,
    /// Key of another provider, known by its prefix.
    ApiKey "API_KEY" true,
    /// The value that a name such as `password` or `token` is given.
    Secret "SECRET" true,
}

impl Kind {
    /// The kind of this name, or none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// What takes the place of a finding where nothing else is asked for: `[KR_RRN]`.
    pub fn token(self) -> String {
        format!("[{}]", self.name())
    }

    const fn bit(self) -> u64 {
        1 << self as u32
    }
}

/// A set of kinds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KindSet(u64);

impl KindSet {
    /// No kind.
    pub const EMPTY: Self = Self(0);

    /// Every kind, also those that are off by default.
    pub fn all() -> Self {
        Kind::ALL.iter().copied().collect()
    }

    /// Whether `kind` is in the set.
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 & kind.bit() != 0
    }

    /// The set with `kind` in it.
    #[must_use]
    pub const fn with(self, kind: Kind) -> Self {
        Self(self.0 | kind.bit())
    }
}

impl Default for KindSet {
    fn default() -> Self {
        Kind::ALL.iter().copied().filter(|kind| kind.on_by_default()).collect()
    }
}

impl FromIterator<Kind> for KindSet {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::EMPTY, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_read_back() {
        for &kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(Kind::from_name("KR_NAME"), None);
    }

    #[test]
    fn the_default_set_leaves_public_and_technical_kinds_out() {
        let off: Vec<Kind> = Kind::ALL.iter().copied().filter(|&kind| !KindSet::default().contains(kind)).collect();
        assert_eq!(off, [Kind::KrBrn, Kind::IpAddress, Kind::MacAddress]);
        assert!(KindSet::all().contains(Kind::KrBrn) && !KindSet::EMPTY.contains(Kind::KrBrn));
    }
}
