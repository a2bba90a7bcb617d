//! Structures of NVMe over fabrics against the places of their fields.

use std::mem::offset_of;

use fathom_spec::fabrics::connect::{self, ConnectData, ConnectFields, name_of};
use fathom_spec::fabrics::discovery::{Entry, Header};
use fathom_spec::fabrics::pdu::{self, Kind};
use fathom_spec::fabrics::{CompletionEntry, Descriptor, SubmissionEntry, capsule, property};
use fathom_spec::{IdentifyController, Status};
use zerocopy::IntoBytes;

#[test]
fn headers_have_their_fields_where_the_transport_puts_them() {
    let request = size_of::<pdu::InitializeRequest>();
    assert_eq!((request, size_of::<pdu::InitializeResponse>()), (128, 128));
    assert_eq!(
        [
            offset_of!(pdu::InitializeRequest, pfv),
            offset_of!(pdu::InitializeRequest, hpda),
            offset_of!(pdu::InitializeRequest, dgst),
            offset_of!(pdu::InitializeRequest, maxr2t),
            offset_of!(pdu::InitializeResponse, cpda),
            offset_of!(pdu::InitializeResponse, maxh2cdata),
        ],
        [8, 10, 11, 12, 10, 12]
    );
    assert_eq!((size_of::<pdu::Command>(), size_of::<pdu::Response>()), (72, 24));
    assert_eq!((size_of::<pdu::Data>(), size_of::<pdu::Termination>()), (24, 24));
    assert_eq!(
        [
            offset_of!(pdu::Data, cccid),
            offset_of!(pdu::Data, ttag),
            offset_of!(pdu::Data, offset),
            offset_of!(pdu::Data, length),
            offset_of!(pdu::Termination, fes),
            offset_of!(pdu::Termination, fei),
        ],
        [8, 10, 12, 16, 8, 10]
    );
}

#[test]
fn kinds_are_their_bytes_and_nothing_else_is_one() {
    let known: Vec<u8> = (0..=u8::MAX).filter(|byte| Kind::of(*byte).is_some()).collect();
    assert_eq!(known, [0, 1, 2, 3, 4, 5, 6, 7, 9]);
    for byte in known {
        let kind = Kind::of(byte).unwrap();
        assert_eq!(kind as u8, byte);
        let length = match byte {
            0 | 1 => 128,
            4 => 72,
            _ => 24,
        };
        assert_eq!((kind.header_bytes(), kind.is_from_host()), (length, byte % 2 == 0), "{}", kind.name());
    }
}

#[test]
fn a_command_lies_as_the_specification_draws_it() {
    let mut entry = SubmissionEntry::new(1, 0x0403_0201, [10, 11, 12, 13, 14, 15]);
    entry.cid.set(0xbbaa);
    entry.data = Descriptor::new(Descriptor::IN_CAPSULE, 4096);
    let bytes = entry.as_bytes();
    assert_eq!(bytes.len(), 64);
    assert_eq!(bytes[..8], [1, capsule::FLAGS, 0xaa, 0xbb, 1, 2, 3, 4]);
    assert_eq!(bytes[24..40], [0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 1]);
    assert_eq!((bytes[40], bytes[44], bytes[60]), (10, 11, 15));
    assert_eq!((entry.dword(10), entry.dword(15), entry.dword(9), entry.dword(16)), (10, 15, 0, 0));
    assert_eq!(entry.long(10), 11 << 32 | 10);
    let end = CompletionEntry::new(7, Status(0x4180), 0x0102_0304);
    assert_eq!(end.as_bytes(), [4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0x00, 0x83]);
    assert_eq!(end.outcome(), Status(0x4180));
}

#[test]
fn connect_and_properties_lie_where_targets_look() {
    let asked = ConnectFields { format: 0, queue: 3, size: 127, attributes: 4, keep_alive_ms: 5000 };
    let bytes = asked.entry();
    let bytes = bytes.as_bytes();
    assert_eq!((bytes[0], bytes[4]), (0x7f, 1));
    assert_eq!(bytes[40..52], [0, 0, 3, 0, 127, 0, 4, 0, 0x88, 0x13, 0, 0]);
    assert_eq!(ConnectFields::of(SubmissionEntry::parse(bytes).unwrap()), asked);
    let data = ConnectData::new([9; 16], connect::ANY_CONTROLLER, "nqn.a", "nqn.b");
    let bytes = data.as_bytes();
    assert_eq!(bytes.len(), connect::DATA_BYTES);
    assert_eq!(
        (&bytes[16..18], &bytes[256..262], &bytes[512..518]),
        (&[255, 255][..], &b"nqn.a\0"[..], &b"nqn.b\0"[..])
    );
    let get = property::get(property::CAPABILITIES, true);
    assert_eq!((get.as_bytes()[4], get.as_bytes()[40], get.as_bytes()[44]), (4, 1, 0));
    let set = property::set(property::CONFIGURATION, property::ENABLED);
    assert_eq!((set.as_bytes()[4], set.as_bytes()[44]), (0, 0x14));
    assert_eq!(set.as_bytes()[48..52], [1, 0, 0x46, 0]);
    let capabilities = property::capabilities(128, 10_000);
    assert_eq!((property::most_entries(capabilities), property::timeout_ms(capabilities)), (128, 10_000));
    assert_eq!((capabilities >> 16 & 1, capabilities >> 37 & 0xff), (1, 1));
    assert!(property::has_entry_sizes(property::ENABLED) && !property::has_entry_sizes(0x0045_0001));
}

#[test]
fn names_end_in_their_fields() {
    let mut field = [b'a'; 256];
    assert_eq!(name_of(&field), None);
    field[224] = 0;
    assert_eq!(name_of(&field), None);
    field[223] = 0;
    assert_eq!(name_of(&field).map(str::len), Some(223));
    field[0] = 0;
    assert_eq!(name_of(&field), None);
    assert_eq!(name_of(b"nqn\x1b\0"), None);
    assert_eq!(name_of(b"nqn\xff\0"), None);
}

#[test]
fn the_discovery_page_lies_where_hosts_read_it() {
    assert_eq!((size_of::<Header>(), size_of::<Entry>()), (1024, 1024));
    assert_eq!((offset_of!(Header, numrec), offset_of!(Header, recfmt)), (8, 16));
    let entry = Entry::new("nqn.x", "::1", true, 4420);
    let bytes = entry.as_bytes();
    assert_eq!((bytes[0], bytes[1], bytes[2], bytes[8]), (3, 2, 2, 32));
    assert_eq!(
        (&bytes[32..37], &bytes[256..262], &bytes[512..516]),
        (&b"4420\0"[..], &b"nqn.x\0"[..], &b"::1\0"[..])
    );
    assert_eq!((entry.port(), entry.subsystem()), (Some(4420), Some("nqn.x")));
    for port in [1, 9, 10, 99, 8009, 65535] {
        assert_eq!(Entry::new("n", "1.1.1.1", false, port).port(), Some(port));
    }
    assert_eq!(Entry::new("n", "1.1.1.1", false, 0).port(), None);
}

#[test]
fn a_controller_has_its_fabrics_fields_at_their_places() {
    assert_eq!(
        [
            offset_of!(IdentifyController, kas),
            offset_of!(IdentifyController, sgls),
            offset_of!(IdentifyController, subnqn),
            offset_of!(IdentifyController, ioccsz),
            offset_of!(IdentifyController, icdoff),
            offset_of!(IdentifyController, msdbd),
            offset_of!(IdentifyController, ofcs),
            offset_of!(IdentifyController, psd),
        ],
        [320, 536, 768, 1792, 1800, 1803, 1804, 2048]
    );
}
