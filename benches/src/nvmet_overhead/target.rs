//! A bare target: what a target would take that did nothing but answer reads on one connection at a time of I/O, with
//! the same PDUs over the same sockets.

use std::io::{self, IoSlice, Read, Write};
use std::net::{TcpListener, TcpStream};

use crate::bare::bare_pdus;

/// Bytes read at once, and pieces written at once.
const STAGING_BYTES: usize = 256 << 10;
const MOST_PIECES: usize = 64;

/// Listens at a free port, prints it, and serves each connection on a thread of its own until it is killed.
///
/// # Errors
/// When nothing can listen.
pub fn run() -> Result<(), String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    println!("{port}");
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        std::thread::spawn(move || serve(stream));
    }
    Ok(())
}

/// Answers what comes until the host closes.
fn serve(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.read_exact(&mut [0; bare_pdus::INITIALIZE_BYTES])?;
    stream.write_all(&bare_pdus::initialize(true))?;
    let payload = vec![0; 1 << 20];
    let (mut staging, mut have) = (vec![0; STAGING_BYTES], 0);
    let mut headers: Vec<([u8; bare_pdus::SHORT_BYTES], usize)> = Vec::with_capacity(1024);
    loop {
        let there = stream.read(staging.get_mut(have..).unwrap_or_default())?;
        if there == 0 {
            return Ok(());
        }
        have += there;
        let mut at = 0;
        while have - at >= 8 {
            let pdu = staging.get(at..have).unwrap_or_default();
            let plen = bare_pdus::four(pdu, 4) as usize;
            if plen < bare_pdus::COMMAND_BYTES || pdu.len() < plen {
                break;
            }
            at += plen;
            let (opcode, id) = (pdu.get(8).copied().unwrap_or(0), bare_pdus::two(pdu, 10));
            let bytes = if opcode == 2 { bare_pdus::four(pdu, 40) } else { 0 };
            let answer = if opcode == 2 { bare_pdus::data(id, bytes) } else { bare_pdus::response(id, 1) };
            headers.push((answer, bytes as usize));
        }
        staging.copy_within(at..have, 0);
        have -= at;
        for group in headers.chunks(MOST_PIECES / 2) {
            let mut pieces: Vec<IoSlice<'_>> = Vec::with_capacity(MOST_PIECES);
            for (header, bytes) in group {
                pieces.push(IoSlice::new(header));
                pieces.push(IoSlice::new(payload.get(..*bytes).unwrap_or_default()));
            }
            let mut pieces = &mut pieces[..];
            IoSlice::advance_slices(&mut pieces, 0);
            while !pieces.is_empty() {
                let written = stream.write_vectored(pieces)?;
                IoSlice::advance_slices(&mut pieces, written);
            }
        }
        headers.clear();
    }
}
