//! The store against a server that speaks the three protocols.
#![expect(
    clippy::unwrap_used,
    reason = "a failed step of a test is a failed test"
)]

mod server;

use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};
use std::time::{Duration, Instant};

use crashlens_files::{Store as _, Subject};
use crashlens_objects::Objects;
use server::{Content, Request, Server, Twist};

const PATIENCE: Duration = Duration::from_secs(20);
const SECRET: &str = "hunter2hunter2hunter2";
/// Nothing but Base64 is a key of Azure.
const AZURE_SECRET: &str = "aHVudGVyMmh1bnRlcjI=";

fn variables(server: &Server, names: &[(&str, &str)]) -> Vec<(String, String)> {
    let endpoint = server.address.as_str();
    let azure = format!("{endpoint}/account");
    let usual = [
        ("AWS_ENDPOINT_URL", endpoint),
        ("GOOGLE_BASE_URL", endpoint),
        ("AZURE_STORAGE_ENDPOINT", azure.as_str()),
        ("AZURE_STORAGE_ACCOUNT_NAME", "account"),
    ];
    let all = usual.iter().chain(names);
    all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// The bucket `train` of the server under each scheme, without credentials.
fn anonymous(server: &Server) -> Objects {
    let paths = ["s3://train", "gs://train/a", "az://train/b", "s3://nowhere"];
    Objects::new(paths, variables(server, &[]), PATIENCE).unwrap()
}

fn whole(objects: &Objects, path: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    objects.open(path).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

fn gets(server: &Server) -> Vec<Request> {
    let requests = server.requests().into_iter();
    requests
        .filter(|it| it.method == "GET" && !it.key.is_empty())
        .collect()
}

#[test]
fn a_folder_of_several_pages_is_listed_and_read_under_each_scheme() {
    let files: Vec<(String, Content)> = (0..10)
        .map(|number| {
            (
                format!("set/{number}.csv"),
                Content::of(format!("a\n{number}\n").as_bytes()),
            )
        })
        .chain([
            ("set/deeper/a b#é%20.csv".to_owned(), Content::of(b"a\nx\n")),
            ("settle.csv".to_owned(), Content::of(b"beside it")),
        ])
        .collect();
    let files: Vec<(&str, Content)> = files
        .iter()
        .map(|(name, it)| (name.as_str(), it.clone()))
        .collect();
    let server = Server::start(&files);
    let objects = anonymous(&server);
    for scheme in ["s3", "gs", "az"] {
        let entries = objects.list(&format!("{scheme}://train/set")).unwrap();
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names.len(), 11, "{scheme}: {names:?}");
        assert_eq!(names[..2], ["0.csv", "1.csv"]);
        assert_eq!(names[10], "deeper");
        assert!(entries[10].is_folder && !entries[0].is_folder);
        assert_eq!(entries[0].size, 4);
        assert_eq!(
            whole(&objects, &format!("{scheme}://train/set/7.csv")),
            b"a\n7\n"
        );
        let odd = format!("{scheme}://train/set/deeper/a b#é%20.csv");
        assert_eq!(whole(&objects, &odd), b"a\nx\n");
    }
}

#[test]
fn a_large_object_is_read_in_parts_within_bounds_of_memory() {
    let size = 200 << 20;
    let server = Server::start(&[("big.bin", Content::zeros_behind(b"begin", size))]);
    let objects = anonymous(&server);
    let mut source = objects.open("s3://train/big.bin").unwrap();
    assert_eq!(source.size(), size);
    let mut buffer = vec![0; 256 << 10];
    let mut read = 0;
    loop {
        match source.read(&mut buffer).unwrap() {
            0 => break,
            length => read += length as u64,
        }
    }
    assert_eq!(read, size);
    let largest = gets(&server)
        .iter()
        .filter_map(|it| it.range(size))
        .map(|it| it.end - it.start)
        .max();
    assert_eq!(largest, Some(4 << 20));
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let most = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let most: u64 = most.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(most < 100 << 10, "{most} kB were used");
}

#[test]
fn a_reader_that_jumps_gets_the_right_bytes() {
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| (at / 7 % 251) as u8).collect();
    let server = Server::start(&[("x.bin", Content::of(&bytes))]);
    let objects = anonymous(&server);
    let mut source = objects.open("gs://train/x.bin").unwrap();
    for at in [2_999_000, 5, 1_048_570, 1_048_580, 2_500_000, 2_700_000, 0] {
        source.seek(SeekFrom::Start(at as u64)).unwrap();
        let mut some = [0; 900];
        source.read_exact(&mut some).unwrap();
        assert_eq!(some, bytes[at..at + 900], "at {at}");
    }
}

#[test]
fn what_is_not_there_or_not_allowed_is_told_apart() {
    let server = Server::twisted(&[("a.csv", Content::of(b"a"))], |request, _| {
        if request.key == "mine.csv" {
            Twist::Status(
                403,
                "<Error><Code>AccessDenied</Code><AWSAccessKeyId>AKIASECRET</AWSAccessKeyId></Error>",
            )
        } else {
            Twist::None
        }
    });
    let objects = anonymous(&server);
    let told = |path: &str| objects.open(path).map(drop).unwrap_err();
    assert_eq!(told("s3://train/b.csv").kind(), ErrorKind::NotFound);
    assert_eq!(
        told("s3://train/b.csv").to_string(),
        "there is no such object"
    );
    assert_eq!(
        told("s3://nowhere/b.csv").to_string(),
        "there is no such bucket"
    );
    let listed = objects.list("s3://nowhere/x").unwrap_err();
    assert_eq!(listed.to_string(), "there is no such bucket");
    assert_eq!(
        told("gs://train/mine.csv").to_string(),
        "the store refuses access (AccessDenied); the environment names no credential"
    );
    assert_eq!(
        objects.list("az://train/a.csv").unwrap_err().kind(),
        ErrorKind::NotADirectory
    );
    assert_eq!(
        objects.list("az://train/b.csv").unwrap_err().kind(),
        ErrorKind::NotFound
    );
}

#[test]
fn an_object_may_be_read_where_its_bucket_may_not_be_listed() {
    let server = Server::twisted(&[("a.csv", Content::of(b"a"))], |request, _| {
        if request.key.is_empty() {
            Twist::Status(403, "<Error><Code>AccessDenied</Code></Error>")
        } else {
            Twist::None
        }
    });
    let objects = anonymous(&server);
    let mut subjects: Vec<Subject> = Vec::new();
    let purpose = crashlens_files::Purpose::Data;
    crashlens_files::find(&objects, "s3://train/a.csv", purpose, &mut |subject| {
        subjects.push(subject);
        true
    });
    assert_eq!(subjects[0].trouble, None);
    assert_eq!(subjects[0].size, 1);
}

#[test]
fn a_store_that_is_busy_is_asked_again_and_not_for_ever() {
    let busy = |most: usize| {
        Server::twisted(&[("a.csv", Content::of(b"a\n1\n"))], move |_, before| {
            if before < most {
                Twist::Status(503, "<Error><Code>SlowDown</Code></Error>")
            } else {
                Twist::None
            }
        })
    };
    let server = busy(2);
    assert_eq!(whole(&anonymous(&server), "s3://train/a.csv"), b"a\n1\n");
    assert_eq!(server.requests().len(), 3);
    let server = busy(usize::MAX);
    let error = anonymous(&server)
        .open("s3://train/a.csv")
        .map(drop)
        .unwrap_err();
    assert_eq!(error.to_string(), "the store answers 503 (SlowDown)");
    assert_eq!(server.requests().len(), 5);
}

#[test]
fn an_object_that_is_replaced_while_it_is_read_is_told() {
    let size = 3 << 20;
    for scheme in ["s3", "gs", "az"] {
        let old = Content::zeros_behind(b"old", size);
        let server = Server::twisted(&[("x.bin", old)], move |_, before| {
            // After its beginning was read.
            if before == 1 {
                Twist::Replace("x.bin", Content::zeros_behind(b"new", size))
            } else {
                Twist::None
            }
        });
        let objects = anonymous(&server);
        let path = format!("{scheme}://train/x.bin");
        let (mut source, before) = objects.open_identified(&path).unwrap();
        let error = source.read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StaleNetworkFileHandle, "{error}");
        assert_ne!(objects.identity(&path).unwrap(), before);
    }
}

#[test]
fn a_store_that_never_answers_is_left_in_time() {
    let server = Server::twisted(&[], |_, _| Twist::Hang);
    let patience = Duration::from_millis(300);
    let objects = Objects::new(["s3://train"], variables(&server, &[]), patience).unwrap();
    let began = Instant::now();
    for error in [
        objects.open("s3://train/a").map(drop).unwrap_err(),
        objects.list("s3://train").map(drop).unwrap_err(),
        objects.identity("s3://train/a").map(drop).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_deadline_ends_a_part_that_does_not_come() {
    let server = Server::twisted(
        &[("x.bin", Content::zeros_behind(b"", 8 << 20))],
        |_, before| if before > 0 { Twist::Hang } else { Twist::None },
    );
    let objects = anonymous(&server);
    let deadline = Instant::now() + Duration::from_millis(500);
    let mut source = objects.open("s3://train/x.bin").unwrap().until(deadline);
    let error = source.read_to_end(&mut Vec::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(Instant::now() < deadline + PATIENCE / 2);
}

#[test]
fn requests_are_signed_where_there_are_credentials_and_only_there() {
    let server = Server::start(&[("a.csv", Content::of(b"a"))]);
    let credentials = [
        ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("GOOGLE_BEARER_TOKEN", SECRET),
        ("AZURE_STORAGE_ACCOUNT_KEY", AZURE_SECRET),
    ];
    let paths = ["s3://train", "gs://train", "az://train"];
    let signed = Objects::new(paths, variables(&server, &credentials), PATIENCE).unwrap();
    for (scheme, begins) in [
        ("s3", "AWS4-HMAC-SHA256 "),
        ("gs", "Bearer "),
        ("az", "SharedKey account:"),
    ] {
        assert_eq!(whole(&signed, &format!("{scheme}://train/a.csv")), b"a");
        let request = server.requests().pop().unwrap();
        let header = request.header("authorization").unwrap();
        assert!(header.starts_with(begins), "{scheme}");
        assert_eq!(
            whole(&anonymous(&server), &format!("{scheme}://train/a.csv")),
            b"a"
        );
        assert_eq!(
            server.requests().pop().unwrap().header("authorization"),
            None
        );
    }
    let aws = server.requests();
    assert!(
        !format!("{:?}", aws[0]).contains(SECRET),
        "a secret key stays here"
    );
}

#[test]
fn nothing_is_asked_of_another_bucket_or_another_host() {
    let elsewhere = Server::start(&[]);
    let target = format!("{}/train/a.csv", elsewhere.address);
    let server = Server::twisted(&[], move |_, _| Twist::Redirect(target.clone()));
    let objects = anonymous(&server);
    let error = objects.open("gs://other/a.csv").map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        "it is in a bucket that was not asked for"
    );
    assert!(server.requests().is_empty());
    assert!(objects.open("s3://train/a.csv").is_err());
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn an_empty_object_and_a_folder_with_nothing_in_it_are_no_failures() {
    let server = Server::start(&[
        ("empty.csv", Content::of(b"")),
        ("folder/", Content::of(b"")),
    ]);
    let objects = anonymous(&server);
    assert_eq!(whole(&objects, "s3://train/empty.csv"), b"");
    assert_eq!(whole(&objects, "az://train/empty.csv"), b"");
    assert_eq!(objects.list("s3://train/folder").unwrap(), []);
}

#[test]
fn an_object_that_is_opened_again_is_not_sent_again() {
    let server = Server::start(&[("a.csv", Content::of(b"a\n1\n"))]);
    let objects = anonymous(&server);
    assert_eq!(whole(&objects, "s3://train/a.csv"), b"a\n1\n");
    assert_eq!(whole(&objects, "s3://train/a.csv"), b"a\n1\n");
    assert!(gets(&server)[1].header("if-none-match").is_some());
    server.put("a.csv", Content::of(b"a\n2\n"));
    assert_eq!(whole(&objects, "s3://train/a.csv"), b"a\n2\n");
}

#[test]
fn a_setting_that_cannot_be_used_is_told_without_its_value() {
    let half = [("AWS_ACCESS_KEY_ID".to_owned(), SECRET.to_owned())];
    let objects = Objects::new(["s3://train", "az://train"], half, PATIENCE).unwrap();
    let told = |path: &str| objects.open(path).map(drop).unwrap_err().to_string();
    assert!(told("s3://train/a").contains("AWS_SECRET_ACCESS_KEY"));
    assert!(!told("s3://train/a").contains(SECRET));
    assert!(told("az://train/a").contains("AZURE_STORAGE_ACCOUNT_NAME"));
}
