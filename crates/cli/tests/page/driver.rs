//! Debian's Chromium, driven by keys through the WebDriver protocol.
//!
//! The few commands needed are sent as plain HTTP: a client library would bring features of other crates into the program
//! under test.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a page may take to show what it is expected to show.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long one command may take.
const COMMAND: Duration = Duration::from_secs(60);

/// A browser of its own, which ends with its value.
pub struct Driver {
    process: Child,
    port: u16,
    session: RefCell<String>,
}

impl Driver {
    /// Starts a driver on a free port, and through it a browser that looks up no name.
    pub fn start(browser: &Path, downloads: &Path) -> Driver {
        let port = free_port();
        let process = Command::new(chromedriver(browser))
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let driver = Driver {
            process,
            port,
            session: RefCell::default(),
        };
        listening(port);
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--window-size=1280,900",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ];
        let options = json!({
            "binary": browser, "args": arguments, "prefs": {"download.default_directory": downloads},
        });
        let wanted = json!({
            "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": options,
        });
        let made = driver.request("POST", "/session", &json!({"capabilities": {"alwaysMatch": wanted}}));
        let session = made["sessionId"].as_str().expect("a session").to_owned();
        driver.session.replace(session);
        driver
    }

    /// A request to the driver; what it answers as a value.
    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        stream.set_read_timeout(Some(COMMAND)).expect("a time limit");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("the head is sent");
        stream.write_all(body.as_bytes()).expect("the body is sent");
        let answer: Value = serde_json::from_str(&read_body(stream)).expect("the driver answers in JSON");
        let error = &answer["value"]["error"];
        assert!(error.is_null(), "{method} {path}: {}", answer["value"]);
        answer["value"].clone()
    }

    /// A command of the session.
    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        let path = format!("/session/{}{path}", self.session.borrow());
        self.request(method, &path, body)
    }

    /// Opens an address.
    pub fn go(&self, address: &str) {
        self.command("POST", "/url", &json!({ "url": address }));
    }

    /// The title of the page.
    pub fn title(&self) -> String {
        self.command("GET", "/title", &Value::Null)
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Presses these keys, one after the other.
    pub fn press(&self, keys: &str) {
        let strokes: Vec<Value> = keys
            .chars()
            .flat_map(|key| {
                [
                    json!({"type": "keyDown", "value": key}),
                    json!({"type": "keyUp", "value": key}),
                ]
            })
            .collect();
        let actions = json!({"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]});
        self.command("POST", "/actions", &actions);
    }

    /// What a script returns.
    pub fn run(&self, script: &str) -> Value {
        self.command("POST", "/execute/sync", &json!({"script": script, "args": []}))
    }

    /// The text of the element with an id; empty when there is none.
    pub fn text(&self, id: &str) -> String {
        let script = format!("const e = document.getElementById('{id}'); return e ? e.textContent : ''");
        self.run(&script).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the text of an element contains these words; panics with what it says instead.
    pub fn sees(&self, id: &str, words: &str) {
        let start = Instant::now();
        loop {
            let text = self.text(id);
            if text.contains(words) {
                return;
            }
            if start.elapsed() > PATIENCE {
                let mut said = format!("`{words}` did not appear in #{id}: `{text}`");
                for other in ["counts", "saved", "notices", "told", "item-title"] {
                    let _ = write!(said, "; {other}: {}", self.text(other));
                }
                panic!("{said}");
            }
            sleep(Duration::from_millis(30));
        }
    }

    /// Gives a file to the element with an id that takes one.
    pub fn choose(&self, id: &str, file: &Path) {
        let found = self.command(
            "POST",
            "/element",
            &json!({"using": "css selector", "value": format!("#{id}")}),
        );
        let element = found
            .as_object()
            .and_then(|found| found.values().next())
            .and_then(Value::as_str);
        let path = format!("/element/{}/value", element.expect("an element"));
        self.command("POST", &path, &json!({ "text": file }));
    }

    /// A second window of the same browser, which becomes the current one; returns the first.
    pub fn new_window(&self) -> Value {
        let first = self.command("GET", "/window", &Value::Null);
        let second = self.command("POST", "/window/new", &json!({"type": "tab"}));
        self.command("POST", "/window", &json!({ "handle": second["handle"] }));
        first
    }

    /// Closes the current window and goes back to another.
    pub fn close_window(&self, back_to: &Value) {
        self.command("DELETE", "/window", &Value::Null);
        self.command("POST", "/window", &json!({ "handle": back_to }));
    }

    /// What the browser complained of since it was last asked.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.command("POST", "/se/log", &json!({"type": "browser"}));
        let entries = log.as_array().expect("a log").iter();
        entries
            .map(|entry| entry["message"].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The browser ends with its session; the driver, told to end first, would leave it behind.
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let session = self.session.borrow();
            let head = format!(
                "DELETE /session/{session} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\n\r\n",
                self.port
            );
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.read(&mut [0; 1]);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The body of an answer, of the length its head tells.
fn read_body(stream: TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line of the head");
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(told) = line.strip_prefix("content-length:") {
            length = told.trim().parse().expect("a length");
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the whole body");
    String::from_utf8(body).expect("the body is UTF-8")
}

/// The browser, if it and its driver are here; noted as skipped, or a failure where it is required, if not.
pub fn found(test: &str) -> Option<PathBuf> {
    let browser = crate::program::browser(test)?;
    if chromedriver(&browser).is_file() {
        return Some(browser);
    }
    assert!(
        std::env::var_os("CALIBRANT_REQUIRE_BROWSER").is_none_or(|value| value != "1"),
        "chromedriver is required on the PATH"
    );
    crate::program::skipped(test, "chromedriver");
    None
}

/// The driver on the PATH, else where it would stand beside the browser.
fn chromedriver(browser: &Path) -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&folders).map(|folder| folder.join("chromedriver"));
    on_path
        .into_iter()
        .find(|program| program.is_file())
        .unwrap_or_else(|| browser.with_file_name("chromedriver"))
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("its address").port()
}

fn listening(port: u16) {
    for _ in 0..400 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("chromedriver does not listen");
}
