//! A server in this process, raw HTTP requests and simulated browser tabs.

#![allow(dead_code)] // not every test uses everything

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use std::net::SocketAddr;
use std::time::Duration;
use stiction::Frame;
use stiction::scene::Scene;
use stiction_view::{Catalogue, Server, Show};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// Longest wait for any event.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Receive buffer of a tab that reads slowly (bytes).
const SMALL_BUFFER: u32 = 4096;

/// A crate of 20 kg on the ground, by time-stepping.
pub const CRATE: &str = r#"
    title = "A crate"
    [run]
    stepper = "time-stepping"
    [[body]]
    name = "ground"
    ground = true
    [[body]]
    name = "crate"
    box = [1.0, 1.0, 1.0]
    at = [0.0, 0.0, 0.5]
    mass = 20.0
"#;

/// A server that stops with the test.
pub struct Served {
    pub address: SocketAddr,
    pub token: String,
}

pub fn crate_scene() -> Scene {
    Scene::parse(CRATE, "crate.toml").unwrap()
}

/// Serves the crate.
pub async fn serve_crate() -> Served {
    serve(Show::Live(Catalogue::with("crate".into(), crate_scene()))).await
}

pub async fn serve(show: Show) -> Served {
    let server = Server::bind([127, 0, 0, 1].into(), 0, show).await.unwrap();
    let token = server.url().split_once("token=").unwrap().1.to_owned();
    let address = server.address();
    tokio::spawn(server.run(std::future::pending()));
    Served { address, token }
}

/// The response to a raw request.
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Served {
    /// `GET path` with the token, as a browser sends it.
    pub async fn get(&self, path: &str) -> Response {
        let path = format!("{path}?token={}", self.token);
        self.request(&path, &[("Host", &self.address.to_string())]).await
    }

    /// `GET path` with exactly these headers.
    pub async fn request(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let mut request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            request.extend([name, ": ", value, "\r\n"]);
        }
        request.push_str("\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        timeout(TIMEOUT, stream.read_to_end(&mut bytes)).await.unwrap().unwrap();
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Response { status, head, body: bytes[end + 4..].to_vec() }
    }

    pub async fn tab(&self) -> Tab {
        self.tab_over(TcpSocket::new_v4().unwrap()).await
    }

    /// A tab with a small receive buffer.
    pub async fn narrow_tab(&self) -> Tab {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(SMALL_BUFFER).unwrap();
        self.tab_over(socket).await
    }

    async fn tab_over(&self, socket: TcpSocket) -> Tab {
        let url = format!("ws://{}/live?token={}", self.address, self.token);
        let stream = socket.connect(self.address).await.unwrap();
        Tab { socket: tokio_tungstenite::client_async(url, stream).await.unwrap().0 }
    }
}

/// A message that a tab receives.
pub enum Received {
    Frame(Box<Frame>),
    Text(Value),
    Closed,
}

/// A simulated browser tab.
pub struct Tab {
    socket: WebSocketStream<TcpStream>,
}

impl Tab {
    pub async fn send(&mut self, message: Message) {
        self.socket.send(message).await.unwrap();
    }

    pub async fn say(&mut self, text: &str) {
        self.send(Message::text(text)).await;
    }

    pub async fn receive(&mut self) -> Received {
        timeout(TIMEOUT, self.receive_any()).await.expect("no message before the timeout")
    }

    /// The next message within a time; `None` if there is none.
    pub async fn receive_within(&mut self, time: Duration) -> Option<Received> {
        timeout(time, self.receive_any()).await.ok()
    }

    async fn receive_any(&mut self) -> Received {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Binary(bytes))) => {
                    return Received::Frame(Box::new(Frame::decode(&bytes).expect("a frame")));
                }
                Some(Ok(Message::Text(text))) => {
                    return Received::Text(serde_json::from_str(&text).expect("JSON"));
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Received::Closed,
                Some(Ok(_)) => {}
            }
        }
    }

    /// The next frame.
    pub async fn frame(&mut self) -> Frame {
        loop {
            match self.receive().await {
                Received::Frame(frame) => return *frame,
                Received::Text(_) => {}
                Received::Closed => panic!("the server closed the connection"),
            }
        }
    }

    /// The next frame that satisfies a condition.
    pub async fn frame_where(&mut self, condition: impl Fn(&Frame) -> bool) -> Frame {
        let search = async {
            loop {
                let frame = self.frame().await;
                if condition(&frame) {
                    return frame;
                }
            }
        };
        timeout(TIMEOUT, search).await.expect("no such frame before the timeout")
    }

    /// The next message of a kind that satisfies a condition.
    pub async fn message(&mut self, say: &str, condition: impl Fn(&Value) -> bool) -> Value {
        let search = async {
            loop {
                match self.receive().await {
                    Received::Text(value) if value["say"] == say && condition(&value) => {
                        return value;
                    }
                    Received::Closed => panic!("the server closed the connection"),
                    _ => {}
                }
            }
        };
        timeout(TIMEOUT, search).await.expect("no such message before the timeout")
    }

    pub async fn status(&mut self, condition: impl Fn(&Value) -> bool) -> Value {
        self.message("status", condition).await
    }

    /// Indices of the frames received until only status messages arrive for a while.
    pub async fn frames_until_quiet(&mut self) -> Vec<u64> {
        let quiet = Duration::from_millis(300);
        let (mut seen, mut last) = (Vec::new(), tokio::time::Instant::now());
        while last.elapsed() < quiet {
            if let Some(Received::Frame(frame)) = self.receive_within(quiet).await {
                seen.push(frame.index);
                last = tokio::time::Instant::now();
            }
        }
        seen
    }
}
