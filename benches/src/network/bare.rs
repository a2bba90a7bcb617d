//! The least that a host can do: one connection, the same PDUs, and no measurement but a count.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Bytes that one reading of the socket takes at most, as the engine's.
const READ_BYTES: usize = 256 << 10;
/// Bytes of the namespace that are read.
const SPAN_BYTES: u64 = 1 << 30;
/// Block of `null:`.
const BLOCK_BYTES: u64 = 512;

/// Reads at random, `depth` at a time, and prints how many a second.
///
/// # Errors
/// What the target did not take, or that it closed the connection.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let [address, subsystem, depth, bytes, seconds] = arguments else {
        return Err("network-bare ADDRESS NQN DEPTH BYTES SECONDS".to_owned());
    };
    let number = |text: &String| text.parse::<u32>().map_err(|error| format!("{text}: {error}"));
    let (depth, bytes, seconds) = (number(depth)?, number(bytes)?, number(seconds)?);
    let rate = reads_per_s(address, subsystem, (depth, bytes), Duration::from_secs(u64::from(seconds)));
    println!("{}", rate.map_err(|error| error.to_string())?);
    Ok(())
}

fn reads_per_s(
    address: &str,
    subsystem: &str,
    (depth, bytes): (u32, u32),
    length: Duration,
) -> std::io::Result<f64> {
    let mut admin = connect(address)?;
    let controller = command(&mut admin, &capsule(0x7f, 1, [0, 31, 0]), &connect_data(0xffff, subsystem))?;
    command(&mut admin, &capsule(0x7f, 0, [0, 0x14, 0x0046_0001]), &[])?;
    while command(&mut admin, &capsule(0x7f, 4, [0, 0x1c, 0]), &[])? & 1 == 0 {}
    command(&mut admin, &capsule(0x09, 0, [7, 0, 0]), &[])?;
    let mut queue = connect(address)?;
    let entries = depth.max(2) - 1;
    let connect_io = capsule(0x7f, 1, [1 << 16, 4 << 16 | entries, 0]);
    command(&mut queue, &connect_io, &connect_data(controller as u16, subsystem))?;
    count(&mut queue, (depth, bytes), length)
}

#[allow(clippy::disallowed_methods, reason = "the rate by the wall clock is what is measured")]
fn count(queue: &mut TcpStream, (depth, bytes): (u32, u32), length: Duration) -> std::io::Result<f64> {
    let mut slots = vec![vec![0_u8; bytes as usize]; depth as usize];
    let (mut staging, mut out) = (vec![0; READ_BYTES], Vec::with_capacity(READ_BYTES));
    let mut random = 1_u64;
    (0..depth).for_each(|slot| read_command(&mut out, slot as u16, bytes, &mut random));
    let began = std::time::Instant::now();
    let (mut done, mut have) = (0_u64, 0);
    // The slot whose data arrives, the bytes of it that are missing, and whether its end is that of the read.
    let mut current = (0_usize, 0_usize, false);
    while began.elapsed() < length {
        queue.write_all(&out)?;
        out.clear();
        let count = queue.read(&mut staging[have..])?;
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let mut left = &staging[..have + count];
        let mut end = |slot: usize, out: &mut Vec<u8>| {
            done += 1;
            read_command(out, slot as u16, bytes, &mut random);
        };
        loop {
            let (slot, missing, ends) = current;
            if missing > 0 {
                let taken = missing.min(left.len());
                let from = slots[slot].len() - missing;
                slots[slot][from..from + taken].copy_from_slice(&left[..taken]);
                left = &left[taken..];
                current.1 -= taken;
                if current.1 > 0 {
                    break;
                }
                if ends {
                    end(slot, &mut out);
                }
            }
            if left.len() < 24 {
                break;
            }
            let header = &left[..24];
            let word =
                |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
            if header[0] == 7 {
                let slot = (word(8) & 0xffff) as usize;
                // The part of the buffer from here on; its last PDU ends the read.
                let (offset, part) = (word(12) as usize, word(16) as usize);
                slots[slot].resize(offset + part, 0);
                current = (slot, part, header[1] & 8 != 0);
            } else {
                end((word(20) & 0xffff) as usize, &mut out);
            }
            left = &left[24..];
        }
        have = left.len();
        let from = staging.len().min(left.as_ptr() as usize - staging.as_ptr() as usize);
        staging.copy_within(from..from + have, 0);
    }
    Ok(done as f64 / began.elapsed().as_secs_f64())
}

fn read_command(out: &mut Vec<u8>, slot: u16, bytes: u32, random: &mut u64) {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    let place = (*random >> 24) % (SPAN_BYTES / u64::from(bytes)) * (u64::from(bytes) / BLOCK_BYTES);
    let mut pdu = capsule(0x02, 1, [place as u32, (place >> 32) as u32, bytes / BLOCK_BYTES as u32 - 1]);
    pdu[10..12].copy_from_slice(&slot.to_le_bytes());
    pdu[40..44].copy_from_slice(&bytes.to_le_bytes());
    out.extend_from_slice(&pdu);
}

fn connect(address: &str) -> std::io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut request = [0; 128];
    (request[2], request[4]) = (128, 128);
    stream.write_all(&request)?;
    stream.read_exact(&mut request)?;
    Ok(stream)
}

/// A command in its PDU: opcode, namespace or type, and dwords 10 to 12.
fn capsule(opcode: u8, namespace: u8, words: [u32; 3]) -> [u8; 72] {
    let mut pdu = [0; 72];
    (pdu[0], pdu[2], pdu[4]) = (4, 72, 72);
    (pdu[8], pdu[9], pdu[12], pdu[47]) = (opcode, 0x40, namespace, 0x5a);
    for (place, word) in pdu[48..60].chunks_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    // A property's offset and value stand one dword further on.
    if opcode == 0x7f && namespace != 1 {
        pdu[48..64].fill(0);
        pdu[52..56].copy_from_slice(&words[1].to_le_bytes());
        pdu[56..60].copy_from_slice(&words[2].to_le_bytes());
    }
    pdu
}

fn connect_data(controller: u16, subsystem: &str) -> Vec<u8> {
    let mut data = vec![0; 1024];
    data[16..18].copy_from_slice(&controller.to_le_bytes());
    data[256..256 + subsystem.len()].copy_from_slice(subsystem.as_bytes());
    let host = b"nqn.2014-08.org.nvmexpress:uuid:bare-loop";
    data[512..512 + host.len()].copy_from_slice(host);
    data
}

/// Sends a command and waits for its end; gives its result.
fn command(stream: &mut TcpStream, pdu: &[u8; 72], data: &[u8]) -> std::io::Result<u64> {
    let mut pdu = pdu.to_vec();
    if !data.is_empty() {
        pdu[3] = 72;
        pdu[4..8].copy_from_slice(&(72 + data.len() as u32).to_le_bytes());
        pdu[40..44].copy_from_slice(&(data.len() as u32).to_le_bytes());
        pdu[47] = 0x01;
        pdu.extend_from_slice(data);
    }
    stream.write_all(&pdu)?;
    let mut answer = [0; 24];
    stream.read_exact(&mut answer)?;
    let status = u16::from_le_bytes([answer[22], answer[23]]) >> 1;
    if answer[0] != 5 || status != 0 {
        let text = format!("PDU {} with status {status:x}h", answer[0]);
        return Err(std::io::Error::other(text));
    }
    let mut result = [0; 8];
    result.copy_from_slice(&answer[8..16]);
    Ok(u64::from_le_bytes(result))
}
