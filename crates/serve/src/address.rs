//! Where the server listens, and under which names it may be asked.
//!
//! A page on another site can make a browser ask a server on this machine under a name of its own (DNS rebinding). So requests
//! are answered only under an address in digits, under `localhost`, or under the public name that was given.

use std::net::{IpAddr, Ipv4Addr};

use axum::http::uri::{Authority, Uri};

/// Whether the server may be reached over plain HTTP from other machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// Only from this machine; others come through a proxy here that speaks TLS.
    #[default]
    Loopback,
    /// From anywhere, readable and changeable on the way.
    PlainAnywhere,
}

/// Where the server listens and how graders reach it.
#[derive(Clone, Debug)]
pub struct Address {
    /// The address to listen on.
    pub bind: IpAddr,
    /// The port; without one, that of the last time, or else a free one.
    pub port: Option<u16>,
    /// The address graders use, as `https://grading.example.org`, where a proxy stands before the server.
    pub public: Option<String>,
    /// Whether other machines may come without a proxy.
    pub transport: Transport,
}

impl Default for Address {
    /// This machine alone, on a free port (PROTOCOLS 9, line 9).
    fn default() -> Self {
        Self {
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: None,
            public: None,
            transport: Transport::Loopback,
        }
    }
}

/// A public address, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Public {
    /// `https://grading.example.org` or `https://example.org:8443/grading`, without a slash at the end.
    pub(crate) base: String,
    /// Whether it speaks TLS.
    pub(crate) is_secure: bool,
    authority: String,
    origin: String,
}

impl Public {
    /// The public address that a text names, or what is wrong with it.
    pub(crate) fn read(text: &str) -> Result<Public, String> {
        let uri: Uri = text
            .parse()
            .map_err(|reason| format!("`{text}` is no address: {reason}"))?;
        let scheme = uri.scheme_str().unwrap_or_default();
        let authority = uri.authority().map(|authority| authority.as_str().to_ascii_lowercase());
        match (scheme, authority) {
            ("http" | "https", Some(authority)) if uri.query().is_none() && !authority.contains('@') => Ok(Public {
                base: text.trim_end_matches('/').to_owned(),
                is_secure: scheme == "https",
                origin: format!("{scheme}://{authority}"),
                authority,
            }),
            _ => Err(format!("`{text}` is not of the form https://grading.example.org")),
        }
    }
}

/// The names under which requests are answered.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    bind: IpAddr,
    public: Option<Public>,
}

impl Names {
    pub(crate) fn new(bind: IpAddr, public: Option<Public>) -> Self {
        Self { bind, public }
    }

    /// Whether a request under this `Host` is answered. Ports are left open, so that a tunnel may use another.
    pub(crate) fn allow_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        if self.public.as_ref().is_some_and(|public| public.authority == host) {
            return true;
        }
        let Ok(authority) = host.parse::<Authority>() else {
            return false;
        };
        if authority.as_str().contains('@') {
            return false;
        }
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        match name.parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || !self.bind.is_loopback(),
            Err(_) => name == "localhost",
        }
    }

    /// Whether a request that changes something may come from a page of this origin, under an allowed `Host`.
    pub(crate) fn allow_origin(&self, origin: &str, host: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        if self.public.as_ref().is_some_and(|public| public.origin == origin) {
            return true;
        }
        let own = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"));
        own == Some(host.to_ascii_lowercase().as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bind: &str, public: Option<&str>) -> Names {
        let public = public.map(|public| Public::read(public).expect("a public address"));
        Names::new(bind.parse().expect("an address"), public)
    }

    #[test]
    fn a_name_of_someone_elses_is_not_answered() {
        let here = names("127.0.0.1", None);
        for host in ["127.0.0.1:8000", "localhost:8000", "[::1]:9", "LOCALHOST", "127.0.0.1"] {
            assert!(here.allow_host(host), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8000",
            "192.168.1.5:8000",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "user@127.0.0.1",
            "",
            "0x7f.1",
        ] {
            assert!(!here.allow_host(host), "{host}");
        }
        let anywhere = names("0.0.0.0", None);
        assert!(anywhere.allow_host("192.168.1.5:8000") && !anywhere.allow_host("evil.example:8000"));
        let proxied = names("127.0.0.1", Some("https://Grading.example.org/"));
        assert!(proxied.allow_host("grading.example.org") && !proxied.allow_host("example.org"));
    }

    #[test]
    fn only_a_page_of_the_server_itself_may_change_anything() {
        let here = names("127.0.0.1", None);
        assert!(here.allow_origin("http://127.0.0.1:8000", "127.0.0.1:8000"));
        for origin in [
            "null",
            "",
            "http://127.0.0.1:8001",
            "http://evil.example",
            "ftp://127.0.0.1:8000",
        ] {
            assert!(!here.allow_origin(origin, "127.0.0.1:8000"), "{origin}");
        }
        let proxied = names("127.0.0.1", Some("https://grading.example.org"));
        assert!(proxied.allow_origin("https://grading.example.org", "127.0.0.1:8000"));
        assert!(!proxied.allow_origin("http://grading.example.org", "127.0.0.1:8000"));
    }

    #[test]
    fn a_public_address_is_one_that_a_browser_can_open() {
        assert!(
            Public::read("https://example.org/grading/")
                .is_ok_and(|public| public.base == "https://example.org/grading")
        );
        for text in [
            "grading.example.org",
            "ftp://example.org",
            "https://a@example.org",
            "https://example.org?x=1",
            "",
        ] {
            assert!(Public::read(text).is_err(), "{text}");
        }
    }
}
