//! Strong signatures at their places, and none among random data.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::super::tests::Image;
use super::*;

const SIZE: u64 = 300 << 30;

fn marks(image: Image) -> Vec<Mark> {
    let size_bytes = image.size_bytes();
    Places::read(size_bytes, || Ok::<_, ()>(&image)).unwrap().marks()
}

fn names(image: Image) -> Vec<&'static str> {
    marks(image).iter().map(|mark| mark.name).collect()
}

impl ReadAt for &Image {
    fn size_bytes(&self) -> u64 {
        (*self).size_bytes()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        (*self).read_at(offset, buffer)
    }
}

#[test]
fn every_magic_of_four_bytes_counts_at_each_of_its_places() {
    for magic in MAGICS.iter().filter(|magic| magic.bytes.len() >= STRONG_BYTES) {
        for at in magic.at {
            let offset = match at {
                Place::Start(offset) => *offset,
                Place::End(distance) => SIZE - distance,
            };
            let found = marks(Image::new(SIZE).with(offset, magic.bytes));
            let is_it = |mark: &Mark| (mark.name, mark.offset_bytes) == (magic.name, offset);
            assert!(found.iter().any(is_it), "{} at {offset}: {found:?}", magic.name);
        }
    }
    assert!(names(Image::new(SIZE)).is_empty());
}

#[test]
fn short_magics_count_only_with_fields_that_fit() {
    let ext = |fields: &[(u64, u32)]| {
        let image = Image::new(SIZE).with(1024 + 56, &[0x53, 0xef, 1, 0]);
        names(fields.iter().fold(image, |image, (at, word)| image.with(1024 + at, &word.to_le_bytes())))
    };
    assert_eq!(ext(&[(0, 1000), (4, 4000), (24, 2), (76, 1)]), [EXT]);
    assert!(ext(&[]).is_empty() && ext(&[(0, 1000), (4, 4000), (24, 0x1234_5678)]).is_empty());
    let nilfs = |revision| names(Image::new(SIZE).with(1024, &[revision, 0, 0, 0, 0, 0, 0x34, 0x34]));
    assert_eq!((nilfs(2), nilfs(9)), (vec!["NILFS2 file system"], vec![]));
    let hfs = |version| names(Image::new(SIZE).with(1024, &[b'H', b'+', 0, version]));
    assert_eq!((hfs(4), hfs(200)), (vec!["HFS+ file system"], vec![]));
}

#[test]
fn a_boot_sector_counts_only_with_a_table_that_fits_the_device() {
    let table = |entry: [u8; 16]| names(Image::new(SIZE).with(446, &entry).with(510, &[0x55, 0xaa]));
    assert_eq!(table([0x80, 0, 0, 0, 0x83, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]), ["MBR partition table"]);
    assert_eq!(
        table([0, 0, 2, 0, 0xee, 255, 255, 255, 1, 0, 0, 0, 255, 255, 255, 255]),
        ["MBR partition table"]
    );
    assert!(table([0; 16]).is_empty());
    assert!(table([0x80, 0, 0, 0, 0x83, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]).is_empty());
    assert!(table([0x81, 0, 0, 0, 0x83, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]).is_empty());
}

#[test]
fn another_file_system_in_the_same_place_is_another_mark() {
    let with = |id: u8| marks(Image::new(SIZE).with(0, b"LUKS\xba\xbe").with(168, &[id; 36]));
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
}

#[test]
fn random_data_holds_no_marks() {
    struct Random(u64);
    impl ReadAt for Random {
        fn size_bytes(&self) -> u64 {
            SIZE
        }
        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
            Xoshiro256PlusPlus::seed_from_u64(self.0 ^ offset).fill_bytes(buffer);
            // The two bytes that random data has once in 65536 runs.
            if offset == 0 {
                buffer[510..512].copy_from_slice(&[0x55, 0xaa]);
                buffer[1080..1082].copy_from_slice(&[0x53, 0xef]);
            }
            Ok(())
        }
    }
    for seed in 0..200 {
        let found = Places::read(SIZE, || Ok::<_, ()>(Random(seed))).unwrap().marks();
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn a_few_reads_cover_all_places_of_devices_of_any_size() {
    for size in [512, 4096, 1 << 20, (5 << 20) + 512, 64 << 20, SIZE + 7 * 512, 1 << 45] {
        let windows = windows(size);
        assert!(windows.len() <= 20, "{} reads", windows.len());
        assert!(windows.iter().map(|window| window.end - window.start).sum::<u64>() < 1 << 20);
        for (magic, offset) in places(size) {
            let end = offset + magic.bytes.len() as u64;
            assert!(windows.iter().any(|w| w.start <= offset && end <= w.end), "{} at {offset}", magic.name);
        }
        assert!(windows.windows(2).all(|pair| pair[0].end < pair[1].start));
    }
}
