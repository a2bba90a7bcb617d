//! Structures against buffers built byte by byte from the specification's offsets.

use fathom_spec::identify_controller::OptionalCommand;
use fathom_spec::identify_namespace::{DeallocatedReads, PreferredUnits};
use fathom_spec::{IdentifyController, IdentifyNamespace, ShortBufferError, SmartLog, admin, smart};
use proptest::prelude::*;

fn put(buffer: &mut [u8], offset: usize, bytes: &[u8]) {
    buffer[offset..offset + bytes.len()].copy_from_slice(bytes);
}

/// A controller as a common drive describes itself; offsets are the specification's.
fn controller() -> Vec<u8> {
    let mut b = vec![0; 4096];
    put(&mut b, 0, &0x144d_u16.to_le_bytes());
    put(&mut b, 4, b"S64DNX0RC03137      ");
    put(&mut b, 24, b"SAMSUNG MZQL21T9HCJR-00A07              ");
    put(&mut b, 64, b"GDC5602Q");
    b[77] = 9;
    put(&mut b, 78, &6u16.to_le_bytes());
    put(&mut b, 80, &0x0001_0400_u32.to_le_bytes());
    b[111] = 1;
    b[263] = 1;
    b[265] = 1;
    put(&mut b, 266, &353u16.to_le_bytes());
    put(&mut b, 268, &356u16.to_le_bytes());
    put(&mut b, 280, &1_920_383_410_176_u128.to_le_bytes());
    b[512] = 0x66;
    b[513] = 0x44;
    put(&mut b, 514, &256u16.to_le_bytes());
    put(&mut b, 516, &32u32.to_le_bytes());
    put(&mut b, 520, &0x005f_u16.to_le_bytes());
    b[525] = 0x07;
    put(&mut b, 526, &1023u16.to_le_bytes());
    put(&mut b, 768, b"nqn.1994-11.com.samsung:nvme:PM9A3");
    put(&mut b, 2048, &2500u16.to_le_bytes());
    put(&mut b, 2080, &1000u16.to_le_bytes());
    b[2083] = 0b11;
    put(&mut b, 2088, &7u32.to_le_bytes());
    b
}

#[test]
fn a_controller_reads_as_its_bytes_say() {
    let bytes = controller();
    let c = IdentifyController::parse(&bytes).unwrap();
    assert_eq!((c.vid.get(), c.cntlid.get(), c.cntrltype, c.nn.get()), (0x144d, 6, 1, 32));
    assert_eq!(c.serial().to_string(), "S64DNX0RC03137");
    assert_eq!(c.model().to_string(), "SAMSUNG MZQL21T9HCJR-00A07");
    assert_eq!(c.firmware().to_string(), "GDC5602Q");
    assert_eq!(c.subsystem_name().to_string(), "nqn.1994-11.com.samsung:nvme:PM9A3");
    assert_eq!(c.specification(), Some((1, 4, 0)));
    assert_eq!(c.max_transfer_bytes(4096), Some(2 << 20));
    assert_eq!((c.sqes, c.cqes), (0x66, 0x44));
    assert_eq!(c.maxcmd.get(), 256);
    assert!(c.has_volatile_write_cache() && c.has_autonomous_power_states());
    assert!(c.supports(OptionalCommand::DatasetManagement) && c.supports(OptionalCommand::Timestamp));
    assert!(!c.supports(OptionalCommand::Reservations) && !c.supports(OptionalCommand::Copy));
    assert_eq!((c.awun.get(), c.tnvmcap.get()), (1023, 1_920_383_410_176));
    assert!((c.warning_celsius().unwrap() - 79.85).abs() < 1e-9);
    assert!((c.critical_celsius().unwrap() - 82.85).abs() < 1e-9);
    let states = c.power_states();
    assert_eq!(states.len(), 2);
    assert_eq!(states[0].max_power_milliwatts(), Some(25_000.0));
    assert_eq!(states[1].max_power_milliwatts(), Some(100.0));
    assert_eq!((states[0].flags & 2, states[1].flags & 2, states[1].exlat.get()), (0, 2, 7));
}

/// A namespace of 4 KiB blocks with a 64 KiB indirection unit, as a dense drive reports it.
fn namespace() -> Vec<u8> {
    let mut b = vec![0; 4096];
    put(&mut b, 0, &3_750_748_848_u64.to_le_bytes());
    put(&mut b, 8, &3_750_748_848_u64.to_le_bytes());
    put(&mut b, 16, &1_000_000_u64.to_le_bytes());
    b[24] = 0b1_0001;
    b[25] = 1;
    b[26] = 1;
    b[33] = 0b1001;
    put(&mut b, 46, &256u16.to_le_bytes());
    put(&mut b, 64, &15u16.to_le_bytes());
    put(&mut b, 66, &15u16.to_le_bytes());
    put(&mut b, 68, &255u16.to_le_bytes());
    put(&mut b, 70, &0u16.to_le_bytes());
    put(&mut b, 72, &31u16.to_le_bytes());
    b[99] = 1;
    put(&mut b, 128, &[0, 0, 9, 2]);
    put(&mut b, 132, &[8, 0, 12, 0xfc]);
    b
}

#[test]
fn a_namespace_reads_as_its_bytes_say() {
    let bytes = namespace();
    let n = IdentifyNamespace::parse(&bytes).unwrap();
    assert_eq!(n.format_index(), 1);
    assert_eq!(n.block_bytes(), Some(4096));
    assert_eq!(n.size_bytes(), Some(3_750_748_848 * 4096));
    assert_eq!(n.used_bytes(), Some(4_096_000_000));
    assert_eq!(n.optimal_boundary_bytes(), Some(1 << 20));
    assert_eq!(n.deallocated_reads(), DeallocatedReads::Zeros);
    assert!(n.is_thin() && n.is_write_protected());
    let format = n.format().unwrap();
    assert_eq!((format.ms.get(), format.rp & 0b11), (8, 0));
    assert_eq!(
        n.preferred_units(),
        Some(PreferredUnits {
            write_granularity_bytes: 65_536,
            write_alignment_bytes: 65_536,
            deallocate_granularity_bytes: 1 << 20,
            deallocate_alignment_bytes: 4096,
            optimal_write_bytes: 131_072,
        })
    );
}

#[test]
fn preferred_units_count_only_where_the_namespace_defines_them() {
    let mut bytes = namespace();
    bytes[24] &= !0b1_0000;
    assert_eq!(IdentifyNamespace::parse(&bytes).unwrap().preferred_units(), None);
}

#[test]
fn the_upper_bits_of_the_format_count_only_beyond_sixteen_formats() {
    let mut bytes = namespace();
    bytes[26] = 0b0010_0010;
    put(&mut bytes, 128 + 18 * 4, &[0, 0, 13, 0]);
    bytes[25] = 20;
    assert_eq!(IdentifyNamespace::parse(&bytes).unwrap().block_bytes(), Some(8192));
    (bytes[25], bytes[82]) = (10, 10);
    assert_eq!(IdentifyNamespace::parse(&bytes).unwrap().block_bytes(), Some(8192));
    (bytes[25], bytes[82]) = (2, 0);
    assert_eq!(IdentifyNamespace::parse(&bytes).unwrap().format_index(), 2);
    bytes[25] = 1;
    assert!(IdentifyNamespace::parse(&bytes).unwrap().format().is_none(), "format 2 of 2 does not exist");
}

#[test]
fn a_health_log_reads_as_its_bytes_say() {
    let mut b = vec![0; 512];
    b[0] = 0b1010;
    put(&mut b, 1, &311u16.to_le_bytes());
    (b[3], b[4], b[5]) = (100, 10, 3);
    put(&mut b, 32, &2u128.to_le_bytes());
    put(&mut b, 48, &3u128.to_le_bytes());
    put(&mut b, 128, &8760u128.to_le_bytes());
    put(&mut b, 160, &5u128.to_le_bytes());
    put(&mut b, 192, &11u32.to_le_bytes());
    put(&mut b, 200, &300u16.to_le_bytes());
    let s = SmartLog::parse(&b).unwrap();
    assert!((s.celsius().unwrap() - 37.85).abs() < 1e-9);
    assert_eq!(s.warnings().collect::<Vec<_>>(), ["temperature out of range", "media read-only"]);
    assert_eq!((s.available_spare, s.available_spare_threshold), (100, 10));
    assert_eq!((s.read_bytes(), s.written_bytes()), (1_024_000, 1_536_000));
    assert_eq!((s.power_on_hours.get(), s.media_errors.get()), (8760, 5));
    assert_eq!((s.warning_temperature_time.get(), s.sensors[0].get()), (11, 300));
}

#[test]
fn throttle_times_stand_after_their_counts() {
    let mut b = vec![0; 512];
    for (offset, value) in [(216, 1u32), (220, 2), (224, 3), (228, 4)] {
        put(&mut b, offset, &value.to_le_bytes());
    }
    let s = SmartLog::parse(&b).unwrap();
    let read =
        [s.light_throttle_count, s.heavy_throttle_count, s.light_throttle_seconds, s.heavy_throttle_seconds];
    assert_eq!(read.map(|field| field.get()), [1, 2, 3, 4]);
}

#[test]
fn sizes_are_those_of_the_specification() {
    assert_eq!(size_of::<IdentifyController>(), admin::IDENTIFY_BYTES);
    assert_eq!(size_of::<IdentifyNamespace>(), admin::IDENTIFY_BYTES);
    assert_eq!(size_of::<SmartLog>(), smart::LOG_BYTES);
}

#[test]
fn the_health_log_is_asked_for_in_whole() {
    assert_eq!(admin::log_page_dword10(smart::LOG_IDENTIFIER, 512), 0x007f_0002);
    assert_eq!(admin::log_page_dword10(2, 0), 2);
    assert_eq!(admin::log_page_dword10(2, u32::MAX), 0xffff_0002);
}

#[test]
fn what_is_not_reported_is_absent() {
    let zeros = vec![0; 4096];
    let c = IdentifyController::parse(&zeros).unwrap();
    assert_eq!(c.specification(), None);
    assert_eq!(c.max_transfer_bytes(4096), None);
    assert_eq!((c.warning_celsius(), c.power_states()[0].max_power_milliwatts()), (None, None));
    assert!(c.model().is_empty() && !c.has_volatile_write_cache());
    let n = IdentifyNamespace::parse(&zeros).unwrap();
    assert_eq!((n.block_bytes(), n.size_bytes(), n.optimal_boundary_bytes()), (None, None, None));
    assert_eq!(SmartLog::parse(&zeros).unwrap().celsius(), None);
}

#[test]
fn a_short_buffer_is_refused_with_both_lengths() {
    let error = IdentifyController::parse(&[0; 4095]).unwrap_err();
    assert_eq!(
        error,
        ShortBufferError { structure: "Identify Controller", needed_bytes: 4096, given_bytes: 4095 }
    );
    assert_eq!(error.to_string(), "Identify Controller takes 4096 bytes, and 4095 were returned");
    assert!(IdentifyNamespace::parse(&[]).is_err() && SmartLog::parse(&[0; 511]).is_err());
}

#[test]
fn text_that_is_not_printable_is_shown_as_such() {
    let mut bytes = controller();
    put(&mut bytes, 4, b"  A\x1b[2J\xff B\0\0\0\0\0\0\0\0\0");
    assert_eq!(IdentifyController::parse(&bytes).unwrap().serial().to_string(), "A?[2J? B");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..5000)) {
        if let Ok(c) = IdentifyController::parse(&bytes) {
            let text = format!("{}{}{}{}", c.serial(), c.model(), c.firmware(), c.subsystem_name());
            prop_assert!(text.chars().all(|ch| ch == ' ' || ch.is_ascii_graphic()));
            prop_assert!((1..=32).contains(&c.power_states().len()));
            let _ = (c.max_transfer_bytes(4096), c.max_transfer_bytes(u64::MAX));
            let _ = (c.specification(), c.warning_celsius());
        } else {
            prop_assert!(bytes.len() < 4096);
        }
        if let Ok(n) = IdentifyNamespace::parse(&bytes) {
            prop_assert!(n.block_bytes().is_none_or(|size| size >= 512 && size.is_power_of_two()));
            prop_assert!(n.has_preferred_units() || n.preferred_units().is_none());
            let _ = (n.size_bytes(), n.used_bytes(), n.optimal_boundary_bytes(), n.deallocated_reads());
        } else {
            prop_assert!(bytes.len() < 4096);
        }
        if let Ok(s) = SmartLog::parse(&bytes) {
            let _ = (s.celsius(), s.warnings().count(), s.used_share(), s.read_bytes(), s.written_bytes());
        } else {
            prop_assert!(bytes.len() < 512);
        }
    }

    /// Preferred units are exact for every granularity and every legal block size.
    #[test]
    fn preferred_granularity_is_counted_from_zero(blocks in any::<u16>(), power in 9u8..32) {
        let mut bytes = namespace();
        put(&mut bytes, 64, &blocks.to_le_bytes());
        bytes[128 + 4 + 2] = power;
        let units = IdentifyNamespace::parse(&bytes).unwrap().preferred_units().unwrap();
        prop_assert_eq!(units.write_granularity_bytes, (u64::from(blocks) + 1) << power);
    }
}
