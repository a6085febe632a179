use super::*;

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
            "push https://ghp_0123456789abcdefABCDEF@github.com/a/b",
            "push https://[masked]@github.com/a/b",
        ),
        (
            "Authorization: Bearer abc.def-ghi_jkl",
            "Authorization: Bearer [masked]",
        ),
        (
            "authorization: Basic dXNlcjpwYXNzd29yZA==",
            "authorization: Basic [masked]",
        ),
        ("key AKIAIOSFODNN7EXAMPLE used", "key [masked] used"),
        ("hf_abcdefghijABCDEFGHIJ0123", "[masked]"),
        ("OPENAI sk-proj-abcdefghijklmnopqrstuvwx", "OPENAI [masked]"),
        (
            "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc_DEF",
            "jwt [masked]",
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
fn a_long_hostile_line_is_done_in_one_pass() {
    let line = "password=".repeat(30_000);
    assert!(mask_line(&line).len() <= line.len());
    let line = "a=".repeat(130_000) + "token";
    assert_eq!(mask_line(&line), line);
}
