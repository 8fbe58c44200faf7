//! Plain HTTP, so that a test sees every byte that is served.

use std::io::{Read, Write};
use std::net::TcpStream;

/// One request on a connection of its own; the whole answer, head and body.
pub fn ask(base: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let host = base.strip_prefix("http://").expect("plain HTTP");
    let mut stream = TcpStream::connect(host).expect("the server listens");
    let mut text = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\norigin: {base}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    stream.write_all(text.as_bytes()).expect("the head is sent");
    stream.write_all(body.as_bytes()).expect("the body is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer in UTF-8");
    answer
}

/// The cookie that a link is good for.
pub fn cookie(base: &str, link: &str) -> String {
    let token = link.rsplit_once('=').expect("a link").1;
    let answer = ask(base, "POST", "/session", &[], &format!("{{\"token\":\"{token}\"}}"));
    let line = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = line.unwrap_or_else(|| panic!("no cookie: {answer}"));
    cookie.split(';').next().unwrap_or_default().to_owned()
}

/// The guard that the page of a cookie sends along.
pub fn guard(page: &str) -> String {
    let from = page.split_once("\"guard\":\"").expect("a guard").1;
    from.split_once('"').expect("its end").0.to_owned()
}
