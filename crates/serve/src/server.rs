//! The server from its start to its end.

use std::collections::BTreeMap;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use calibrant_project::{ProjectError, Review};
use calibrant_report::sheet::{self, Served};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::address::{Address, Names, Public, Transport};
use crate::desk::{Desk, behind};
use crate::events::Event;
use crate::links::{Links, Token};
use crate::review::{self, PEOPLE};
use crate::round::Round;
use crate::routes::{Office, routes};
use crate::session::cookie_name;
use crate::strangers::Strangers;

/// How long requests under way may take after the server was told to stop.
const FAREWELL: Duration = Duration::from_secs(5);

/// How a round is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen, and under which name graders come.
    pub address: Address,
    /// The file of the links, beside the exercise.
    pub links: PathBuf,
    /// Graders who get a new link, which ends the one before.
    pub renew: Vec<String>,
}

/// A grader's link, where it is known: links given out before are kept as hashes only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Whose it is.
    pub grader: String,
    /// The link, if it was made just now.
    pub url: Option<String>,
}

/// A server that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Where it listens.
    pub address: SocketAddr,
    /// What links begin with.
    pub base: String,
    /// The port that links given out before lead to, where it was taken and another had to be used.
    pub port_lost: Option<u16>,
    /// One link a grader, in the order they were named.
    pub links: Vec<Link>,
}

/// Serves a round until it is interrupted (Ctrl-C, SIGTERM), then finishes what is under way.
///
/// `opened` is told where the server is as soon as it answers; `on` hears what happens, on any thread.
///
/// # Errors
/// If the address may not be used, is taken, or the file of links cannot be read or written.
///
/// Source: PROTOCOLS 9, line 9.
pub fn serve(
    round: Arc<dyn Round>,
    options: &Options,
    opened: impl FnOnce(&Opened),
    on: impl Fn(Event) + Send + Sync + 'static,
) -> Result<(), ProjectError> {
    let graders = round.graders();
    if let Some(unknown) = options.renew.iter().find(|name| !graders.contains(name)) {
        let shown: String = unknown.escape_debug().collect();
        return Err(refused(
            "unknown-grader",
            format!("`{shown}` has no sheet in this round"),
            "name one of the graders of the exercise",
        ));
    }
    let exercise = round.exercise().to_owned();
    let premises = Premises {
        kind: "sheet",
        links: Links::open(&options.links, &exercise, &graders, &options.renew)?,
        exercise,
        people: graders,
        door: sheet::door(),
        page: Box::new(|desk| {
            let turns = round.graders().into_iter().map(|grader| (grader, Mutex::new(())));
            routes(Arc::new(Office {
                turns: turns.collect(),
                desk,
                round,
            }))
        }),
    };
    open(premises, &options.address, opened, Box::new(on))
}

/// Serves a review of disagreements until it is interrupted, behind one link that ends with the server.
///
/// Nothing of a round is in a [`Review`] before all its sheets are locked.
///
/// # Errors
/// If the address may not be used or is taken.
///
/// Source: PROTOCOLS 4.3, points 7 and 8; PROTOCOLS 9, line 9.
pub fn serve_review(
    review: Review,
    address: &Address,
    opened: impl FnOnce(&Opened),
    on: impl Fn(Event) + Send + Sync + 'static,
) -> Result<(), ProjectError> {
    let exercise = review.disagreements.exercise.clone();
    let premises = Premises {
        kind: "review",
        links: Links::fleeting(&exercise, PEOPLE)?,
        exercise,
        people: vec![PEOPLE.to_owned()],
        door: calibrant_report::review::door(),
        page: Box::new(|desk| review::routes(desk, review)),
    };
    open(premises, address, opened, Box::new(on))
}

/// What is served, and to whom.
struct Premises {
    /// What a link opens, as it stands in links and cookies.
    kind: &'static str,
    exercise: String,
    people: Vec<String>,
    /// The links, with the tokens of those made just now.
    links: (Links, Vec<(String, Token)>),
    door: Served,
    page: Box<dyn FnOnce(Arc<Desk>) -> Router>,
}

fn open(
    premises: Premises,
    address: &Address,
    opened: impl FnOnce(&Opened),
    on: Box<dyn Fn(Event) + Send + Sync>,
) -> Result<(), ProjectError> {
    let public = check(address)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|reason| refused("server", format!("cannot start the server: {reason}"), "try again"))?;
    let done = runtime.block_on(run(premises, address, public, opened, on));
    // A request that waits for the disk is not waited for longer than others were.
    runtime.shutdown_timeout(FAREWELL);
    done
}

async fn run(
    premises: Premises,
    asked: &Address,
    public: Option<Public>,
    opened: impl FnOnce(&Opened),
    on: Box<dyn Fn(Event) + Send + Sync>,
) -> Result<(), ProjectError> {
    let (mut links, made) = premises.links;
    let remembered = links.port();
    let (listener, address) = listen(asked, remembered).await?;
    links.keep(address.port())?;
    let base = public
        .as_ref()
        .map_or_else(|| base(address), |public| public.base.clone());
    let desk = Arc::new(Desk {
        cookie: cookie_name(premises.kind, &premises.exercise),
        links,
        is_secure: public.as_ref().is_some_and(|public| public.is_secure),
        names: Names::new(asked.bind, public),
        strangers: Mutex::new(Strangers::default()),
        door: premises.door,
        on,
    });
    let service = behind(&desk, (premises.page)(Arc::clone(&desk)));
    // Whoever stops the server is heard from before anybody is told that it runs.
    let stop = interruption()?;
    let made: BTreeMap<_, _> = made.into_iter().collect();
    let of = |person: &String| {
        made.get(person)
            .map(|token| format!("{base}/#{}={}", premises.kind, token.as_str()))
    };
    let links = premises.people.iter().map(|person| Link {
        grader: person.clone(),
        url: of(person),
    });
    opened(&Opened {
        address,
        links: links.collect(),
        base: base.clone(),
        port_lost: remembered.filter(|port| *port != address.port()),
    });
    until(stop, listener, service).await
}

/// Serves until `stop` is done, then for as long as requests under way take, within bounds.
async fn until(
    stop: impl Future<Output = ()> + Send + 'static,
    listener: TcpListener,
    routes: Router,
) -> Result<(), ProjectError> {
    let service = routes.into_make_service_with_connect_info::<SocketAddr>();
    let (told, stopped) = oneshot::channel();
    let serving = axum::serve(listener, service).with_graceful_shutdown(async move {
        stop.await;
        let _ = told.send(());
    });
    let farewell = async {
        // A sender that is gone means that serving is over, which the other arm sees.
        if stopped.await.is_err() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(FAREWELL).await;
    };
    tokio::select! {
        done = serving => done.map_err(|reason| refused("server", format!("the server stopped: {reason}"), "start it again")),
        () = farewell => Ok(()),
    }
}

/// What may be served where, before anything is opened.
fn check(address: &Address) -> Result<Option<Public>, ProjectError> {
    let Address {
        bind,
        ref public,
        transport,
        ..
    } = *address;
    if !bind.is_loopback() && transport != Transport::PlainAnywhere {
        return Err(refused(
            "open-server",
            format!(
                "{bind} can be reached from other machines, over a connection that anyone on the way can read and change"
            ),
            "stay on 127.0.0.1 behind a proxy that speaks TLS (--public-url), or say --unsafe-allow-plain-http",
        ));
    }
    let read = |text: &String| {
        Public::read(text).map_err(|wrong| {
            refused(
                "public-url",
                wrong,
                "give the address that graders open in their browser",
            )
        })
    };
    public.as_ref().map(read).transpose()
}

/// Listens on the port asked for, else on that of the last time, else on a free one.
async fn listen(address: &Address, remembered: Option<u16>) -> Result<(TcpListener, SocketAddr), ProjectError> {
    let bind = |port| TcpListener::bind(SocketAddr::new(address.bind, port));
    let bound = match (address.port, remembered) {
        (Some(port), _) => bind(port).await,
        (None, Some(port)) => match bind(port).await {
            Ok(listener) => Ok(listener),
            Err(_) => bind(0).await,
        },
        (None, None) => bind(0).await,
    };
    let failed = |reason: std::io::Error| {
        let port = address.port.unwrap_or_default();
        refused(
            "not-listening",
            format!("cannot listen on {}, port {port}: {reason}", address.bind),
            "choose another --port, or none for a free one",
        )
    };
    let listener = bound.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

/// What links begin with where no proxy stands before the server.
fn base(address: SocketAddr) -> String {
    let host = match address.ip() {
        // Nobody can open an address that means "all of mine"; on this machine the loopback is one of them.
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(host, address.port()))
}

/// Done when the program is told to stop. Listening begins with the call.
fn interruption() -> Result<impl Future<Output = ()> + Send + 'static, ProjectError> {
    let failed = |reason: std::io::Error| refused("server", format!("cannot hear Ctrl-C: {reason}"), "try again");
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        Ok(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    {
        let _ = failed;
        Ok(async {
            let _ = tokio::signal::ctrl_c().await;
        })
    }
}

fn refused(id: &'static str, what: String, help: &str) -> ProjectError {
    ProjectError::refused(id, what, help)
}
