mod measured;

use proptest::prelude::*;

use super::*;

/// A token put together from pieces, so that nothing in the repository looks like one.
fn token(pieces: &[&str]) -> String {
    pieces.concat()
}

#[test]
fn secrets_in_a_line_are_masked_and_their_surroundings_stay() {
    let cases = [
        ("password=hunter2", "password=[masked]"),
        (
            "error: password=hunter2, retrying",
            "error: password=[masked], retrying",
        ),
        (
            "{\"db_password\": \"a b c\", \"port\": 5432}",
            "{\"db_password\": \"[masked]\", \"port\": 5432}",
        ),
        (
            "+ mysql --password hunter2 db",
            "+ mysql --password [masked] db",
        ),
        (
            "GET /?token=0a1b2c3d4e5f60718293&x=1",
            "GET /?token=[masked]&x=1",
        ),
        (
            "pip https://me:s3cret@host/simple",
            "pip https://me:[masked]@host/simple",
        ),
        (
            "Authorization: Bearer abc.def-ghi_jkl",
            "Authorization: Bearer [masked]",
        ),
        (
            "authorization: Basic dXNlcjpwYXNzd29yZA==",
            "authorization: Basic [masked]",
        ),
        (
            "WANDB_API_KEY=0123456789012345678901234567890123456789",
            "WANDB_API_KEY=[masked]",
        ),
        ("secret: 'ä ö', more", "secret: '[masked]', more"),
        ("if password == \"a b\":", "if password == \"[masked]\":"),
        ("password = b'a b'", "password = b'[masked]'"),
        ("password: str = \"a b\"", "password: str = \"[masked]\""),
        (
            "password = \"\"\"a b\"\"\"",
            "password = \"\"\"[masked]\"\"\"",
        ),
        (r#"password="a\"b c", x"#, r#"password="[masked]", x"#),
        ("password=\"a b c", "password=\"[masked]"),
        (
            "os.environ[\"PASSWORD\"] = \"a b\"",
            "os.environ[\"PASSWORD\"] = \"[masked]\"",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(mask_line(text), expected);
    }
}

#[test]
fn near_misses_stay_untouched() {
    let cases = [
        "monkey=3",
        "--keyboard us",
        "KeyError: 'Missing key'",
        "key: 3",
        "sorted(items, key=lambda item: item.key)",
        "pad_token='[PAD]', max_tokens=512",
        "token: 'hello'",
        "use_password=True, auth=None",
        "/home/me/secret_project/train.py:3",
        "commit 3f2a9c81d4e5b6a7c8d9e0f1a2b3c4d5e6f7a8b9",
        "https://host:8080/path@2",
        "File \"/usr/lib/python3/tokenize.py\", line 3, in <module>",
        "disk-0123456789abcdefghijklmnop is full",
        "2026-11-15 10:00:00.0 F tensorflow/core/framework/tensor.cc:733] Check failed: 1 == NumElements() (1 vs. 0)",
        "password",
        "the password is wrong",
        "a basic functionality of bearer type",
    ];
    for text in cases {
        assert!(
            matches!(mask_line(text), Cow::Borrowed(_)),
            "{text} became {}",
            mask_line(text)
        );
    }
}

#[test]
fn a_command_keeps_its_form_and_loses_its_secrets() {
    let cases: &[(&[&str], &[&str])] = &[
        (
            &[
                "python",
                "train.py",
                "--password",
                "hunter2",
                "--epochs",
                "3",
            ],
            &[
                "python",
                "train.py",
                "--password",
                "[masked]",
                "--epochs",
                "3",
            ],
        ),
        (
            &["x", "--token=abc", "--auth", "me", "run"],
            &["x", "--token=[masked]", "--auth", "[masked]", "run"],
        ),
        (&["x", "--auth", "--verbose"], &["x", "--auth", "--verbose"]),
        (
            &["x", "--key", "/etc/tls/key.pem"],
            &["x", "--key", "/etc/tls/key.pem"],
        ),
        (
            &["x", "--pad-token", "[PAD]", "--keyboard", "us"],
            &["x", "--pad-token", "[PAD]", "--keyboard", "us"],
        ),
        (&["x", "API_KEY=12345"], &["x", "API_KEY=[masked]"]),
        (
            &["python", "-c", "login('u', password='p w')"],
            &["python", "-c", "login('u', password='[masked]')"],
        ),
        (&["x", "--password"], &["x", "--password"]),
        (&[], &[]),
    ];
    for (command, expected) in cases {
        let command: Vec<String> = command
            .iter()
            .map(|argument| (*argument).to_owned())
            .collect();
        assert_eq!(mask_command(&command), *expected);
    }
}

#[test]
fn only_listed_variables_are_kept_and_smelling_ones_without_their_value() {
    let variables = [
        ("PATH", "/usr/bin"),
        ("HOME", "/home/me"),
        ("AWS_SECRET_ACCESS_KEY", "abc"),
        ("TF_CPP_MIN_LOG_LEVEL", "2"),
        ("TF_TOKEN_example", "abc"),
        ("NVIDIA_API_KEY", "abc"),
        ("TORCH_HUB_TOKEN", "abc"),
        ("TF_CONFIG", "{\"password\": \"x\"}"),
        ("PYTHONPATH", "/a:/b"),
        ("MONKEY", "3"),
    ];
    let kept = visible_variables(variables);
    let expected = [
        ("NVIDIA_API_KEY", "[masked]"),
        ("PATH", "/usr/bin"),
        ("PYTHONPATH", "/a:/b"),
        ("TF_CONFIG", "{\"password\": \"[masked]\"}"),
        ("TF_CPP_MIN_LOG_LEVEL", "2"),
        ("TF_TOKEN_example", "[masked]"),
        ("TORCH_HUB_TOKEN", "[masked]"),
    ];
    assert_eq!(
        kept.iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn a_private_key_is_masked_over_all_its_lines() {
    let lines = [
        "before",
        "-----BEGIN RSA PRIVATE KEY-----",
        "MIIEow",
        "-----END RSA PRIVATE KEY-----",
        "after",
    ]
    .map(str::to_owned);
    assert_eq!(mask_lines(&lines), ["before", MASK, MASK, MASK, "after"]);
}

#[test]
fn colors_do_not_hide_a_token_and_stay_where_they_are() {
    let token = token(&["gh", "p_", "0123456789abcdefABCDEF0123456789abcd"]);
    let cases = [
        (format!("\x1b[31m{token}\x1b[0m"), "\x1b[31m[masked]\x1b[0m"),
        (
            format!("\\x1b[31m{token}\\x1b[0m"),
            "\\x1b[31m[masked]\\x1b[0m",
        ),
        (format!("'\\n{token}\\n'"), "'\\n[masked]\\n'"),
        (format!("/srv/cache_{token}/x"), "/srv/cache_[masked]/x"),
        (format!("https://{token}@host/x"), "https://[masked]@host/x"),
        (
            format!("{}\u{200b}{}", &token[..9], &token[9..]),
            "[masked]",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(mask_line(&text), expected);
    }
    let colored_name = "\x1b[36mpassword\x1b[0m=\x1b[32mhunter2\x1b[0m";
    assert_eq!(
        mask_line(colored_name),
        "\x1b[36mpassword\x1b[0m=\x1b[32m[masked]\x1b[0m"
    );
}

#[test]
fn names_that_are_written_in_other_ways_are_known() {
    let cases = [
        ("PGPASSWORD=hunter2 psql", "PGPASSWORD=[masked] psql"),
        ("MYSQL_PWD=hunter2", "MYSQL_PWD=[masked]"),
        ("userpassword: hunter2", "userpassword: [masked]"),
        (
            r#"{"access_token":"abc def"}"#,
            r#"{"access_token":"[masked]"}"#,
        ),
        (
            r#"{"body":"{\"access_token\":\"abc def\",\"n\":1}"}"#,
            r#"{"body":"{\"access_token\":\"[masked]\",\"n\":1}"}"#,
        ),
        ("pw='hunter2'", "pw='[masked]'"),
        ("self._password = 'a b'", "self._password = '[masked]'"),
        ("Cookie: a=b; session=c", "Cookie: [masked]"),
        (
            "machine h login me password hunter2",
            "machine h login me password [masked]",
        ),
        ("  password hunter2", "  password [masked]"),
        (
            "GET /?sv=1&sig=a0B1c2D3e4F5g6H7%3D&x=1",
            "GET /?sv=1&sig=[masked]&x=1",
        ),
        (
            "curl -u me:hunter2 https://x",
            "curl -u me:[masked] https://x",
        ),
        (
            "<password>hunter2</password>",
            "<password>[masked]</password>",
        ),
        (
            "x = {\"secret\": [\"hunter2\", \"hunter3\"], 'n': 1}",
            "x = {\"secret\": [masked], 'n': 1}",
        ),
        ("password = ('hunter2')", "password = [masked]"),
        ("cookies={'session': 'hunter2'}", "cookies=[masked]"),
        (
            "{'pwd': 'hunter2', 'pass': 'hunter2'}",
            "{'pwd': '[masked]', 'pass': '[masked]'}",
        ),
        ("PASS=hunter2 make", "PASS=[masked] make"),
        (
            "https://x-access-token:hunter2@github.com/a",
            "https://x-access-token:[masked]@github.com/a",
        ),
        ("password%3Dhunter2%26x", "password%3D[masked]"),
    ];
    for (text, expected) in cases {
        assert_eq!(mask_line(text), expected);
    }
}

#[test]
fn everyday_lines_of_the_field_stay_untouched() {
    let cases = [
        "key='layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE'",
        "signature: 'serving_default', signature_key = serving_default_v2",
        "pw = self.conv_pw(x)",
        "ph, pw = 16, 16; pw=16",
        "PWD=/home/me/project",
        "Running pass: SimplifyCFGPass on main",
        "docker run -p 8080:80 tensorflow/serving",
        "docker login --password-stdin -u me",
        "pass: 3 of 5",
        "python -m pip install scikit-learn sk-learn-contrib-extensions-of-many-kinds",
        "git+https://github.com/tensorflow/addons.git@v0.20.0",
        "cookie_jar = CookieJar()",
        "password=[masked]",
        "https://user:[masked]@host/x",
        "Cookie: [masked]",
        "sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9",
    ];
    for text in cases {
        assert_eq!(mask_line(text), text);
    }
}

#[test]
fn a_user_and_a_password_behind_one_flag_are_both_masked() {
    let user = token(&["gh", "p_", "0123456789abcdefABCDEF0123456789abcd"]);
    let command = [
        "curl".to_owned(),
        "-u".to_owned(),
        format!("{user}:hunter2"),
    ];
    assert_eq!(mask_command(&command), ["curl", "-u", "[masked]:[masked]"]);
}

#[test]
fn hostile_lines_take_time_in_proportion_to_their_length() {
    // Each would take minutes if it were read again from every one of its repetitions.
    let pieces = [
        "}",
        "];",
        "://a:b@h.c/",
        "://a:",
        "://",
        "@",
        "password=",
        "token: ",
        "key=a0",
        "curl -u ",
        "curl -u 'a:",
        "-p",
        "\x1b[",
        "\x1b[31m",
        "[masked]",
        "[masked",
        "-----BEGIN A PRIVATE KEY",
        "cookie: a=",
        "authorization: ",
        "authorization: digest a=",
        "machine a login b password c ",
        "identified with a by ",
        "<password>a",
        "\\\\\"",
        "eyJaaaaaaaaaaa.",
        "SG.aaaaaaaaaaaaaaaa.",
        "\u{200b}",
        "A3-",
        "'",
        "password='",
        "a.b-c_",
        "%3D",
    ];
    for piece in pieces {
        let line = piece.repeat(128 * 1024 / piece.len());
        let masked = mask_line(&line);
        assert_eq!(mask_line(&masked), masked, "{piece}");
    }
}

#[test]
fn arguments_that_the_fuzzer_found_are_masked_once_and_for_all() {
    let cases: &[&[&str]] = &[
        &["--password\t\0en=z", "mysql db"],
        &["-ine a login b password c", "next"],
        &["curl", "--password", "|", "-u", "me:x"],
    ];
    for case in cases {
        let command: Vec<String> = case.iter().map(|word| (*word).to_owned()).collect();
        let masked = mask_command(&command);
        assert_eq!(mask_command(&masked), masked);
    }
    let sentence = ["-ine a login b password c", "next"].map(str::to_owned);
    assert_eq!(mask_command(&sentence)[1], "next");
}

proptest! {
    #[test]
    fn what_was_masked_has_nothing_left_to_mask(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("password".to_owned()), Just("token".to_owned()), Just("=".to_owned()), Just(": ".to_owned()),
                Just("\"".to_owned()), Just("\\\"".to_owned()), Just("'".to_owned()), Just(" ".to_owned()),
                Just("\n".to_owned()), Just("://".to_owned()), Just("@".to_owned()), Just("--".to_owned()),
                Just("curl -u ".to_owned()), Just("\x1b[31m".to_owned()), Just("\u{200b}".to_owned()),
                Just("[masked]".to_owned()), Just("[".to_owned()), Just("]".to_owned()), Just("h.c/".to_owned()),
                Just("cookie: ".to_owned()), Just("Bearer ".to_owned()), Just(token(&["gh", "p_"])),
                Just(token(&["AK", "IA"])), Just("-----BEGIN PRIVATE KEY".to_owned()), Just("-----END ".to_owned()),
                "[0-9A-Za-z]{1,40}", "[0-9A-Za-z._/%+-]{1,12}",
            ],
            0..24,
        )
    ) {
        crate::fuzzing::secrets(parts.concat().as_bytes());
    }
}

#[test]
fn a_long_hostile_line_is_done_in_one_pass() {
    let line = "password=".repeat(30_000);
    assert!(mask_line(&line).len() <= line.len());
    let line = "a=".repeat(130_000) + "token";
    assert_eq!(mask_line(&line), line);
}
