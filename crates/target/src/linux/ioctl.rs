//! Questions to block devices and files that only `ioctl` answers.
#![allow(unsafe_code)] // ioctl has no safe form for these requests; each use says why it is sound.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use super::device_number::DeviceNumber;

const READ: u32 = 2;
const WRITE: u32 = 1;
const FIEMAP_HEADER_BYTES: usize = 32;

/// `BLKGETSIZE64`, `_IOR(0x12, 114, size_t)`, Linux `include/uapi/linux/fs.h`.
const BLKGETSIZE64: libc::Ioctl = request(READ, 0x12, 114, size_of::<usize>());
/// `BLKROGET`, `_IO(0x12, 94)`: writes an int.
const BLKROGET: libc::Ioctl = request(0, 0x12, 94, 0);
/// `BLKGETDISKSEQ`, `_IOR(0x12, 128, __u64)`: since Linux 5.15.
const BLKGETDISKSEQ: libc::Ioctl = request(READ, 0x12, 128, 8);
/// `LOOP_GET_STATUS64`, Linux `include/uapi/linux/loop.h`.
const LOOP_GET_STATUS64: libc::Ioctl = 0x4c05;
/// `FS_IOC_FIEMAP`, `_IOWR('f', 11, struct fiemap)`, Linux `include/uapi/linux/fiemap.h`.
const FS_IOC_FIEMAP: libc::Ioctl = request(READ | WRITE, b'f' as u32, 11, FIEMAP_HEADER_BYTES);

/// `_IOC` of the generic encoding, Linux `include/uapi/asm-generic/ioctl.h`, which x86-64, AArch64
/// and RISC-V share.
const fn request(direction: u32, kind: u32, number: u32, bytes: usize) -> libc::Ioctl {
    ((direction << 30) | ((bytes as u32) << 16) | (kind << 8) | number) as libc::Ioctl
}

/// Asks for something that the kernel writes into `answer`.
///
/// # Safety
/// The request must write at most `size_of::<T>()` bytes, any of which are valid in a `T`, and read
/// no pointer from it.
unsafe fn ask<T>(file: &File, request: libc::Ioctl, answer: &mut T) -> io::Result<()> {
    // SAFETY: the descriptor is open for as long as `file` is borrowed; the caller vouches for the size.
    let status = unsafe { libc::ioctl(file.as_raw_fd(), request, std::ptr::from_mut(answer)) };
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Size of an open block device in bytes.
///
/// # Errors
/// When it is no block device, or its medium is gone.
pub fn block_size_bytes(file: &File) -> io::Result<u64> {
    let mut answer = 0u64;
    // SAFETY: writes one u64.
    unsafe { ask(file, BLKGETSIZE64, &mut answer) }.map(|()| answer)
}

/// Whether an open block device takes no writes.
///
/// # Errors
/// When it is no block device.
pub fn block_read_only(file: &File) -> io::Result<bool> {
    let mut answer: libc::c_int = 0;
    // SAFETY: writes one int.
    unsafe { ask(file, BLKROGET, &mut answer) }.map(|()| answer != 0)
}

/// Number that no other disk gets while the machine is up, so that a device number that was given to
/// another disk meanwhile is noticed.
///
/// # Errors
/// Before Linux 5.15.
pub fn disk_sequence(file: &File) -> io::Result<u64> {
    let mut answer = 0u64;
    // SAFETY: writes one u64.
    unsafe { ask(file, BLKGETDISKSEQ, &mut answer) }.map(|()| answer)
}

/// What a loop device stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopStatus {
    /// File system of the backing file.
    pub device: DeviceNumber,
    /// Its inode.
    pub inode: u64,
    /// The block device, where the backing is one.
    pub block: Option<DeviceNumber>,
    /// First byte of the backing that the device shows.
    pub offset_bytes: u64,
}

/// `struct loop_info64`.
#[repr(C)]
struct LoopInfo64 {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    size_limit: u64,
    words: [u32; 4],
    texts: [u8; 64 + 64 + 32],
    init: [u64; 2],
}

/// What an open loop device stands on.
///
/// # Errors
/// `ENXIO` when nothing is attached.
pub fn loop_status(file: &File) -> io::Result<LoopStatus> {
    let mut info = LoopInfo64 {
        device: 0,
        inode: 0,
        rdevice: 0,
        offset: 0,
        size_limit: 0,
        words: [0; 4],
        texts: [0; 160],
        init: [0; 2],
    };
    // SAFETY: the structure has the layout and size of the kernel's, plain integers throughout.
    unsafe { ask(file, LOOP_GET_STATUS64, &mut info) }?;
    let block = (info.rdevice != 0).then(|| DeviceNumber::from_raw(info.rdevice));
    Ok(LoopStatus {
        device: DeviceNumber::from_raw(info.device),
        inode: info.inode,
        block,
        offset_bytes: info.offset,
    })
}

/// One stretch of a file as the file system maps it, `struct fiemap_extent`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Extent {
    /// First byte in the file.
    pub logical_bytes: u64,
    /// First byte on the device.
    pub physical_bytes: u64,
    /// Length.
    pub length_bytes: u64,
    reserved64: [u64; 2],
    /// `FIEMAP_EXTENT_*`.
    pub flags: u32,
    reserved: [u32; 3],
}

impl Extent {
    /// `FIEMAP_EXTENT_LAST`: no further one in the file.
    pub const LAST: u32 = 0x1;
    /// `FIEMAP_EXTENT_UNKNOWN`, `ENCODED`, `NOT_ALIGNED`: where it lies is not known, or not as it is read.
    pub const ELSEWHERE: u32 = 0x2 | 0x8 | 0x100;
    /// `FIEMAP_EXTENT_DELALLOC`: waits in memory for a place.
    pub const DELAYED: u32 = 0x4;
    /// `FIEMAP_EXTENT_UNWRITTEN`: has a place, reads as zeros without reading it.
    pub const UNWRITTEN: u32 = 0x800;
}

const EXTENTS_PER_CALL: usize = 256;

#[repr(C)]
struct Fiemap {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    count: u32,
    reserved: u32,
    extents: [Extent; EXTENTS_PER_CALL],
}

/// The next extents of a file that overlap a stretch, after what is in memory was written back.
///
/// # Errors
/// `EOPNOTSUPP` or `ENOTTY` where the file system has no such map.
pub fn extents(file: &File, start_bytes: u64, length_bytes: u64) -> io::Result<Vec<Extent>> {
    const SYNC: u32 = 1;
    let mut map = Fiemap {
        start: start_bytes,
        length: length_bytes,
        flags: SYNC,
        mapped: 0,
        count: EXTENTS_PER_CALL as u32,
        reserved: 0,
        extents: [Extent::default(); EXTENTS_PER_CALL],
    };
    // SAFETY: the header is the kernel's, followed by room for exactly `count` extents.
    unsafe { ask(file, FS_IOC_FIEMAP, &mut map) }?;
    Ok(map.extents[..(map.mapped as usize).min(EXTENTS_PER_CALL)].to_vec())
}

const _: () = assert!(size_of::<LoopInfo64>() == 232 && size_of::<Extent>() == 56);
const _: () = assert!(size_of::<Fiemap>() == FIEMAP_HEADER_BYTES + 56 * EXTENTS_PER_CALL);
