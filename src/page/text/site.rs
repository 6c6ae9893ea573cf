//! The host and the site of a page (Henzinger 2006, 1).

use std::net::{Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// The rule that maps a host name to a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteRule {
    /// The host name without its first label, if it has at least three labels (Henzinger 2006, 1).
    Henzinger,
    /// The registrable domain by the public suffix list.
    Registrable,
}

impl SiteRule {
    /// Returns the site of a host name by this rule.
    pub fn site(self, host: &str) -> String {
        match self {
            SiteRule::Henzinger => henzinger_site(host),
            SiteRule::Registrable => registrable_domain(host),
        }
    }
}

/// Returns the site of a host name as Henzinger (SIGIR 2006, 1) defines it: the domain name if it has at most one dot,
/// else the part after its first dot. An IP address is its own site; a port and a trailing dot are ignored.
pub(crate) fn henzinger_site(host: &str) -> String {
    let host = bare(host);
    if is_address(&host) {
        return host;
    }
    match host.split_once('.') {
        Some((_, rest)) if rest.contains('.') => rest.to_owned(),
        _ => host,
    }
}

/// Returns the registrable domain of a host name by the public suffix list (`bbc.co.uk` for `www.bbc.co.uk`, for which
/// Henzinger's rule gives `co.uk`), or the host name itself if it has none: IP addresses, single names, public
/// suffixes.
pub(crate) fn registrable_domain(host: &str) -> String {
    let host = bare(host);
    if is_address(&host) {
        return host;
    }
    match psl::domain_str(&host) {
        Some(domain) => domain.to_owned(),
        None => host,
    }
}

/// Returns the host of an absolute address, in lower case and ASCII, without port or trailing dot.
pub fn host_of(url: &str) -> Option<String> {
    let host = match Url::parse(url.trim()).ok()?.host()? {
        Host::Domain(name) => bare(name),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    };
    (!host.is_empty()).then_some(host)
}

/// Drops port, trailing dot and the brackets of an IPv6 address.
fn bare(host: &str) -> String {
    let mut host = host.trim();
    if let Some((address, _)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        host = address;
    } else if let Some((name, port)) = host.split_once(':')
        && port.bytes().all(|byte| byte.is_ascii_digit())
    {
        host = name;
    }
    host.strip_suffix('.').unwrap_or(host).to_lowercase()
}

fn is_address(host: &str) -> bool {
    host.parse::<Ipv4Addr>().is_ok() || host.parse::<Ipv6Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn henzinger_drops_what_stands_before_the_first_dot() {
        for (host, site) in [
            ("www.cs.berkeley.edu", "cs.berkeley.edu"),
            ("WWW.Berkeley.EDU.", "berkeley.edu"),
            ("berkeley.edu:8080", "berkeley.edu"),
            ("localhost", "localhost"),
            ("bbc.co.uk", "co.uk"),
            ("10.1.2.3", "10.1.2.3"),
            ("10.1.2.3:80", "10.1.2.3"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("", ""),
            (".", ""),
            ("..", "."),
        ] {
            assert_eq!(henzinger_site(host), site, "{host}");
        }
    }

    #[test]
    fn the_public_suffix_list_knows_two_part_suffixes() {
        for (host, site) in [
            ("news.bbc.co.uk", "bbc.co.uk"),
            ("www.example.com.", "example.com"),
            ("a.b.github.io", "b.github.io"),
            ("co.uk", "co.uk"),
            ("localhost", "localhost"),
            ("10.1.2.3", "10.1.2.3"),
            ("", ""),
        ] {
            assert_eq!(registrable_domain(host), site, "{host}");
        }
        assert_eq!(SiteRule::Henzinger.site("bbc.co.uk"), "co.uk");
        assert_eq!(SiteRule::Registrable.site("bbc.co.uk"), "bbc.co.uk");
    }

    #[test]
    fn hosts_come_without_port_and_trailing_dot() {
        for (url, host) in [
            ("https://WWW.Example.com.:8443/a?b#c", Some("www.example.com")),
            ("http://user:word@example.org/", Some("example.org")),
            ("http://[2001:DB8::1]:80/", Some("2001:db8::1")),
            ("http://0x7f.1/", Some("127.0.0.1")),
            ("http://bücher.example/", Some("xn--bcher-kva.example")),
            ("mailto:a@b.c", None),
            ("www.example.com/a", None),
            ("http://", None),
            ("", None),
        ] {
            assert_eq!(host_of(url).as_deref(), host, "{url}");
        }
    }
}
