//! Drives headless Chromium by its own protocol: JSON objects through a pipe, each ended by a zero.
//!
//! A crate for this would bring forty others, and with them other features of those that Polars is built with.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use examples::browser::chromium;
use serde_json::{Value, json};

/// A browser with one open page.
pub struct Browser {
    child: Child,
    profile: PathBuf,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    next: u64,
    /// The page's errors and warnings, and requests that the browser refused.
    pub complaints: Vec<String>,
}

/// The browser takes its pipe as descriptors 3 and 4. A timeout ends one that hangs.
const START: &str = r#"exec timeout --kill-after=5 300 "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;
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

impl Browser {
    /// Starts with an empty page.
    pub fn start() -> Browser {
        let chromium = chromium().expect("no Chromium here: cargo xtask test installs it where it is root");
        // Two browsers with one profile are one browser, and the second ends.
        let number = STARTED.fetch_add(1, Relaxed);
        let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("chromium-{}-{number}", std::process::id()));
        let mut shell = Command::new("sh");
        shell.args(["-c", START, "sh"]).arg(chromium).args(FLAGS);
        shell.arg(format!("--user-data-dir={}", profile.display())).arg("about:blank");
        let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut browser = Browser { child, profile, to, from, session: None, next: 0, complaints: Vec::new() };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(String::from);
        for domain in ["Runtime", "Log", "Page", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method and returns the result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut answer = Vec::new();
            self.from.read_until(0, &mut answer).unwrap();
            answer.pop();
            assert!(!answer.is_empty(), "{method}: the browser has ended");
            let mut answer: Value = serde_json::from_slice(&answer).unwrap();
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
            self.hear(&answer);
        }
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

impl Drop for Browser {
    fn drop(&mut self) {
        // Without its pipe the browser ends.
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
