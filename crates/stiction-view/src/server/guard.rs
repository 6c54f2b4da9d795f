//! Who is let in.
//!
//! A page of another site can make a browser send requests to loopback. It is kept out three
//! times: it does not know the token, its requests carry its own `Origin`, and where it had its
//! name point here (DNS rebinding) the `Host` is that name.

use super::Shared;
use axum::extract::{Request, State};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Bytes of the token.
const TOKEN_BYTES: usize = 16;

/// What a browser may load and do for the page: nothing that leaves this address. Some do not take
/// the WebSocket for `'self'`; its address comes after this.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self' data:; \
     worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     connect-src 'self'";

/// What else browsers are told with every answer.
const HEADERS: [(HeaderName, &str); 5] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The token and the addresses that are ours.
pub struct Guard {
    token: String,
    address: SocketAddr,
}

impl Guard {
    /// A guard with a new token.
    ///
    /// # Errors
    ///
    /// If the system has no random numbers.
    pub fn new(address: SocketAddr) -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        let mut token = String::new();
        for byte in bytes {
            let _ = write!(token, "{byte:02x}");
        }
        Ok(Guard { token, address })
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            let loopback = if address.is_ipv4() {
                [127, 0, 0, 1].into()
            } else {
                IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1])
            };
            address.set_ip(loopback);
        }
        format!("http://{address}/?token={}", self.token)
    }

    /// Whether a `Host` is this server: its address or localhost, with its port; where it listens
    /// on every address any of them, but no other name.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port),
            _ => (host, "80"),
        };
        let ip = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
        let here = self.address.ip();
        let known = match ip {
            Some(ip) => ip == here || here.is_unspecified(),
            None => name.eq_ignore_ascii_case("localhost"),
        };
        known && port.parse() == Ok(self.address.port())
    }

    fn refuses(&self, request: &Request) -> Option<&'static str> {
        let headers = request.headers();
        if !single(headers, &HOST).is_some_and(|host| self.is_ours(host)) {
            return Some("another host");
        }
        let same = |origin: &str| origin.strip_prefix("http://").is_some_and(|it| self.is_ours(it));
        if headers.contains_key(ORIGIN) && !single(headers, &ORIGIN).is_some_and(same) {
            return Some("another origin");
        }
        let open = request.uri().path().starts_with("/assets/");
        let query = request.uri().query().unwrap_or_default();
        let token = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        let knows = token.is_some_and(|token| equal(token.as_bytes(), self.token.as_bytes()));
        (!open && !knows).then_some("open the address that stiction view printed")
    }
}

/// The one value of a header.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

/// Compares in a time that does not tell where they differ.
fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (x, y)| differ | (x ^ y)) == 0
}

/// Lets a request in or answers 403; every answer says what browsers may do with it.
pub async fn watch(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let host = single(request.headers(), &HOST).filter(|host| shared.guard.is_ours(host));
    let policy = host.map_or(POLICY.to_owned(), |host| format!("{POLICY} ws://{host}"));
    let mut response = match shared.guard.refuses(&request) {
        Some(why) => (StatusCode::FORBIDDEN, why).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    let policy = HeaderValue::from_str(&policy);
    headers.insert(
        CONTENT_SECURITY_POLICY,
        policy.unwrap_or_else(|_| HeaderValue::from_static(POLICY)),
    );
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::Guard;

    #[test]
    fn only_our_own_names_are_ours() {
        let guard =
            |address: &str| Guard { token: String::new(), address: address.parse().unwrap() };
        let loopback = guard("127.0.0.1:8000");
        for host in ["127.0.0.1:8000", "localhost:8000", "LocalHost:8000"] {
            assert!(loopback.is_ours(host), "{host}");
        }
        for host in [
            "127.0.0.1",
            "127.0.0.1:80",
            "evil.example:8000",
            "localhost.evil.example:8000",
            "",
            ":",
            "[::1]:8000",
            "10.0.0.1:8000",
        ] {
            assert!(!loopback.is_ours(host), "{host}");
        }
        let everywhere = guard("0.0.0.0:8000");
        assert!(everywhere.is_ours("192.168.1.7:8000") && !everywhere.is_ours("evil.example:8000"));
        assert!(guard("[::1]:8000").is_ours("[::1]:8000"));
    }
}
