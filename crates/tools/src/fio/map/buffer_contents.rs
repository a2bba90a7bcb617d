//! What is written, and whether it is checked.

use fathom_record::workload::{ConstantContent, Data, Mix, Verify};

use super::special_options::pattern;
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
        if self.job.flag("zero_buffers", false)? {
            compressible_share = 1.0;
        }
        let duplicate_share = share("dedupe_percentage")?;
        Ok(Data { compressible_share, duplicate_share, verify: self.verify(mix)? })
    }

    /// Content that is told: a pattern, or buffers that keep what they were filled with. The last of what is given
    /// for it decides, but for a pattern of verification, which stands in every block that is verified.
    pub(super) fn content(&mut self) -> Result<Option<ConstantContent>, Refusal> {
        let verifies = self.job.text("verify").is_some_and(|method| !matches!(method, "0" | "null"));
        let name = match self.job.last("verify_pattern") {
            Some(_) if verifies => "verify_pattern",
            _ if self.job.rank("zero_buffers") > self.job.rank("buffer_pattern") => return Ok(None),
            _ => "buffer_pattern",
        };
        if let Some(given) = self.job.last(name).filter(|given| !given.text().is_empty()) {
            if given.text().contains(['\'', '%']) {
                let words = "a pattern is bytes, and neither a file's nor the offset";
                self.hand_over(format!("{name}={}: {words}", given.text()));
                return Ok(None);
            }
            let bytes = pattern(given.text()).map_err(|fault| given.refuse(fault))?;
            return Ok(Some(ConstantContent::of_pattern(&bytes)));
        }
        let renewed = self.job.flag("scramble_buffers", true)?
            || self.job.flag("refill_buffers", false)?
            || self.job.last("buffer_compress_percentage").is_some()
            || self.job.last("dedupe_percentage").is_some();
        let is_plain = !self.job.flag("zero_buffers", false)?;
        let keeps = self.entry().is_none_or(|entry| entry.keeps_content);
        if keeps && is_plain && self.job.flag("scramble_buffers", true)? && !self.fills_buffers()? {
            self.warn(
                "data: each write has noise of its own, as with refill_buffers; fio fills a buffer once and changes some \
                 bytes of each 512 with each write, which a target that compresses stores in less, down to a fortieth",
            );
        }
        Ok((!renewed && is_plain).then_some(ConstantContent::Kept))
    }

    /// Whether fio gives each write data of its own, or such as was asked for.
    fn fills_buffers(&self) -> Result<bool, Refusal> {
        let told = ["buffer_compress_percentage", "dedupe_percentage", "verify"];
        Ok(self.job.flag("refill_buffers", false)? || told.iter().any(|name| self.job.last(name).is_some()))
    }

    /// Blocks carry fathom's stamps, whatever checksum was asked for: all of fio's find the same faults of
    /// a target.
    fn verify(&mut self, mix: &Mix) -> Result<Verify, Refusal> {
        let Some(method) = self.job.text("verify").filter(|method| !matches!(*method, "0" | "null")) else {
            return Ok(Verify::Off);
        };
        let checks = self.job.flag("do_verify", true)?;
        if let Some(entry) = self.entry().filter(|entry| !entry.keeps_content) {
            self.warn(format!("verify={method}: nothing is checked, as engine {} keeps nothing", entry.name));
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
