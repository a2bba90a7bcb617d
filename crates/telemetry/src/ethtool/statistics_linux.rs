//! A network driver's statistics, through `SIOCETHTOOL`: their number, their names, their values.
#![allow(unsafe_code)] // `ioctl` takes structures whose pointers and lengths are checked here.

use std::io;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

use super::NAME_BYTES;

/// `SIOCETHTOOL`, and what is asked for with it (Linux `include/uapi/linux/sockios.h` and `ethtool.h`).
const REQUEST: libc::c_ulong = 0x8946;
const GET_DRIVER: u32 = 0x03;
const GET_STRINGS: u32 = 0x1b;
const GET_STATISTICS: u32 = 0x1d;
/// `ETH_SS_STATS`.
const STATISTICS: u32 = 1;
/// Drivers have some hundred; more than this is no answer.
const STATISTICS_MAX: u32 = 65_536;
/// Room for statistics that a driver gets between being counted and being asked, as queues are added.
const ROOM: usize = 16_384;
/// Length of `struct ethtool_drvinfo`, and where the number of statistics is in it.
const DRIVER_BYTES: usize = 196;
const DRIVER_COUNT: usize = 180;

/// A socket that drivers are asked through. Nothing is sent on it.
pub struct EthtoolSocket(UdpSocket);

impl EthtoolSocket {
    /// Opens the socket.
    ///
    /// # Errors
    /// As opening one fails.
    pub fn open() -> io::Result<Self> {
        UdpSocket::bind("127.0.0.1:0").map(Self)
    }

    /// Names of an interface's statistics, each of the same length.
    pub fn names(&self, interface: &str) -> Option<Vec<u8>> {
        let count = self.count(interface)?;
        let mut answer = vec![0u64; (12 + (count as usize + ROOM) * NAME_BYTES).div_ceil(8)];
        self.ask(interface, &mut answer, &[GET_STRINGS, STATISTICS, count])?;
        let bytes = bytes_of(&answer);
        let returned = u32_at(&bytes, 8)?.min(count) as usize;
        bytes.get(12..12 + returned * NAME_BYTES).map(<[u8]>::to_vec)
    }

    /// Their values, in the order of the names.
    pub fn values(&self, interface: &str) -> Option<Vec<u64>> {
        let count = self.count(interface)?;
        let mut answer = vec![0u64; 1 + count as usize + ROOM];
        self.ask(interface, &mut answer, &[GET_STATISTICS, count])?;
        answer.truncate(1 + count as usize);
        Some(answer.split_off(1))
    }

    fn count(&self, interface: &str) -> Option<u32> {
        let mut answer = vec![0u64; DRIVER_BYTES.div_ceil(8)];
        self.ask(interface, &mut answer, &[GET_DRIVER])?;
        u32_at(&bytes_of(&answer), DRIVER_COUNT).filter(|count| (1..=STATISTICS_MAX).contains(count))
    }

    /// Puts the words of a question at the start of `answer` and lets the driver fill the rest of it.
    fn ask(&self, interface: &str, answer: &mut [u64], question: &[u32]) -> Option<()> {
        let mut bytes: Vec<u8> = question.iter().flat_map(|word| word.to_le().to_le_bytes()).collect();
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        for (word, bytes) in answer.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().ok()?).to_le();
        }
        let mut name = [0 as libc::c_char; libc::IFNAMSIZ];
        if interface.len() >= name.len() {
            return None;
        }
        for (to, from) in name.iter_mut().zip(interface.bytes()) {
            *to = from as libc::c_char;
        }
        let data = answer.as_mut_ptr().cast();
        let mut request =
            libc::ifreq { ifr_name: name, ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_data: data } };
        // SAFETY: the request is the structure that this number takes, with a name that ends in zero. The kernel
        // writes as many statistics as the driver has at this moment, whatever the question says: `answer` has
        // room for those that were counted and many more. Both live through the call and nobody else has them.
        let status = unsafe { libc::ioctl(self.0.as_raw_fd(), REQUEST as _, &mut request) };
        (status >= 0).then_some(())
    }
}

/// Words as they lie in memory; `to_le` undoes on other machines what reading in one order does.
fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le().to_le_bytes()).collect()
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?).to_le())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_without_a_driver_have_no_statistics() {
        let socket = EthtoolSocket::open().unwrap();
        assert_eq!(socket.names("lo"), None);
        assert_eq!(socket.values("nonexistent0"), None);
        assert_eq!(socket.names(&"x".repeat(100)), None);
    }
}
