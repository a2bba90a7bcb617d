//! How much of what is there is used.

use std::path::Path;

use crate::{Error, ErrorKind};

/// The size that is used: what is there, or the first part of it that was asked for.
pub fn usable(name: &str, there: u64, block: u32, wanted: Option<u64>) -> Result<u64, Error> {
    let place = format!("opening {name}");
    let block = u64::from(block.max(1));
    if let Some(wanted) = wanted.filter(|wanted| *wanted > there) {
        let cause = format!("it has {there} bytes, fewer than the {wanted} that were asked for");
        return Err(Error::new(ErrorKind::Plan, place, cause)
            .with_remedy(format!("leave --size out, or type --size {}", there / block * block)));
    }
    let size = wanted.unwrap_or(there) / block * block;
    if size == 0 {
        if let Some(wanted) = wanted {
            let cause = format!("a size of {wanted} bytes holds no block of {block} bytes");
            return Err(Error::new(ErrorKind::Plan, place, cause)
                .with_remedy(format!("type --size {block} or more, or leave --size out")));
        }
        let cause = format!("it has {there} bytes, fewer than the {block} of one block");
        let remedy = match Path::new(name).file_name().and_then(|file| file.to_str()) {
            Some(zram) if zram.starts_with("zram") => {
                format!("give it a size: echo 1G | sudo tee /sys/block/{zram}/disksize")
            }
            _ => "name its folder, so that a scratch file is made there, or another target".to_owned(),
        };
        return Err(Error::new(ErrorKind::Refused, place, cause).with_remedy(remedy));
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_no_block_is_refused_with_what_it_needs() {
        for (name, remedy) in [("/dev/zram3", "/sys/block/zram3/disksize"), ("data/empty", "scratch file")] {
            let error = usable(name, 100, 512, None).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Refused);
            assert!(error.cause.contains("100 bytes") && error.remedy.contains(remedy), "{error}");
        }
        assert_eq!(usable("x", 1000, 512, Some(511)).unwrap_err().kind, ErrorKind::Plan);
        assert_eq!(usable("x", 1300, 512, None).ok(), Some(1024));
    }
}
