//! A headless Chromium that is driven by its own protocol on a pair of pipes: no port, no driver.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use base64::Engine as _;
use serde_json::{Value, json};

use crate::workspace;

/// The protocol is spoken on descriptors 3 and 4. The shell makes them of our pipes.
const START: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;
/// It connects to nothing, and leaves nothing running.
const OPTIONS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
];

/// How a page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Light,
    Dark,
    Phone,
    Print,
}

impl Look {
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
            Self::Phone => "phone",
            Self::Print => "print",
        }
    }

    /// Width and height of the screen.
    fn size(self) -> [u32; 2] {
        match self {
            Self::Phone => [390, 844],
            Self::Light | Self::Dark | Self::Print => [1200, 900],
        }
    }

    fn media(self) -> Value {
        let scheme = if self == Self::Dark { "dark" } else { "light" };
        let media = if self == Self::Print {
            "print"
        } else {
            "screen"
        };
        json!({"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})
    }
}

/// The browser.
pub struct Chromium {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    /// Events that came while an answer was waited for.
    events: Vec<Value>,
    /// Its profile, for as long as it runs.
    _profile: tempfile::TempDir,
}

impl Chromium {
    /// Starts it with an empty profile.
    pub fn start() -> Result<Self> {
        let program = workspace::find_program("chromium").context("there is no Chromium")?;
        let profile = tempfile::tempdir()?;
        let mut process = Command::new("sh")
            .args(["-c", START])
            .arg(program)
            .args(OPTIONS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = process.stdin.take().context("a pipe")?;
        let output = BufReader::new(process.stdout.take().context("a pipe")?);
        Ok(Self {
            process,
            input,
            output,
            next: 1,
            events: Vec::new(),
            _profile: profile,
        })
    }

    /// Shows a page in a tab of its own, when it has loaded.
    pub fn show(&mut self, page: &Path, look: Look) -> Result<Shown<'_>> {
        self.events.clear();
        let target = self.call("", "Target.createTarget", &json!({"url": "about:blank"}))?;
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.call("", "Target.attachToTarget", &attach)?["sessionId"].clone();
        let session = session.as_str().context("a session")?.to_owned();
        for domain in ["Page", "Log", "Runtime", "Network"] {
            self.call(&session, &format!("{domain}.enable"), &json!({}))?;
        }
        let [width, height] = look.size();
        let screen = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": look == Look::Phone,
        });
        self.call(&session, "Emulation.setDeviceMetricsOverride", &screen)?;
        self.call(&session, "Emulation.setEmulatedMedia", &look.media())?;
        let address = format!("file://{}", page.display());
        self.call(&session, "Page.navigate", &json!({"url": address}))?;
        while !self
            .events
            .iter()
            .any(|it| it["method"] == "Page.loadEventFired")
        {
            let event = self.read()?;
            self.events.push(event);
        }
        Ok(Shown {
            chromium: self,
            session,
            target: target["targetId"].clone(),
        })
    }

    /// Says what to do, and returns the answer.
    fn call(&mut self, session: &str, method: &str, parameters: &Value) -> Result<Value> {
        let id = self.next;
        self.next += 1;
        let mut message = json!({"id": id, "method": method, "params": parameters});
        if !session.is_empty() {
            message["sessionId"] = json!(session);
        }
        let mut bytes = serde_json::to_vec(&message)?;
        bytes.push(0);
        self.input.write_all(&bytes)?;
        loop {
            let mut answer = self.read()?;
            if answer["id"] != id {
                self.events.push(answer);
                continue;
            }
            ensure!(
                answer.get("error").is_none(),
                "{method}: {}",
                answer["error"]
            );
            return Ok(answer["result"].take());
        }
    }

    fn read(&mut self) -> Result<Value> {
        let mut bytes = Vec::new();
        self.output.read_until(0, &mut bytes)?;
        if bytes.pop() != Some(0) {
            bail!("chromium has ended");
        }
        Ok(serde_json::from_slice(&bytes)?)
    }

    /// Ends it.
    pub fn end(mut self) -> Result<()> {
        self.call("", "Browser.close", &json!({}))?;
        self.process.wait()?;
        Ok(())
    }
}

/// A page that is shown.
pub struct Shown<'a> {
    chromium: &'a mut Chromium,
    session: String,
    target: Value,
}

impl Shown<'_> {
    fn call(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.chromium.call(&self.session, method, parameters)
    }

    /// What an expression gives, which is text in JSON. It is asked from outside of the page, whose policy forbids it.
    pub fn answer(&mut self, expression: &str) -> Result<Value> {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", &asked)?;
        let text = answer["result"]["value"].as_str();
        let text = text.with_context(|| format!("no answer: {answer}"))?;
        Ok(serde_json::from_str(text)?)
    }

    /// The whole page as PNG.
    pub fn picture(&mut self) -> Result<Vec<u8>> {
        let whole = json!({"format": "png", "captureBeyondViewport": true});
        decoded(&self.call("Page.captureScreenshot", &whole)?)
    }

    /// The page as PDF.
    pub fn print(&mut self) -> Result<Vec<u8>> {
        decoded(&self.call("Page.printToPDF", &json!({"printBackground": true}))?)
    }

    /// Fails if the page asked for more than itself, or if there was any message about it.
    pub fn close_quiet(mut self) -> Result<()> {
        // What the page has caused so far comes before the answer.
        self.answer("'0'")?;
        let mut requests = 0;
        for event in &self.chromium.events {
            let method = event["method"].as_str().unwrap_or_default();
            match method {
                "Network.requestWillBeSent" => requests += 1,
                "Log.entryAdded"
                | "Runtime.consoleAPICalled"
                | "Runtime.exceptionThrown"
                | "Page.javascriptDialogOpening"
                | "Page.windowOpen" => bail!("{event}"),
                _ => {}
            }
        }
        ensure!(requests == 1, "{requests} requests");
        let target = json!({"targetId": self.target});
        self.chromium.call("", "Target.closeTarget", &target)?;
        Ok(())
    }
}

fn decoded(answer: &Value) -> Result<Vec<u8>> {
    let data = answer["data"].as_str().context("no data")?;
    Ok(base64::engine::general_purpose::STANDARD.decode(data)?)
}
