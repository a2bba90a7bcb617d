//! What is written, and whether it is checked.

use fathom_record::workload::{Data, Mix, Verify};

use super::{Mapper, has_reads, has_writes};
use crate::Refusal;
use crate::fio::value;

impl Mapper<'_> {
    pub(super) fn data(&mut self, mix: &Mix) -> Result<Data, Refusal> {
        if !has_writes(mix) {
            return Ok(Data { verify: self.verify(mix)?, ..Data::default() });
        }
        let share = |name: &str| {
            let read = |text: &str| value::int(text.trim_end_matches('%'));
            Ok::<_, Refusal>(self.job.read(name, read)?.unwrap_or(0).min(100) as f64 / 100.0)
        };
        let mut compressible_share = share("buffer_compress_percentage")?;
        let patterned = self.job.last("buffer_pattern").is_some()
            && self.job.last("buffer_compress_percentage").is_none();
        if self.job.flag("zero_buffers", false)? || patterned {
            compressible_share = 1.0;
        }
        let duplicate_share = share("dedupe_percentage")?;
        Ok(Data { compressible_share, duplicate_share, verify: self.verify(mix)? })
    }

    /// Blocks carry fathom's stamps, whatever checksum was asked for: all of fio's find the same faults of
    /// a target.
    fn verify(&mut self, mix: &Mix) -> Result<Verify, Refusal> {
        let Some(method) = self.job.text("verify").filter(|method| !matches!(*method, "0" | "null")) else {
            return Ok(Verify::Off);
        };
        let checks = self.job.flag("do_verify", true)?;
        let engine = self.engine.and_then(|row| row.fathom).unwrap_or_default();
        if matches!(engine, "null" | "falloc" | "ftruncate") {
            self.warn(format!("verify={method}: nothing is checked, as engine {engine} keeps nothing"));
            return Ok(Verify::Off);
        }
        if !has_writes(mix) {
            if !(checks && has_reads(mix)) {
                return Ok(Verify::Off);
            }
            self.warn(format!(
                "verify={method}: blocks that an earlier job of fathom wrote with verify are checked by address and \
                 CRC-32C; blocks without its stamp, as those that fio wrote, make the exit status 1, and are fio's to \
                 check (--engine=fio)"
            ));
            return Ok(Verify::OnRead);
        }
        if checks {
            self.warn(format!("verify={method}: blocks carry fathom's stamps and CRC-32C, not fio's headers; only this run can check them"));
            return Ok(Verify::AtEnd);
        }
        self.warn(format!("verify={method}: blocks carry fathom's stamps and not fio's headers: a later job of fio cannot check them"));
        Ok(Verify::OnRead)
    }
}
