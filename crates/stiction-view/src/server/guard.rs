//! Checks every request before it is served.
//!
//! A page of another site can make a browser send requests to loopback. Three checks reject them:
//! such a page does not know the token, its requests carry its own `Origin`, and if its host name
//! resolves to this machine (DNS rebinding) the `Host` header is that name.

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

/// Length of the token in bytes.
const TOKEN_BYTES: usize = 16;

/// Content security policy: the page may load from and connect to this server only. Some browsers do
/// not count the WebSocket as `'self'`, so its address is appended.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self' data:; \
     worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     connect-src 'self'";

/// Further security headers of every response.
const HEADERS: [(HeaderName, &str); 5] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The token and the address of this server.
pub struct Guard {
    token: String,
    address: SocketAddr,
}

impl Guard {
    /// A guard with a new random token.
    ///
    /// # Errors
    ///
    /// If the operating system provides no random numbers.
    pub fn new(address: SocketAddr) -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        let mut token = String::new();
        for byte in bytes {
            let _ = write!(token, "{byte:02x}");
        }
        Ok(Guard { token, address })
    }

    /// The URL of the page; loopback if the server listens on all addresses.
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

    /// Whether a `Host` header names this server: its address or `localhost`, with its port. A
    /// server that listens on all addresses accepts any IP address but no other name.
    fn is_this_server(&self, host: &str) -> bool {
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

    /// Why a request is rejected; `None` if it is accepted.
    fn rejection(&self, request: &Request) -> Option<&'static str> {
        let headers = request.headers();
        if !single(headers, &HOST).is_some_and(|host| self.is_this_server(host)) {
            return Some("the Host header names another server");
        }
        let same =
            |origin: &str| origin.strip_prefix("http://").is_some_and(|it| self.is_this_server(it));
        if headers.contains_key(ORIGIN) && !single(headers, &ORIGIN).is_some_and(same) {
            return Some("the Origin header names another site");
        }
        let public = request.uri().path().starts_with("/assets/");
        let query = request.uri().query().unwrap_or_default();
        let token = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        let authorized = token
            .is_some_and(|token| equal_in_constant_time(token.as_bytes(), self.token.as_bytes()));
        (!public && !authorized)
            .then_some("missing or wrong token: open the address that stiction view printed")
    }
}

/// The value of a header that occurs exactly once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

/// Compares in constant time: the duration does not depend on where the two differ.
fn equal_in_constant_time(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (x, y)| difference | (x ^ y)) == 0
}

/// Passes a request on or responds with 403; adds the security headers to every response.
pub async fn check(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let host = single(request.headers(), &HOST).filter(|host| shared.guard.is_this_server(host));
    let policy = host.map_or(POLICY.to_owned(), |host| format!("{POLICY} ws://{host}"));
    let mut response = match shared.guard.rejection(&request) {
        Some(reason) => (StatusCode::FORBIDDEN, reason).into_response(),
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
    fn only_the_names_of_this_server_are_accepted() {
        let guard =
            |address: &str| Guard { token: String::new(), address: address.parse().unwrap() };
        let loopback = guard("127.0.0.1:8000");
        for host in ["127.0.0.1:8000", "localhost:8000", "LocalHost:8000"] {
            assert!(loopback.is_this_server(host), "{host}");
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
            assert!(!loopback.is_this_server(host), "{host}");
        }
        let all_addresses = guard("0.0.0.0:8000");
        assert!(
            all_addresses.is_this_server("192.168.1.7:8000")
                && !all_addresses.is_this_server("evil.example:8000")
        );
        assert!(guard("[::1]:8000").is_this_server("[::1]:8000"));
    }
}
