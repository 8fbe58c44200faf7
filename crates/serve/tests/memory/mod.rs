//! A round of grading in memory, and a client that says every header itself.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;

use calibrant_schema::exercise::{Mark, Paper, PaperCriterion, PaperUnit};
use calibrant_schema::{Card, Scale, Turn};
use calibrant_serve::{Address, Event, Link, Options, Round, Trouble, serve};
use serde_json::{Value, json};

/// A sheet: marks, and whether it is locked.
#[derive(Default)]
struct Sheet {
    marks: Vec<Mark>,
    locked: bool,
}

/// Two graders, one answer, one criterion.
#[derive(Default)]
pub struct MemoryRound {
    sheets: Mutex<BTreeMap<String, Sheet>>,
    /// Why nothing can be recorded, if so.
    pub broken: Mutex<Option<String>>,
}

pub const EXERCISE: &str = "00112233445566778899aabbccddeeff";
pub const GRADERS: [&str; 2] = ["annika", "bogdan"];

impl Round for MemoryRound {
    fn exercise(&self) -> &str {
        EXERCISE
    }

    fn graders(&self) -> Vec<String> {
        GRADERS.map(str::to_owned).to_vec()
    }

    fn paper(&self, grader: &str) -> Result<Paper, Trouble> {
        let card = Card {
            question: "Does it say when?".to_owned(),
            pass_example: None,
            fail_example: None,
            boundary: None,
            scale: Scale::Binary,
        };
        let turn = |text: &str| Turn {
            role: "assistant".to_owned(),
            text: text.to_owned(),
        };
        Ok(Paper {
            exercise: EXERCISE.to_owned(),
            grader: grader.to_owned(),
            rubric: None,
            criteria: vec![PaperCriterion {
                criterion: "dated".to_owned(),
                hash: card.hash(),
                card,
            }],
            units: vec![PaperUnit {
                unit: "0f".to_owned(),
                prompt: vec![],
                response: vec![turn("</script><script>alert(1)</script>")],
                criteria: vec![0],
            }],
        })
    }

    fn marks(&self, grader: &str) -> Result<Vec<Mark>, Trouble> {
        let sheets = self.sheets.lock().expect("no thread panicked");
        Ok(sheets.get(grader).map(|sheet| sheet.marks.clone()).unwrap_or_default())
    }

    fn is_locked(&self, grader: &str) -> Result<bool, Trouble> {
        let sheets = self.sheets.lock().expect("no thread panicked");
        Ok(sheets.get(grader).is_some_and(|sheet| sheet.locked))
    }

    fn record(&self, grader: &str, marks: Vec<Mark>) -> Result<(), Trouble> {
        if let Some(why) = self.broken.lock().expect("no thread panicked").clone() {
            return Err(Trouble::Failed(why));
        }
        let paper = self.paper(grader)?;
        if let Some(wrong) = marks.iter().find_map(|mark| paper.check(mark).err()) {
            return Err(Trouble::Wrong(wrong.to_string()));
        }
        let mut sheets = self.sheets.lock().expect("no thread panicked");
        let sheet = sheets.entry(grader.to_owned()).or_default();
        for mark in marks {
            let last = sheet.marks.last().map_or(0, |mark| mark.nth);
            assert!(mark.nth > last, "counters rise");
            sheet.marks.push(mark);
        }
        Ok(())
    }

    fn lock(&self, grader: &str) -> Result<(), Trouble> {
        let mut sheets = self.sheets.lock().expect("no thread panicked");
        let sheet = sheets.entry(grader.to_owned()).or_default();
        match sheet.locked {
            true => Err(Trouble::Locked),
            false => {
                sheet.locked = true;
                Ok(())
            }
        }
    }
}

/// A server that runs until the tests end.
pub struct Running {
    pub address: SocketAddr,
    pub links: Vec<Link>,
    pub round: Arc<MemoryRound>,
    pub events: mpsc::Receiver<Event>,
}

/// Starts a server whose links are kept in this folder.
pub fn start(folder: &Path) -> Running {
    let round = Arc::new(MemoryRound::default());
    let options = Options {
        address: Address::default(),
        links: folder.join("links.json"),
        renew: vec![],
    };
    let (tell, told) = mpsc::channel();
    let (hear, events) = mpsc::channel();
    let shared = Arc::clone(&round);
    thread::spawn(move || {
        let opened = |opened: &calibrant_serve::Opened| tell.send(opened.clone()).expect("the test waits");
        let on = move |event| drop(hear.send(event));
        serve(shared, &options, opened, on).expect("the server starts");
    });
    let opened = told.recv().expect("the server starts");
    Running {
        address: opened.address,
        links: opened.links,
        round,
        events,
    }
}

/// An answer as it came.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|reason| panic!("{reason}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .into_iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

/// One request on a connection of its own.
pub fn ask(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let mut text = format!(
        "{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.push_str(body);
    // A server that refuses a body may close before it has read it all.
    let _ = stream.write_all(text.as_bytes());
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer in UTF-8");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    Answer {
        status: head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .expect("a status"),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

/// A browser of one grader: cookie and guard as the page has them.
pub struct Browser {
    pub address: SocketAddr,
    pub cookie: String,
    pub guard: String,
    pub page: Answer,
}

impl Browser {
    /// Opens a link: the token for a cookie, the cookie for the page, the guard out of the page.
    pub fn open(running: &Running, grader: &str) -> Browser {
        let link = running.links.iter().find(|link| link.grader == grader).expect("a link");
        let url = link.url.as_deref().expect("a new link");
        let token = url.split_once("/#sheet=").expect("the token is in the fragment").1;
        let address = running.address;
        let host = address.to_string();
        let origin = format!("http://{host}");
        let json = [
            ("host", host.as_str()),
            ("origin", &origin),
            ("content-type", "application/json"),
        ];
        let entered = ask(
            address,
            "POST",
            "/session",
            &json,
            &json!({ "token": token }).to_string(),
        );
        assert_eq!(entered.status, 204, "{entered:?}");
        let cookie = entered.header("set-cookie").and_then(|cookie| cookie.split(';').next());
        let cookie = cookie.expect("a cookie").to_owned();
        let page = ask(address, "GET", "/", &[("host", &host), ("cookie", &cookie)], "");
        let data = page.body.split_once("id=\"data\">").expect("the data").1;
        let data = data.split_once("</script>").expect("its end").0;
        let data: Value = serde_json::from_str(data).expect("the data is JSON");
        Browser {
            address,
            cookie,
            guard: data["guard"].as_str().expect("a guard").to_owned(),
            page,
        }
    }

    /// A request as the page makes it.
    pub fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let host = self.address.to_string();
        let origin = format!("http://{host}");
        let headers = [
            ("host", host.as_str()),
            ("origin", &origin),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
            ("cookie", &self.cookie),
            ("x-calibrant-sheet", &self.guard),
        ];
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        ask(self.address, method, path, &headers, &body)
    }

    pub fn record(&self, marks: &[Value]) -> Answer {
        self.send("POST", "/api/marks", &json!({ "marks": marks }))
    }
}

/// A verdict on the one cell there is.
pub fn verdict(nth: u64, label: f64) -> Value {
    json!({"unit": "0f", "criterion": "dated", "act": "verdict", "label": label, "at": "2026-05-09T08:00:00Z", "nth": nth})
}
