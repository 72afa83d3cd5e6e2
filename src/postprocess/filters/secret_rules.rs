//! The shapes of keys and tokens.
//!
//! Facts (prefix, alphabet, length) after the default rules of gitleaks (github.com/gitleaks/gitleaks,
//! `config/gitleaks.toml`, July 2026, MIT), whose rule ids the names are; only rules that a fixed prefix makes certain.

/// The characters that follow a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// `0-9a-f`, either case.
    Hex,
    /// `A-Z0-9`.
    Upper,
    /// `A-Za-z0-9`.
    Alphanumeric,
    /// `A-Za-z0-9_-`.
    Word,
    /// `A-Za-z0-9_.=+/-`.
    Any,
}

impl Alphabet {
    /// Whether a byte is in it.
    pub fn contains(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            Self::Any => byte.is_ascii_alphanumeric() || b"_.=+/-".contains(&byte),
        }
    }
}

/// Name, prefix, alphabet of the rest, least length of the rest in bytes.
pub(super) type Rule = (&'static str, &'static str, Alphabet, usize);

/// The rules, sorted by name.
pub(super) const RULES: &[Rule] = {
    use Alphabet::{Alphanumeric, Any, Hex, Upper, Word};
    &[
        ("1password-service-account-token", "ops_eyJ", Any, 250),
        ("adobe-client-secret", "p8e-", Alphanumeric, 32),
        ("age-secret-key", "AGE-SECRET-KEY-1", Upper, 58),
        ("alibaba-access-key-id", "LTAI", Alphanumeric, 20),
        ("anthropic-admin-api-key", "sk-ant-admin01-", Word, 93),
        ("anthropic-api-key", "sk-ant-api03-", Word, 93),
        ("artifactory-api-key", "AKCp", Alphanumeric, 69),
        ("aws-access-token", "ABIA", Upper, 16),
        ("aws-access-token", "ACCA", Upper, 16),
        ("aws-access-token", "AKIA", Upper, 16),
        ("aws-access-token", "ASIA", Upper, 16),
        ("aws-amazon-bedrock-api-key-long-lived", "ABSK", Any, 109),
        ("clojars-api-token", "CLOJARS_", Alphanumeric, 60),
        ("databricks-api-token", "dapi", Hex, 32),
        ("digitalocean-access-token", "doo_v1_", Hex, 64),
        ("digitalocean-pat", "dop_v1_", Hex, 64),
        ("digitalocean-refresh-token", "dor_v1_", Hex, 64),
        ("doppler-api-token", "dp.pt.", Alphanumeric, 43),
        ("duffel-api-token", "duffel_live_", Any, 43),
        ("dynatrace-api-token", "dt0c01.", Any, 89),
        ("easypost-api-token", "EZAK", Alphanumeric, 54),
        ("flyio-access-token", "fo1_", Word, 43),
        ("frameio-api-token", "fio-u-", Any, 64),
        ("gcp-api-key", "AIza", Word, 35),
        ("github-app-token", "ghs_", Alphanumeric, 36),
        ("github-app-token", "ghu_", Alphanumeric, 36),
        ("github-fine-grained-pat", "github_pat_", Word, 82),
        ("github-oauth", "gho_", Alphanumeric, 36),
        ("github-pat", "ghp_", Alphanumeric, 36),
        ("github-refresh-token", "ghr_", Alphanumeric, 36),
        ("gitlab-deploy-token", "gldt-", Word, 20),
        ("gitlab-kubernetes-agent-token", "glagent-", Word, 50),
        ("gitlab-oauth-app-secret", "gloas-", Word, 64),
        ("gitlab-pat", "glpat-", Word, 20),
        ("gitlab-ptt", "glptt-", Hex, 40),
        ("gitlab-rrt", "GR1348941", Word, 20),
        ("gitlab-runner-authentication-token", "glrt-", Word, 20),
        ("grafana-cloud-api-token", "glc_", Any, 32),
        ("grafana-service-account-token", "glsa_", Word, 41),
        ("heroku-api-key-v2", "HRKU-AA", Word, 58),
        ("huggingface-access-token", "hf_", Alphanumeric, 34),
        ("infracost-api-token", "ico-", Alphanumeric, 32),
        ("linear-api-key", "lin_api_", Alphanumeric, 40),
        ("notion-api-token", "ntn_", Alphanumeric, 46),
        ("npm-access-token", "npm_", Alphanumeric, 36),
        ("octopus-deploy-api-key", "API-", Upper, 26),
        ("openai-api-key", "sk-", Alphanumeric, 48),
        ("openai-api-key", "sk-admin-", Word, 100),
        ("openai-api-key", "sk-proj-", Word, 100),
        ("openai-api-key", "sk-svcacct-", Word, 100),
        ("openshift-user-token", "sha256~", Word, 43),
        ("perplexity-api-key", "pplx-", Alphanumeric, 48),
        ("planetscale-api-token", "pscale_tkn_", Any, 32),
        ("planetscale-oauth-token", "pscale_oauth_", Any, 32),
        ("planetscale-password", "pscale_pw_", Any, 32),
        ("postman-api-token", "PMAK-", Word, 59),
        ("prefect-api-token", "pnu_", Alphanumeric, 36),
        ("pulumi-api-token", "pul-", Hex, 40),
        ("pypi-upload-token", "pypi-AgEIcHlwaS5vcmc", Word, 50),
        ("readme-api-token", "rdme_", Alphanumeric, 70),
        ("rubygems-api-token", "rubygems_", Hex, 48),
        ("sendgrid-api-token", "SG.", Any, 66),
        ("sendinblue-api-token", "xkeysib-", Word, 81),
        ("sentry-org-token", "sntrys_eyJpYXQiO", Any, 40),
        ("sentry-user-token", "sntryu_", Hex, 64),
        ("shippo-api-token", "shippo_live_", Hex, 40),
        ("shopify-access-token", "shpat_", Hex, 32),
        ("shopify-custom-access-token", "shpca_", Hex, 32),
        ("shopify-private-app-access-token", "shppa_", Hex, 32),
        ("shopify-shared-secret", "shpss_", Hex, 32),
        ("slack-app-token", "xapp-", Word, 32),
        ("slack-bot-token", "xoxb-", Word, 24),
        ("slack-config-access-token", "xoxe.xox", Any, 100),
        ("slack-legacy-token", "xoxo-", Word, 24),
        ("slack-legacy-token", "xoxs-", Word, 24),
        ("slack-legacy-workspace-token", "xoxa-", Word, 24),
        ("slack-legacy-workspace-token", "xoxr-", Word, 24),
        ("slack-user-token", "xoxp-", Word, 24),
        ("slack-webhook-url", "hooks.slack.com/services/", Any, 43),
        ("square-access-token", "EAAA", Word, 60),
        ("square-access-token", "sq0atp-", Word, 22),
        ("stripe-access-token", "rk_live_", Alphanumeric, 16),
        ("stripe-access-token", "rk_prod_", Alphanumeric, 16),
        ("stripe-access-token", "rk_test_", Alphanumeric, 16),
        ("stripe-access-token", "sk_live_", Alphanumeric, 16),
        ("stripe-access-token", "sk_prod_", Alphanumeric, 16),
        ("stripe-access-token", "sk_test_", Alphanumeric, 16),
        ("twilio-api-key", "SK", Hex, 32),
        ("vault-batch-token", "hvb.", Word, 138),
        ("vault-service-token", "hvs.", Word, 90),
    ]
};

/// Parts of names whose values are secrets (gitleaks: `generic-api-key`), sorted.
pub(super) const SECRET_NAMES: &[&str] = &[
    "access_key",
    "accesskey",
    "api_key",
    "apikey",
    "auth",
    "credential",
    "passwd",
    "password",
    "secret",
    "token",
];
