//! Debian's Chromium, driven by keys through its WebDriver.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use thirtyfour::prelude::*;
use thirtyfour::{ChromiumLikeCapabilities, WindowHandle};

/// How long a page may take to show what it is expected to show.
const PATIENCE: Duration = Duration::from_secs(15);

/// A browser of its own, which ends with its value.
pub struct Driver {
    process: Child,
    port: u16,
    session: String,
    pub web: WebDriver,
}

impl Driver {
    /// Starts a driver on a free port, and through it a browser that looks up no name.
    pub async fn start(browser: &Path, downloads: &Path) -> Driver {
        let port = free_port();
        let process = Command::new(chromedriver(browser))
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let mut capabilities = DesiredCapabilities::chrome();
        let binary = browser.to_str().expect("the path is UTF-8");
        capabilities.set_binary(binary).expect("a binary");
        for argument in [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--window-size=1280,900",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ] {
            capabilities.add_arg(argument).expect("an argument");
        }
        let preferences = serde_json::json!({ "download.default_directory": downloads });
        capabilities
            .add_experimental_option("prefs", preferences)
            .expect("preferences");
        capabilities
            .set("goog:loggingPrefs", serde_json::json!({ "browser": "ALL" }))
            .expect("logging");
        listening(port).await;
        let web = WebDriver::new(format!("http://127.0.0.1:{port}"), capabilities)
            .await
            .expect("the browser starts");
        Driver {
            process,
            port,
            session: web.handle().session_id().to_string(),
            web,
        }
    }

    pub async fn go(&self, address: &str) {
        self.web.goto(address).await.expect("the page opens");
    }

    /// Presses these keys, one after the other.
    pub async fn press(&self, keys: &str) {
        self.web
            .action_chain()
            .send_keys(keys)
            .perform()
            .await
            .expect("keys are pressed");
    }

    /// The text of the element with an id; empty when there is none.
    pub async fn text(&self, id: &str) -> String {
        let script = format!("const e = document.getElementById('{id}'); return e ? e.textContent : ''");
        self.run(&script).await.as_str().unwrap_or_default().to_owned()
    }

    /// What a script returns.
    pub async fn run(&self, script: &str) -> serde_json::Value {
        let answer = self.web.execute(script, vec![]).await.expect("the script runs");
        answer.json().clone()
    }

    /// Waits until the text of an element contains these words; panics with what it says instead.
    pub async fn sees(&self, id: &str, words: &str) {
        let start = Instant::now();
        loop {
            let text = self.text(id).await;
            if text.contains(words) {
                return;
            }
            if start.elapsed() > PATIENCE {
                let mut said = format!("`{words}` did not appear in #{id}: `{text}`");
                for other in ["counts", "saved", "notices", "told", "item-title"] {
                    let _ = write!(said, "; {other}: {}", self.text(other).await);
                }
                panic!("{said}");
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// A second window of the same browser, which becomes the current one.
    pub async fn new_tab(&self) -> WindowHandle {
        let tab = self.web.new_tab().await.expect("a tab");
        self.web.switch_to_window(tab.clone()).await.expect("the tab");
        tab
    }

    /// What the browser complained of, as far as it concerns pages.
    pub async fn complaints(&self) -> Vec<String> {
        let log = self.web.browser_log().await.expect("the log");
        log.into_iter().map(|entry| entry.message).collect()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The browser ends with its session; the driver, told to end first, would leave it behind.
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let request = format!(
                "DELETE /session/{} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\n\r\n",
                self.session, self.port
            );
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let _ = stream.write_all(request.as_bytes());
            let _ = stream.read_to_end(&mut Vec::new());
        }
        // Else the library ends the session once more, and waits long for a driver that is gone.
        let _ = self.web.clone().leak();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
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

async fn listening(port: u16) {
    for _ in 0..200 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("chromedriver does not listen");
}
