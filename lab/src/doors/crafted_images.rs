//! Victims whose bytes are written here, after the descriptions of their formats: what no tool makes
//! without a driver, data without any format, and files that look like something else.

use super::super::draw::Draw;

const SECTOR: u64 = 512;
const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// A size, and what lies where; all else is a hole.
pub struct Image {
    pub bytes: u64,
    pub pieces: Vec<(u64, Vec<u8>)>,
}

fn image(bytes: u64, pieces: Vec<(u64, Vec<u8>)>) -> Image {
    Image { bytes, pieces }
}

/// A piece of `length` bytes with words at their places in it.
fn piece(length: usize, words: &[(usize, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; length];
    for (at, word) in words {
        bytes[*at..*at + word.len()].copy_from_slice(word);
    }
    bytes
}

/// A protective MBR whose other entries are partitions too, over a GPT.
pub fn hybrid(draw: &mut Draw) -> Image {
    let entry = |kind: u8, first: u32, sectors: u32| {
        let mut entry = vec![0, 0, 2, 0, kind, 0xff, 0xff, 0xff];
        entry.extend(first.to_le_bytes());
        entry.extend(sectors.to_le_bytes());
        entry
    };
    let (protective, linux) = (entry(0xee, 1, 2047), entry(0x83, 2048, 8192));
    let first = piece(512, &[(446, &protective), (462, &linux), (510, &[0x55, 0xaa])]);
    let mut pieces = vec![(0, first), (SECTOR, gpt_header(1, 16_383))];
    pieces.push((MIB, draw.noise(4096)));
    image(8 * MIB, pieces)
}

fn gpt_header(own: u64, other: u64) -> Vec<u8> {
    let (own, other) = (own.to_le_bytes(), other.to_le_bytes());
    piece(512, &[(0, b"EFI PART"), (8, &[0, 0, 1, 0, 92]), (24, &own), (32, &other)])
}

/// A disk whose first table was wiped: the copy in its last sector is left.
pub fn gpt_backup(_: &mut Draw) -> Image {
    image(8 * MIB, vec![(8 * MIB - SECTOR, gpt_header(16_383, 1))])
}

fn lvm(draw: &mut Draw, sector: u64) -> Image {
    let sector_of = sector.to_le_bytes();
    let label = piece(512, &[(0, b"LABELONE"), (8, &sector_of), (20, &[32]), (24, b"LVM2 001")]);
    image(8 * MIB, vec![(sector * SECTOR, label), (2 * MIB, draw.noise(8192))])
}

/// A physical volume with its label in the first sector.
pub fn lvm_first(draw: &mut Draw) -> Image {
    lvm(draw, 0)
}

/// A physical volume with its label in the second sector, where pvcreate puts it.
pub fn lvm_second(draw: &mut Draw) -> Image {
    lvm(draw, 1)
}

fn md(at: u64, version: u32, bytes: u64) -> Image {
    let mut head = piece(4096, &[(0, &0xa92b_4efc_u32.to_le_bytes()), (4, &version.to_le_bytes())]);
    head[16..32].copy_from_slice(b"0123456789abcdef");
    image(bytes, vec![(at, head)])
}

/// A member of an array with its superblock in the last whole 64 KiB but one.
pub fn md_090(_: &mut Draw) -> Image {
    md(8 * MIB - 64 * KIB, 0, 8 * MIB)
}

/// A member whose superblock lies 8 KiB before the end.
pub fn md_10(_: &mut Draw) -> Image {
    md(8 * MIB - 8 * KIB, 1, 8 * MIB)
}

/// A member whose superblock comes first.
pub fn md_11(_: &mut Draw) -> Image {
    md(0, 1, 8 * MIB)
}

/// A member whose superblock lies at 4 KiB.
pub fn md_12(_: &mut Draw) -> Image {
    md(4 * KIB, 1, 8 * MIB)
}

fn uberblocks(label: u64) -> Vec<(u64, Vec<u8>)> {
    let block = piece(1024, &[(0, &0x00ba_b10c_u64.to_le_bytes()), (8, &[0x88, 0x13]), (16, &[9])]);
    (0..4).map(|index| (label + 128 * KIB + index * KIB, block.clone())).collect()
}

/// A member of a pool, with two labels at each end.
pub fn zfs(_: &mut Draw) -> Image {
    let labels = [0, 256 * KIB, 64 * MIB - 512 * KIB, 64 * MIB - 256 * KIB];
    image(64 * MIB, labels.into_iter().flat_map(uberblocks).collect())
}

/// A member of a pool whose first labels were wiped.
pub fn zfs_last(_: &mut Draw) -> Image {
    let labels = [64 * MIB - 512 * KIB, 64 * MIB - 256 * KIB];
    image(64 * MIB, labels.into_iter().flat_map(uberblocks).collect())
}

/// A replicated device with its metadata at the end.
pub fn drbd(_: &mut Draw) -> Image {
    let head = piece(4096, &[(60, &0x8374_026d_u32.to_be_bytes())]);
    image(8 * MIB, vec![(8 * MIB - 4 * KIB, head)])
}

/// A disk of Oracle's storage manager.
pub fn asm(_: &mut Draw) -> Image {
    image(8 * MIB, vec![(0, piece(4096, &[(0, &[1, 0x82, 1, 1]), (32, b"ORCLDISKDATA01")]))])
}

/// A datastore whose header lies at 2 MiB, and nothing before it.
pub fn vmfs(_: &mut Draw) -> Image {
    let header = piece(4096, &[(0, &0x2fab_f15e_u32.to_le_bytes()), (4, &[5]), (18, b"datastore1")]);
    image(8 * MIB, vec![(MIB, piece(512, &[(0, &0xc001_d00d_u32.to_le_bytes())])), (2 * MIB, header)])
}

/// Pages of a database on the bare device, throughout.
pub fn database(draw: &mut Draw) -> Image {
    image(4 * MIB, vec![(0, draw.noise(4 * MIB as usize))])
}

/// Only the last sector holds something.
pub fn last_sector(draw: &mut Draw) -> Image {
    image(8 * MIB, vec![(8 * MIB - SECTOR, draw.noise(512))])
}

/// Only the first byte is not zero.
pub fn first_byte(_: &mut Draw) -> Image {
    image(8 * MIB, vec![(0, vec![1])])
}

/// One stretch of data of 512 B to 1 MiB, anywhere on 8 to 512 MiB of nothing.
pub fn anywhere(draw: &mut Draw) -> Image {
    let bytes = (8 * MIB) << draw.below(7);
    let length = SECTOR << draw.below(12);
    let place = draw.between(0.0, ((bytes - length) / SECTOR) as f64) as u64 * SECTOR;
    image(bytes, vec![(place, draw.noise(length as usize))])
}

/// 4 KiB of data on 8 to 512 MiB of nothing.
pub fn one_block(draw: &mut Draw) -> Image {
    let bytes = (8 * MIB) << draw.below(7);
    let place = draw.between(0.0, (bytes / 4096 - 1) as f64) as u64 * 4096;
    image(bytes, vec![(place, draw.noise(4096))])
}

/// Islands of data that keep clear of every multiple of an even share of the device, and of both ends.
pub fn many_islands(draw: &mut Draw) -> Image {
    let bytes = (64 * MIB) << draw.below(4);
    let shares = [32, 64, 65, 128][draw.below(4)];
    let step = (bytes - 2 * MIB) / shares;
    let island = |index: u64| (MIB + index * step + step / 3) / SECTOR * SECTOR;
    image(bytes, (1..shares).map(|index| (island(index), draw.noise(16 * KIB as usize))).collect())
}

/// Data throughout but for the first MiB.
pub fn head_wiped(draw: &mut Draw) -> Image {
    image(4 * MIB, vec![(MIB, draw.noise(3 * MIB as usize))])
}

fn whole(bytes: Vec<u8>) -> Image {
    image(bytes.len() as u64, vec![(0, bytes)])
}

/// Prose.
pub fn text(_: &mut Draw) -> Image {
    whole("The only copy of a year's work.\n".repeat(3000).into_bytes())
}

/// Bytes without any order, as of an archive.
pub fn random(draw: &mut Draw) -> Image {
    whole(draw.noise(1_000_003))
}

/// What begins as a picture does.
pub fn picture(draw: &mut Draw) -> Image {
    let mut bytes = b"\xff\xd8\xff\xe0\x00\x10JFIF\0\x01\x01".to_vec();
    bytes.extend(draw.noise(100_000));
    whole(bytes)
}

/// Somebody's notes, in which a version of fathom is mentioned.
pub fn names_fathom(_: &mut Draw) -> Image {
    let notes =
        "{\"fio version\" : \"fathom-0.1.0\"} was what it printed; fathom-0.1.0 is the one to compare.\n";
    whole(notes.repeat(40).into_bytes())
}

/// A result of fio as JSON.
pub fn fio_json(_: &mut Draw) -> Image {
    let result = "{\n  \"fio version\" : \"fio-3.33\",\n  \"timestamp\" : 1700000000,\n  \"jobs\" : []\n}\n";
    whole(result.as_bytes().to_vec())
}

/// A result of fio as text.
pub fn fio_text(_: &mut Draw) -> Image {
    let result = "a: (g=0): rw=randread, bs=(R) 4096B-4096B, ioengine=libaio, iodepth=32\nfio-3.33\n\
                  Starting 1 process\n\na: (groupid=0, jobs=1): err= 0: pid=7: Mon Nov  3 10:00:00 2025\n";
    whole(result.as_bytes().to_vec())
}

/// Somebody's data as JSON, with keys that records have too.
pub fn json(_: &mut Draw) -> Image {
    whole(b"{\"schema\": \"fathom.run\", \"version\": 6, \"id\": \"mine\", \"data\": [1, 2, 3]}\n".to_vec())
}

/// A page of somebody's own.
pub fn page(_: &mut Draw) -> Image {
    whole(b"<!DOCTYPE html>\n<html><head><title>fathom</title></head><body>mine</body></html>\n".to_vec())
}

/// A log of another tool.
pub fn log_lines(_: &mut Draw) -> Image {
    whole("1000, 204800, 0, 4096, 0, 0\n2000, 214800, 0, 4096, 0, 0\n".repeat(200).into_bytes())
}

/// A trace that somebody recorded.
pub fn iolog(_: &mut Draw) -> Image {
    whole("fio version 2 iolog\nx add\nx open\nx read 0 4096\nx close\n".repeat(3).into_bytes())
}

/// What fio keeps of a verification.
pub fn verify_state(draw: &mut Draw) -> Image {
    let mut bytes = piece(16, &[(0, &[3, 0, 0, 0, 0, 0, 0, 0, 72])]);
    bytes.extend(draw.noise(72));
    whole(bytes)
}

/// Somebody's database in one file.
pub fn sqlite(draw: &mut Draw) -> Image {
    let mut bytes = piece(4096, &[(0, b"SQLite format 3\0"), (16, &[16, 0, 1, 1, 0, 64, 32, 32])]);
    bytes.extend(draw.noise(8192));
    whole(bytes)
}

/// A file of no bytes: its name and its time are what somebody keeps.
pub fn empty(_: &mut Draw) -> Image {
    whole(Vec::new())
}

/// Data behind a long hole.
pub fn sparse(draw: &mut Draw) -> Image {
    image(6 * MIB + 5, vec![(6 * MIB - 100, draw.noise(105))])
}

/// The smallest file that holds something.
pub fn one_byte(_: &mut Draw) -> Image {
    whole(vec![b'1'])
}

/// A file to swap to: without holes, or the kernel refuses it.
pub fn swap_file(_: &mut Draw) -> Image {
    let mut bytes = vec![0; MIB as usize];
    bytes[1024] = 1;
    bytes[1028..1032].copy_from_slice(&(MIB as u32 / 4096 - 1).to_le_bytes());
    bytes[1036..1052].copy_from_slice(b"fathom-lab-doors");
    bytes[4086..4096].copy_from_slice(b"SWAPSPACE2");
    whole(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn islands_lie_inside_and_keep_clear_of_the_ends() {
        for stream in 0..50 {
            let image = many_islands(&mut Draw::new(1, stream));
            let ends = image.pieces.iter().all(|(at, bytes)| {
                *at > MIB && at + bytes.len() as u64 <= image.bytes - MIB && at % SECTOR == 0
            });
            assert!(ends && image.pieces.len() >= 31);
            let one = anywhere(&mut Draw::new(2, stream));
            assert!(one.pieces[0].0 + one.pieces[0].1.len() as u64 <= one.bytes);
        }
    }
}
