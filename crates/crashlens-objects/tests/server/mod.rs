//! A small store on this machine that speaks as S3, Google Cloud Storage and Azure Blob Storage do, as far as reading
//! goes: pages of lists, parts of objects, conditions, and whatever trouble a test asks for.

mod listing;
mod request;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{Read as _, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

pub(crate) use request::Request;

/// What is sent at a time: a large object is never whole in memory.
const PIECE: usize = 64 * 1024;
const MODIFIED: &str = "Mon, 16 Nov 2026 12:00:00 GMT";

/// The bytes of an object: some, and zeros behind them up to its size.
#[derive(Clone, Hash)]
pub(crate) struct Content {
    beginning: Vec<u8>,
    size: u64,
}

impl Content {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::zeros_behind(bytes, bytes.len() as u64)
    }

    pub(crate) fn zeros_behind(bytes: &[u8], size: u64) -> Self {
        Self {
            beginning: bytes.to_vec(),
            size,
        }
    }

    fn tag(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        format!("\"{:016x}\"", hasher.finish())
    }
}

/// What happens instead of an answer, or before it.
pub(crate) enum Twist {
    /// Answer.
    None,
    /// Another status, and this as the body.
    Status(u16, &'static str),
    /// Elsewhere.
    Redirect(String),
    /// Never answer.
    Hang,
    /// Put something else in its place, then answer.
    Replace(&'static str, Content),
}

type Objects = BTreeMap<String, Content>;
type Twister = dyn Fn(&Request, usize) -> Twist + Send + Sync;

struct State {
    objects: Mutex<Objects>,
    requests: Mutex<Vec<Request>>,
    hanging: Mutex<Vec<TcpStream>>,
    twist: Box<Twister>,
    page: usize,
}

/// The store. It holds one bucket, `train`.
pub(crate) struct Server {
    pub(crate) address: String,
    state: Arc<State>,
}

impl Server {
    /// With these objects.
    pub(crate) fn start(objects: &[(&str, Content)]) -> Self {
        Self::twisted(objects, |_, _| Twist::None)
    }

    /// With trouble: `twist` is asked for each request, with the number of those before it.
    pub(crate) fn twisted(
        objects: &[(&str, Content)],
        twist: impl Fn(&Request, usize) -> Twist + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let owned = |(key, content): &(&str, Content)| ((*key).to_owned(), content.clone());
        let state = Arc::new(State {
            objects: Mutex::new(objects.iter().map(owned).collect()),
            requests: Mutex::default(),
            hanging: Mutex::default(),
            twist: Box::new(twist),
            page: 3,
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.serve(stream));
            }
        });
        Self { address, state }
    }

    /// What was asked so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.state.requests.lock().unwrap().clone()
    }

    /// Puts an object there, or another in its place.
    pub(crate) fn put(&self, key: &str, content: Content) {
        let mut objects = self.state.objects.lock().unwrap();
        objects.insert(key.to_owned(), content);
    }
}

impl State {
    fn serve(&self, mut stream: TcpStream) {
        let Some(request) = Request::read(&mut stream) else {
            return;
        };
        let before = {
            let mut requests = self.requests.lock().unwrap();
            requests.push(request.clone());
            requests.len() - 1
        };
        match (self.twist)(&request, before) {
            Twist::None => {}
            Twist::Status(status, body) => return respond(&mut stream, status, &[], body),
            Twist::Redirect(to) => return respond(&mut stream, 307, &[("Location", to)], ""),
            Twist::Hang => return self.hanging.lock().unwrap().push(stream),
            Twist::Replace(key, content) => {
                let mut objects = self.objects.lock().unwrap();
                objects.insert(key.to_owned(), content);
            }
        }
        self.answer(&request, &mut stream);
    }

    fn answer(&self, request: &Request, stream: &mut TcpStream) {
        if request.bucket != "train" {
            let body = "<Error><Code>NoSuchBucket</Code></Error>";
            return respond(stream, 404, &[], body);
        }
        if request.key.is_empty() {
            let objects = self.objects.lock().unwrap();
            let page = listing::page(request, &objects, self.page);
            return respond(
                stream,
                200,
                &[("Content-Type", "application/xml".to_owned())],
                &page,
            );
        }
        let content = self.objects.lock().unwrap().get(&request.key).cloned();
        match content {
            Some(content) => send(request, &content, stream),
            None => respond(stream, 404, &[], "<Error><Code>NoSuchKey</Code></Error>"),
        }
    }
}

/// Sends an object or the part of it that is asked for.
fn send(request: &Request, content: &Content, stream: &mut TcpStream) {
    let tag = content.tag();
    if request
        .header("if-match")
        .is_some_and(|wanted| wanted != tag)
    {
        return respond(stream, 412, &[], "");
    }
    if request.header("if-none-match") == Some(tag.as_str()) {
        return respond(stream, 304, &[("ETag", tag)], "");
    }
    let (status, range) = match request.range(content.size) {
        Some(range) if range.start >= content.size => return respond(stream, 416, &[], ""),
        Some(range) => (206, range),
        None => (200, 0..content.size),
    };
    let last = range.end.saturating_sub(1);
    let part = match status {
        206 => format!(
            "Content-Range: bytes {}-{last}/{}\r\n",
            range.start, content.size
        ),
        _ => String::new(),
    };
    let head = format!(
        "HTTP/1.1 {status} OK\r\nConnection: close\r\nETag: {tag}\r\nLast-Modified: {MODIFIED}\r\n\
         Content-Length: {}\r\n{part}\r\n",
        range.end - range.start
    );
    let mut sent = stream.write_all(head.as_bytes());
    let mut at = range.start;
    while sent.is_ok() && request.method == "GET" && at < range.end {
        let length = (range.end - at).min(PIECE as u64) as usize;
        let mut piece = vec![0; length];
        let known = content.beginning.get(at as usize..).unwrap_or_default();
        let known = &known[..known.len().min(length)];
        piece[..known.len()].copy_from_slice(known);
        sent = stream.write_all(&piece);
        at += length as u64;
    }
    finish(stream);
}

fn respond(stream: &mut TcpStream, status: u16, headers: &[(&str, String)], body: &str) {
    let headers: String = headers
        .iter()
        .flat_map(|(name, value)| [name, ": ", value, "\r\n"])
        .collect();
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status} So\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    );
    finish(stream);
}

/// Waits until the other side has read: closing earlier may throw away what is on its way.
fn finish(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.read(&mut [0; 1]);
}
