//! Drives headless Chromium by its own protocol: JSON objects through a pipe, each ended by a zero.
//!
//! A browser takes seconds to start, so tests share them; each has a profile and a page of its own.
//!
//! A crate for this would bring forty others, and with them other features of those that Polars is built with.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use examples::browser::chromium;
use serde_json::{Value, json};

/// A page in a profile of its own.
pub struct Browser {
    /// `None` only while it is dropped.
    chromium: Option<Chromium>,
    profile: Value,
    session: Value,
    /// The page's errors and warnings, and requests that the browser refused.
    pub complaints: Vec<String>,
}

/// A running Chromium, which ends when its pipe closes.
struct Chromium {
    child: Child,
    from: BufReader<ChildStdout>,
    /// Number of the last message.
    last: u64,
}

/// The browser takes its pipe as descriptors 3 and 4. A timeout ends one that hangs.
const START: &str = r#"timeout --kill-after=5 1200 "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1; rm -rf "$0""#;
const FLAGS: [&str; 6] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--hide-scrollbars",
];

/// Number of started browsers.
static STARTED: AtomicUsize = AtomicUsize::new(0);
/// Browsers without a page.
static IDLE: Mutex<Vec<Chromium>> = Mutex::new(Vec::new());

impl Chromium {
    fn start() -> Chromium {
        let chromium = chromium().expect("no Chromium here: cargo xtask test installs it where it is root");
        // Two browsers with one folder are one browser, and the second ends.
        let number = STARTED.fetch_add(1, Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("chromium-{}-{number}", std::process::id()));
        let mut shell = Command::new("sh");
        shell.args(["-c", START]).arg(&folder).arg(chromium).args(FLAGS);
        shell.arg(format!("--user-data-dir={}", folder.display())).arg("about:blank");
        let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        Chromium { child, from, last: 0 }
    }

    /// Calls a method, and returns the result and the events before it.
    fn call(&mut self, method: &str, parameters: &Value, session: &Value) -> (Value, Vec<Value>) {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if session.is_string() {
            message["sessionId"] = session.clone();
        }
        self.child.stdin.as_mut().unwrap().write_all(format!("{message}\0").as_bytes()).unwrap();
        let mut events = Vec::new();
        loop {
            let mut answer = Vec::new();
            self.from.read_until(0, &mut answer).unwrap();
            answer.pop();
            assert!(!answer.is_empty(), "{method}: the browser has ended");
            let mut answer: Value = serde_json::from_slice(&answer).unwrap();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return (answer["result"].take(), events);
            }
            // Pages of earlier tests may have been heard last.
            if answer["sessionId"] == *session {
                events.push(answer);
            }
        }
    }
}

impl Browser {
    /// Opens an empty page.
    pub fn start() -> Browser {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut chromium = idle.unwrap_or_else(Chromium::start);
        let mut call = |method: &str, parameters: Value| chromium.call(method, &parameters, &Value::Null).0;
        let profile = call("Target.createBrowserContext", json!({}))["browserContextId"].take();
        let page = call("Target.createTarget", json!({ "url": "about:blank", "browserContextId": profile }));
        let attached = json!({ "targetId": page["targetId"], "flatten": true });
        let session = call("Target.attachToTarget", attached)["sessionId"].take();
        let mut browser = Browser { chromium: Some(chromium), profile, session, complaints: Vec::new() };
        for domain in ["Runtime", "Log", "Page", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method and returns the result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        let (result, events) = self.chromium.as_mut().unwrap().call(method, &parameters, &self.session);
        for event in &events {
            self.hear(event);
        }
        result
    }

    /// Collects the page's complaints, and the addresses that it requests.
    fn hear(&mut self, event: &Value) {
        let parameters = &event["params"];
        let is_harmless = match event["method"].as_str().unwrap_or_default() {
            "Runtime.consoleAPICalled" => {
                !["error", "warning", "assert"].contains(&parameters["type"].as_str().unwrap())
            }
            "Network.requestWillBeSent" => {
                let address = parameters["request"]["url"].as_str().unwrap();
                ["file:", "data:", "about:"].iter().any(|local| address.starts_with(local))
            }
            "Runtime.exceptionThrown" | "Log.entryAdded" => false,
            _ => true,
        };
        if !is_harmless {
            self.complaints.push(parameters.to_string());
        }
    }

    /// Opens a page of ours, and waits until it is ready.
    pub fn open(&mut self, page: &Path) {
        self.open_at(page, "");
    }

    /// Opens a page at a fragment: `#...`, or nothing.
    pub fn open_at(&mut self, page: &Path, fragment: &str) {
        self.call("Page.navigate", json!({ "url": format!("file://{}{fragment}", page.display()) }));
        self.wait_for("document.documentElement?.dataset.ready !== undefined");
    }

    /// Waits until a condition holds.
    pub fn wait_for(&mut self, condition: &str) {
        let began = Instant::now();
        while self.ask(condition) != true {
            assert!(began.elapsed() < Duration::from_secs(120), "never: {condition}; {:#?}", self.complaints);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Value of an expression; promises are awaited.
    pub fn ask(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].take()
    }

    /// Value of an expression that is text.
    pub fn text(&mut self, expression: &str) -> String {
        self.ask(expression).as_str().unwrap_or_else(|| panic!("{expression} is no text")).into()
    }

    /// Sets the window's width, and the system's color scheme, light or dark.
    pub fn look(&mut self, width: u32, scheme: &str) {
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", features);
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // Waiting closes the pipe.
        let _ = self.child.wait();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let Some(mut chromium) = self.chromium.take() else { return };
        // A failing test may leave its page busy.
        if thread::panicking() {
            return;
        }
        chromium.call("Target.disposeBrowserContext", &json!({ "browserContextId": self.profile }), &Value::Null);
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(chromium);
    }
}
