//! A metrics server behind TLS, whose certificate is trusted or not.
//!
//! The certificates in `tls` are for `localhost`, signed by an authority whose key was thrown away, until 2126.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::typed::{Answer, Typist};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/tls").join(name)
}

/// Four counters of one disk, by the minute.
pub fn counters() -> String {
    let series = ["reads_completed", "writes_completed", "read_bytes", "written_bytes"].map(|name| {
        let grows = if name.ends_with("bytes") { 60 * 4096 } else { 60 };
        let points: Vec<String> = (0..10).map(|minute| format!("[{},\"{}\"]", 1_793_491_200 + minute * 60, minute * grows)).collect();
        format!(
            "{{\"metric\":{{\"__name__\":\"node_disk_{name}_total\",\"device\":\"sda\",\"instance\":\"a\"}},\"values\":[{}]}}",
            points.join(",")
        )
    });
    format!(
        "{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[{}]}}}}",
        series.join(",")
    )
}

/// Answers until the test ends; the port.
fn serve() -> u16 {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = vec![CertificateDer::from_pem_file(file("server.pem")).unwrap()];
    let key = PrivateKeyDer::from_pem_file(file("server.key")).unwrap();
    let config =
        rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = rustls::StreamOwned::new(connection, stream.unwrap());
            let mut head = [0u8; 8192];
            // Who does not trust the certificate hangs up.
            if stream.read(&mut head).is_err() {
                continue;
            }
            let body = counters();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    port
}

fn ask(typist: &Typist, port: u16, trusted: Option<&str>) -> Answer {
    let url = format!("https://localhost:{port}");
    let mut command = typist.command(&["profile", "--prometheus", &url, "--from", "1h", "--json"]);
    command.env("NO_PROXY", "*").env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR");
    if let Some(name) = trusted {
        command.env("SSL_CERT_FILE", file(name));
    }
    command.output().unwrap().into()
}

#[test]
fn a_server_behind_tls_is_read_if_its_certificate_is_trusted() {
    let typist = Typist::new();
    let port = serve();
    let trusted = ask(&typist, port, Some("ca.pem"));
    assert_eq!(trusted.status, 0, "{trusted:?}");
    assert_eq!(trusted.json()["demand"]["ticks_seen"], 9);
    let unknown = ask(&typist, port, None);
    assert!(unknown.status == 2 && unknown.stderr.contains("SSL_CERT_FILE"), "{unknown:?}");
}
