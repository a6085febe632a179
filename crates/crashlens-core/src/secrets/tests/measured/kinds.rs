//! Kinds of secrets to plant. They are put together from pieces while the tests run, so that nothing in the repository looks
//! like a token. Lengths and alphabets are those of the vendors, not those of the patterns.

use super::chance::Chance;

const DIGITS: &str = "0123456789";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const URL_SAFE: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
const BASE64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
const BECH32: &str = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
const SYMBOLS: &str = "abcdefghijkmnopqrstuvwxyz!$*^#~";

/// A piece of a secret.
pub(super) enum Piece {
    /// As it is.
    Fixed(&'static str),
    /// Characters of an alphabet, and their number.
    Random(&'static str, usize),
}

use Piece::{Fixed as F, Random as R};

pub(super) enum Form {
    /// Recognised wherever it stands; planted without any telling name.
    Shape,
    /// Looks like anything; planted after its name.
    Named(&'static str),
    /// Recognised by the words around it.
    Phrase(&'static str, &'static str),
}

pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pieces: &'static [Piece],
}

/// A secret, and the parts of it that must not be seen.
pub(super) struct Planted {
    pub(super) text: String,
    random: Vec<String>,
}

impl Kind {
    pub(super) fn plant(&self, chance: &mut Chance) -> Planted {
        let mut text = String::new();
        let mut random = Vec::new();
        for piece in self.pieces {
            match piece {
                F(fixed) => text.push_str(fixed),
                R(alphabet, length) => {
                    let part = chance.text(alphabet, *length);
                    text.push_str(&part);
                    random.push(part);
                }
            }
        }
        Planted { text, random }
    }
}

impl Planted {
    /// Whether `shown` has enough of the secret to be of use.
    pub(super) fn leaks_into(&self, shown: &str) -> bool {
        const ENOUGH: usize = 6;
        self.random.iter().any(|part| {
            let length = part.len().min(ENOUGH);
            (0..=part.len() - length).any(|at| shown.contains(&part[at..at + length]))
        })
    }
}

macro_rules! kinds {
    ($($name:literal $form:expr => $($piece:expr),+;)+) => {
        &[$(Kind { name: $name, form: $form, pieces: &[$($piece),+] },)+]
    };
}

use Form::{Named as N, Phrase as P, Shape as S};

pub(super) static KINDS: &[Kind] = kinds! {
    "GitHub personal token" S => F("gh"), F("p_"), R(ALNUM, 36);
    "GitHub OAuth token" S => F("gh"), F("o_"), R(ALNUM, 36);
    "GitHub server token" S => F("gh"), F("s_"), R(ALNUM, 36);
    "GitHub fine-grained token" S => F("github"), F("_pat_"), R(ALNUM, 22), F("_"), R(ALNUM, 59);
    "GitLab personal token" S => F("gl"), F("pat-"), R(URL_SAFE, 20);
    "GitLab runner token" S => F("gl"), F("rt-"), R(URL_SAFE, 20);
    "GitLab deploy token" S => F("gl"), F("dt-"), R(URL_SAFE, 20);
    "Hugging Face token" S => F("h"), F("f_"), R(LETTERS, 34);
    "Hugging Face organization token" S => F("api"), F("_org_"), R(LETTERS, 34);
    "OpenAI project key" S => F("sk"), F("-proj-"), R(URL_SAFE, 74), F("T3Bl"), F("bkFJ"), R(URL_SAFE, 74);
    "OpenAI key" S => F("s"), F("k-"), R(ALNUM, 20), F("T3Bl"), F("bkFJ"), R(ALNUM, 20);
    "Anthropic key" S => F("sk"), F("-ant-"), F("api03-"), R(URL_SAFE, 93), F("AA");
    "AWS access key id" S => F("AK"), F("IA"), R(UPPER, 16);
    "AWS session key id" S => F("AS"), F("IA"), R(UPPER, 16);
    "AWS Bedrock key" S => F("AB"), F("SK"), R(BASE64, 120), F("=");
    "Google API key" S => F("AI"), F("za"), R(URL_SAFE, 35);
    "Google access token" S => F("ya"), F("29."), R(URL_SAFE, 60);
    "Google client secret" S => F("GOC"), F("SPX-"), R(URL_SAFE, 28);
    "Azure client secret" S => R(ALNUM, 3), F("8"), F("Q~"), R(ALNUM, 34);
    "Slack bot token" S => F("xo"), F("xb-"), R(DIGITS, 12), F("-"), R(DIGITS, 12), F("-"), R(ALNUM, 24);
    "Slack app token" S => F("xa"), F("pp-1-"), R(UPPER, 11), F("-"), R(DIGITS, 13), F("-"), R(HEX, 64);
    "Discord bot token" S => F("M"), R(ALNUM, 23), F("."), R(URL_SAFE, 6), F("."), R(URL_SAFE, 38);
    "Telegram bot token" S => R(DIGITS, 10), F(":"), F("A"), R(URL_SAFE, 34);
    "Stripe secret key" S => F("sk"), F("_live_"), R(ALNUM, 24);
    "Stripe restricted key" S => F("rk"), F("_test_"), R(ALNUM, 24);
    "Stripe webhook secret" S => F("wh"), F("sec_"), R(ALNUM, 32);
    "SendGrid key" S => F("S"), F("G."), R(URL_SAFE, 22), F("."), R(URL_SAFE, 43);
    "Twilio key" S => F("S"), F("K"), R(HEX, 32);
    "Mailgun key" S => F("ke"), F("y-"), R(HEX, 32);
    "Mailchimp key" S => R(HEX, 32), F("-us"), F("14");
    "DigitalOcean token" S => F("do"), F("p_v1_"), R(HEX, 64);
    "Databricks token" S => F("da"), F("pi"), R(HEX, 32);
    "Replicate token" S => F("r"), F("8_"), R(ALNUM, 37);
    "Vault token" S => F("hv"), F("s."), R(URL_SAFE, 95);
    "Terraform Cloud token" S => R(ALNUM, 14), F(".atl"), F("asv1."), R(ALNUM, 67);
    "age secret key" S => F("AGE-SEC"), F("RET-KEY-1"), R(BECH32, 58);
    "npm token" S => F("np"), F("m_"), R(ALNUM, 36);
    "PyPI token" S => F("py"), F("pi-AgEIc"), F("HlwaS5vcmc"), R(URL_SAFE, 130);
    "RubyGems key" S => F("ruby"), F("gems_"), R(HEX, 48);
    "JSON web token" S => F("ey"), F("J"), R(ALNUM, 33), F(".ey"), F("J"), R(URL_SAFE, 60), F("."), R(URL_SAFE, 43);
    "Notion token" S => F("nt"), F("n_"), R(DIGITS, 11), R(ALNUM, 35);
    "Linear key" S => F("lin"), F("_api_"), R(ALNUM, 40);
    "Shopify token" S => F("shp"), F("at_"), R(HEX, 32);
    "Doppler token" S => F("dp"), F(".pt."), R(ALNUM, 43);
    "Pulumi token" S => F("pu"), F("l-"), R(HEX, 40);
    "Grafana token" S => F("gl"), F("sa_"), R(ALNUM, 32), F("_"), R(HEX, 8);
    "Sentry token" S => F("snt"), F("ryu_"), R(HEX, 64);
    "Postman key" S => F("PM"), F("AK-"), R(HEX, 24), F("-"), R(HEX, 34);
    "Heroku key" S => F("HR"), F("KU-AA"), R(URL_SAFE, 58);
    "Atlassian token" S => F("AT"), F("ATT3x"), R(URL_SAFE, 186);
    "Docker token" S => F("dckr"), F("_pat_"), R(URL_SAFE, 27);
    "Perplexity key" S => F("pp"), F("lx-"), R(ALNUM, 48);
    "Groq key" S => F("gs"), F("k_"), R(ALNUM, 52);
    "NVIDIA key" S => F("nv"), F("api-"), R(URL_SAFE, 64);
    "Tailscale key" S => F("ts"), F("key-auth-"), R(ALNUM, 17), F("-"), R(ALNUM, 32);
    "Square token" S => F("sq0"), F("atp-"), R(URL_SAFE, 22);
    "PlanetScale token" S => F("pscale"), F("_tkn_"), R(URL_SAFE, 43);
    "Supabase token" S => F("sb"), F("p_"), R(HEX, 40);
    "New Relic key" S => F("NR"), F("AK-"), R(UPPER, 27);
    "Airtable token" S => F("pa"), F("t"), R(ALNUM, 14), F("."), R(HEX, 64);
    "Dynatrace token" S => F("dt0"), F("c01."), R(UPPER, 24), F("."), R(UPPER, 64);
    "Artifactory key" S => F("AK"), F("Cp"), R(ALNUM, 69);
    "private key" S => F("-----BEGIN PRI"), F("VATE KEY----- "), R(BASE64, 64), F(" -----END PRI"), F("VATE KEY-----");
    "password of lower-case letters" N("password") => R(LOWER, 11);
    "password with symbols" N("db_password") => R(SYMBOLS, 12);
    "PGPASSWORD" N("PGPASSWORD") => R(LOWER, 9);
    "MYSQL_PWD" N("MYSQL_PWD") => R(LOWER, 9);
    "userpassword" N("userpassword") => R(LOWER, 9);
    "userpass" N("userpass") => R(LOWER, 9);
    "dbpw" N("dbpw") => R(LOWER, 9);
    "creds" N("creds") => R(LOWER, 9);
    "jwt of another form" N("jwt") => R(ALNUM, 20);
    "one-time password" N("otp") => R(DIGITS, 6);
    "session cookie" N("session_cookie") => R(LOWER, 20);
    "access token of another form" N("access_token") => R(LOWER, 18);
    "bearer" N("bearer") => R(LOWER, 18);
    "AWS secret key" N("aws_secret_access_key") => R(BASE64, 40);
    "Weights & Biases key" N("wandb_api_key") => R(HEX, 40);
    "Twilio auth token" N("TWILIO_AUTH_TOKEN") => R(HEX, 32);
    "SAS signature" N("sig") => R(ALNUM, 20), F("%2B"), R(ALNUM, 20), F("%3D");
    "X-Amz-Signature" N("X-Amz-Signature") => R(HEX, 64);
    "token" N("token") => R(ALNUM, 32);
    "Azure account key" P("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", ";EndpointSuffix=core") => R(BASE64, 86), F("==");
    "Slack webhook" P("https://hooks.slack.com/services/", "") => F("T"), R(UPPER, 10), F("/B"), R(UPPER, 10), F("/"), R(ALNUM, 24);
    "Discord webhook" P("https://discord.com/api/webhooks/1234567890/", "") => R(URL_SAFE, 68);
    "URL with password" P("postgres://me:", "@db.example.com/x") => R(LOWER, 10);
    "URL with / and @ in its password" P("postgres://me:", "@db.example.com/x") => R(LOWER, 6), F("/"), R(LOWER, 6), F("@"), R(LOWER, 6);
    "URL with token" P("https://", "@git.example.com/a/b") => R(ALNUM, 40);
    "Authorization header" P("Authorization: Bearer ", "") => R(LOWER, 24);
    "basic authorization" P("Authorization: Basic ", "") => R(ALNUM, 18), F("==");
    "Cookie header" P("Cookie: theme=dark; session=", "") => R(LOWER, 24);
    ".netrc" P("machine api.example.com login me password ", "") => R(LOWER, 10);
    "curl -u" P("curl -sS -u me:", " https://example.com") => R(LOWER, 10);
    "sshpass -p" P("sshpass -p ", " ssh me@host") => R(LOWER, 10);
    "mysql -p" P("mysql -uroot -p", " db") => R(LOWER, 10);
};
