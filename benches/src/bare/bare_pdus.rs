//! The PDUs of NVMe over TCP that a bare loop sends and reads: no digests, reads alone, data of the namespace's blocks.

/// Bytes of a CapsuleCmd.
pub const COMMAND_BYTES: usize = 72;
/// Bytes of a header of C2HData and of a CapsuleResp.
pub const SHORT_BYTES: usize = 24;
/// Bytes of ICReq and ICResp.
pub const INITIALIZE_BYTES: usize = 128;
/// Bytes of a Connect's data.
pub const CONNECT_BYTES: usize = 1024;
/// Bytes of a logical block.
pub const BLOCK_BYTES: u32 = 512;

/// Types of PDUs.
pub const COMMAND: u8 = 4;
pub const RESPONSE: u8 = 5;
pub const DATA: u8 = 7;
/// Flag of the data PDU that stands for the completion too.
pub const SUCCESS: u8 = 0b1000;
/// The same of the last one.
pub const LAST_AND_SUCCESS: u8 = 0b0100 | SUCCESS;

const HOST: &[u8] = b"nqn.2014-08.org.nvmexpress:uuid:benches";

/// Writes a number into its place, little-endian.
pub fn put(bytes: &mut [u8], at: usize, number: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at + number.len()) {
        place.copy_from_slice(number);
    }
}

/// A number of two bytes.
pub fn two(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |pair| u16::from(pair[0]) | u16::from(pair[1]) << 8)
}

/// A number of four bytes.
pub fn four(bytes: &[u8], at: usize) -> u32 {
    u32::from(two(bytes, at)) | u32::from(two(bytes, at + 2)) << 16
}

/// The common header of a PDU.
pub fn header(kind: u8, flags: u8, bytes: (usize, usize, usize)) -> [u8; 8] {
    let (hlen, pdo, plen) = bytes;
    let mut it = [kind, flags, hlen as u8, pdo as u8, 0, 0, 0, 0];
    put(&mut it, 4, &(plen as u32).to_le_bytes());
    it
}

/// ICReq, or ICResp with data PDUs of 128 KiB.
pub fn initialize(is_answer: bool) -> Vec<u8> {
    let mut it = vec![0; INITIALIZE_BYTES];
    put(&mut it, 0, &header(u8::from(is_answer), 0, (INITIALIZE_BYTES, 0, INITIALIZE_BYTES)));
    if is_answer {
        put(&mut it, 12, &(128u32 << 10).to_le_bytes());
    }
    it
}

/// A command without data, or with data to come.
pub fn command(opcode: u8, id: u16, nsid: u32, data_bytes: u32, words: &[(usize, u32)]) -> Vec<u8> {
    let mut it = vec![0; COMMAND_BYTES];
    put(&mut it, 0, &header(COMMAND, 0, (COMMAND_BYTES, 0, COMMAND_BYTES)));
    (it[8], it[9]) = (opcode, 0x40);
    put(&mut it, 10, &id.to_le_bytes());
    put(&mut it, 12, &nsid.to_le_bytes());
    put(&mut it, 8 + 32, &data_bytes.to_le_bytes());
    it[8 + 39] = 0x5a;
    for (word, value) in words {
        put(&mut it, 8 + word * 4, &value.to_le_bytes());
    }
    it
}

/// A read of blocks.
pub fn read(id: u16, first: u64, bytes: u32) -> Vec<u8> {
    let words = [(10, first as u32), (11, (first >> 32) as u32), (12, bytes / BLOCK_BYTES - 1)];
    command(2, id, 1, bytes, &words)
}

/// A Connect with its data in the capsule.
pub fn connect(queue: u16, entries: u16, controller: u16, subsystem: &str) -> Vec<u8> {
    // Without flow control of the submission queue, so that a read's data stands for its completion.
    let words = [(10, u32::from(queue) << 16), (11, u32::from(entries - 1) | 0b100 << 16)];
    let mut it = command(0x7f, 0, 1, CONNECT_BYTES as u32, &words);
    it[8 + 39] = 0x01;
    put(&mut it, 0, &header(COMMAND, 0, (COMMAND_BYTES, COMMAND_BYTES, COMMAND_BYTES + CONNECT_BYTES)));
    let mut data = vec![0; CONNECT_BYTES];
    put(&mut data, 0, &[7; 16]);
    put(&mut data, 16, &controller.to_le_bytes());
    put(&mut data, 256, subsystem.as_bytes());
    put(&mut data, 512, HOST);
    it.extend_from_slice(&data);
    it
}

/// A completion without an error.
pub fn response(id: u16, result: u32) -> [u8; SHORT_BYTES] {
    let mut it = [0; SHORT_BYTES];
    put(&mut it, 0, &header(RESPONSE, 0, (SHORT_BYTES, 0, SHORT_BYTES)));
    put(&mut it, 8, &result.to_le_bytes());
    put(&mut it, 20, &id.to_le_bytes());
    it
}

/// The header of a read's data, all of it in one PDU.
pub fn data(id: u16, bytes: u32) -> [u8; SHORT_BYTES] {
    let mut it = [0; SHORT_BYTES];
    let plen = SHORT_BYTES + bytes as usize;
    put(&mut it, 0, &header(DATA, LAST_AND_SUCCESS, (SHORT_BYTES, SHORT_BYTES, plen)));
    put(&mut it, 8, &id.to_le_bytes());
    put(&mut it, 16, &bytes.to_le_bytes());
    it
}
