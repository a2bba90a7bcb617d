//! Any bytes from a controller are answers or a fault with a name, and never touch a buffer that was not given for them.
#![no_main]

use fathom_fabric::host::{HostQueue, Limits, Transfer};
use fathom_fabric::{Framing, Payloads};
use fathom_spec::io;
use libfuzzer_sys::fuzz_target;

const BYTES: usize = 16384;
const SLOTS: u32 = 4;

struct Buffers(Vec<Vec<u8>>);

impl Payloads for Buffers {
    fn payload(&mut self, slot: u32) -> &mut [u8] {
        &mut self.0[slot as usize]
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, stream)) = bytes.split_first() else { return };
    let digests = choice & 1 == 1;
    let framing = Framing { header_digest: digests, data_digest: digests, ..Framing::default() };
    let mut queue = HostQueue::new(framing, SLOTS, 2);
    let mut buffers = Buffers(vec![vec![0; BYTES]; SLOTS as usize]);
    // ICResp: digests as asked for, 8 KiB in a data PDU.
    let mut answer = [0; 128];
    (answer[0], answer[2], answer[4], answer[11], answer[13]) = (1, 128, 128, if digests { 3 } else { 0 }, 0x20);
    let mut ended = 0u32;
    let began = queue.received(&answer, &mut buffers, &mut |_| ended += 1);
    assert!(began.is_ok() && ended == 0);
    queue.set_limits(Limits { transfer_bytes: 8192, in_capsule_bytes: 4096 });
    for slot in 0..SLOTS {
        let opcode = if slot % 2 == 0 { io::READ } else { io::WRITE };
        let bytes = if slot < 2 { BYTES as u32 } else { 4096 };
        assert!(queue.start_transfer(slot, Transfer { opcode, nsid: 1, offset: 0, bytes, block_shift: 12 }));
    }
    let mut out = Vec::new();
    queue.fill(&mut buffers, (&mut out, 1 << 20), &mut |_| ended += 1);
    for piece in stream.chunks(usize::from(choice >> 1) * 8 + 1) {
        let outcome = queue.received(piece, &mut buffers, &mut |_| ended += 1);
        out.clear();
        queue.fill(&mut buffers, (&mut out, 1 << 20), &mut |_| ended += 1);
        if outcome.is_err() {
            break;
        }
    }
    assert!(ended <= SLOTS);
    // Slots 1 and 3 write: what they hold is only read.
    assert!([1, 3].iter().all(|slot| buffers.0[*slot].iter().all(|byte| *byte == 0)));
});
