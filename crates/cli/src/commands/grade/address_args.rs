//! Flags that say where a page is served.

use std::net::IpAddr;

use calibrant_serve::{Address, Transport};

/// Where a page is served.
#[derive(Debug, clap::Args)]
pub(crate) struct AddressArgs {
    /// Port [default: that of the last time, else a free one]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// Address that graders open, where a proxy with TLS stands before this server
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Let other machines come without TLS: anyone on the way can read and change what graders see and send
    #[arg(long)]
    unsafe_allow_plain_http: bool,
}

impl AddressArgs {
    /// The address, as the server takes it.
    pub(super) fn address(&self) -> Address {
        Address {
            bind: self.bind,
            port: self.port,
            public: self.public_url.clone(),
            transport: match self.unsafe_allow_plain_http {
                true => Transport::PlainAnywhere,
                false => Transport::Loopback,
            },
        }
    }
}
