//! The clients of HTTP servers, and the redirects that they follow.
//!
//! A server on the internet must not have this machine read what only its own network can: neither by a redirect to an
//! address or a name in that network, nor by a name of its own that is suddenly in it. So each name is resolved here,
//! its addresses are checked, and only these are connected to. Names that a proxy resolves are its own business.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{self, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};

use crate::failure::Failure;
use crate::trouble::{Inside, Trouble, causes};
use crate::version::text;

/// Time without a byte after which a request has failed.
pub(crate) const SILENCE: Duration = Duration::from_secs(30);

/// Redirects that are followed.
const REDIRECTS: usize = 10;

/// Returns the addresses of a name.
pub(crate) type Lookup = fn(&str) -> io::Result<Vec<IpAddr>>;

/// The clients of all servers.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    /// For addresses that the user gave, and redirects within a private network.
    any: Client,
    /// For redirects from the internet. It has connections of its own.
    public: Client,
    names: Arc<Names>,
}

impl Servers {
    /// Makes the clients.
    pub(crate) fn connect() -> io::Result<Self> {
        Self::with(|name| Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect()), is_internal)
    }

    /// Makes clients that find names by `lookup`; `inside` tells of an address whether it is in a private network.
    pub(crate) fn with(lookup: Lookup, inside: fn(IpAddr) -> bool) -> io::Result<Self> {
        let names = Arc::new(Names { lookup, inside, proxies: proxies(), known: Mutex::default() });
        let client = |is_public| {
            let resolver = Resolver { names: Arc::clone(&names), is_public };
            let builder = Client::builder().read_timeout(SILENCE).connect_timeout(SILENCE).dns_resolver(resolver);
            let client = builder.redirect(Policy::none()).referer(false).build();
            client.map_err(|error| Failure::of(io::ErrorKind::Other, causes(&error)))
        };
        Ok(Self { any: client(false)?, public: client(true)?, names })
    }

    /// Sends a request, and follows redirects.
    pub(crate) async fn get(&self, url: &Url, fields: HeaderMap) -> Result<Response, Trouble> {
        let mut passed = Vec::new();
        let mut url = url.clone();
        loop {
            let client = if self.names.are_inside(&passed) { &self.any } else { &self.public };
            let answer = client.get(url.clone()).headers(fields.clone()).send().await?;
            let is_redirect = matches!(answer.status().as_u16(), 301..=303 | 307 | 308);
            let Some(to) = text(answer.headers(), header::LOCATION).filter(|_| is_redirect) else { return Ok(answer) };
            let mut to =
                url.join(&to).map_err(|error| Trouble::mismatch(&format!("it is redirected wrongly: {error}")))?;
            // The user and password of an address are for its own server.
            if to.origin() == url.origin() && to.username().is_empty() && to.password().is_none() {
                let _ = to.set_username(url.username()).and_then(|()| to.set_password(url.password()));
            }
            passed.push(url);
            if let Some(why) = self.names.unfollowed(&passed, &to) {
                return Err(Trouble::lasting(io::ErrorKind::Other, why));
            }
            url = to;
        }
    }
}

/// The names of hosts.
#[derive(Debug)]
struct Names {
    lookup: Lookup,
    inside: fn(IpAddr) -> bool,
    /// The hosts of proxies, which may be anywhere.
    proxies: Vec<String>,
    /// The names that were resolved, and whether all addresses of each have always been in a private network.
    known: Mutex<HashMap<String, bool>>,
}

impl Names {
    /// Returns the addresses of a host that may be connected to.
    fn addresses(&self, host: &str, is_public: bool) -> Result<Vec<IpAddr>, Box<dyn std::error::Error + Send + Sync>> {
        let all = (self.lookup)(host)?;
        if self.proxies.iter().any(|proxy| proxy == host) {
            return Ok(all);
        }
        let outside: Vec<IpAddr> = all.iter().copied().filter(|&address| !(self.inside)(address)).collect();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_inside = known.entry(host.to_owned()).or_insert(true);
        *is_inside &= outside.is_empty();
        match (outside.is_empty(), is_public) {
            (false, _) => Ok(outside),
            (true, false) if *is_inside => Ok(all),
            (true, true) => Err(Inside(redirected(host)).into()),
            (true, false) => Err(Inside(format!(
                "{host} was on the internet, and is in a private network now; if that is meant, run the command again"
            ))
            .into()),
        }
    }

    /// Returns whether all of these addresses are in a private network, by number or by what their names were resolved
    /// to, or are this machine by name.
    fn are_inside(&self, urls: &[Url]) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        urls.iter().all(|url| {
            let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
            let name = host.trim_end_matches('.');
            match host.parse::<IpAddr>() {
                Ok(address) => (self.inside)(address),
                Err(_) => name == "localhost" || name.ends_with(".localhost") || known.get(host) == Some(&true),
            }
        })
    }

    /// Returns why a redirect to an address is not followed.
    fn unfollowed(&self, passed: &[Url], to: &Url) -> Option<String> {
        if passed.len() >= REDIRECTS {
            return Some("it is redirected again and again".into());
        }
        if to.scheme() != "https" && passed.last().is_some_and(|url| url.scheme() == "https") {
            return Some("it is redirected from https to http, where anybody may change it".into());
        }
        let is_refused = self.are_inside(std::slice::from_ref(to)) && !self.are_inside(passed);
        is_refused.then(|| redirected(to.host_str().unwrap_or_default()))
    }
}

fn redirected(host: &str) -> String {
    format!("it is redirected to {host}, in a private network; if that is meant, give its address there")
}

/// Returns whether an address is this machine or one of its own network.
fn is_internal(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            // 100.64.0.0/10 is between a provider and its customers, and in virtual networks.
            let is_shared = matches!(v4.octets(), [100, 64..=127, ..]);
            v4.is_loopback() || v4.is_private() || v4.is_link_local() || v4.octets()[0] == 0 || is_shared
        }
        IpAddr::V6(v6) => match v6.segments() {
            // An IPv4 address behind a translator.
            [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
                is_internal(IpAddr::V4((u32::from(high) << 16 | u32::from(low)).into()))
            }
            _ => v6.is_loopback() || v6.is_unspecified() || v6.is_unique_local() || v6.is_unicast_link_local(),
        },
    }
}

/// Returns the hosts of the proxies that the environment names.
fn proxies() -> Vec<String> {
    let names = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
    let host = |value: String| {
        let url = if value.contains("://") { Url::parse(&value) } else { Url::parse(&format!("http://{value}")) };
        url.ok()?.host_str().map(str::to_lowercase)
    };
    names.iter().filter_map(|name| std::env::var(name).ok().and_then(host)).collect()
}

/// Resolves the names of a client.
struct Resolver {
    names: Arc<Names>,
    is_public: bool,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, is_public, host) = (Arc::clone(&self.names), self.is_public, name.as_str().to_lowercase());
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(move || names.addresses(&host, is_public)).await??;
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_from_a_public_server_into_a_private_network_is_refused() {
        let url = |text: &str| Url::parse(text).expect("an address");
        let names = Servers::connect().expect("clients").names;
        let public = [
            "http://example.org/a",
            "https://198.51.100.7/",
            "http://[2001:db8::1]/",
            "http://172.32.0.1/",
            "http://100.128.0.1/",
            "http://[64:ff9b::198.51.100.7]/",
        ];
        let internal = [
            "http://127.0.0.1:9000/",
            "http://0x7f.1/",
            "http://localhost/",
            "http://a.localhost./",
            "http://10.1.2.3/",
            "http://100.64.0.1/",
            "http://172.16.0.1/",
            "http://192.168.1.1/",
            "http://169.254.169.254/latest/meta-data",
            "http://0.0.0.0/",
            "http://[::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://[64:ff9b::10.0.0.1]/",
            "http://[fd00::1]/",
            "http://[fe80::1]/",
        ]
        .map(url);
        let first = url("http://example.org/");
        for to in public.map(url) {
            assert_eq!(names.unfollowed(std::slice::from_ref(&first), &to), None, "{to}");
        }
        let home = url("http://192.168.7.7/");
        for to in &internal {
            let why = names.unfollowed(std::slice::from_ref(&first), to).expect("refused");
            assert!(why.contains(to.host_str().expect("a host")) && why.contains("give its address"), "{why}");
            assert_eq!(names.unfollowed(std::slice::from_ref(&home), to), None, "both are of a private network: {to}");
            assert!(names.unfollowed(&[home.clone(), first.clone()], to).is_some(), "by way of the internet: {to}");
        }
        let secure = [url("https://example.org/")];
        assert!(names.unfollowed(&secure, &first).is_some_and(|why| why.contains("from https to http")));
        let circle = vec![first.clone(); REDIRECTS];
        assert!(names.unfollowed(&circle, &first).is_some_and(|why| why.contains("again and again")));
    }
}
