//! Files to import, made here: what fio, iostat and the authors of a trace would have written.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

const JSON_BYTES: u64 = 256 << 20;
const LOG_BYTES: u64 = 1_000_000_000;
const TEXT_BYTES: u64 = 64 << 20;

/// One result with as many jobs as fill the file, each with bins as fio prints them.
pub fn json(path: &Path) -> std::io::Result<u64> {
    let mut job = String::new();
    let mut bins = String::new();
    let (mut count, mut sum) = (0u64, 0u64);
    // fio's bins from 8 us on: 64 to a power of two.
    for bin in 0..1024u64 {
        let (octave, step) = (bin / 64, bin % 64);
        let low = (64 + step) << (octave + 7);
        let (value, number) = (low + (1 << (octave + 7)) / 2, 1 + bin % 7);
        let comma = if bin == 0 { "" } else { "," };
        let _ = write!(bins, "{comma}\n              \"{value}\" : {number}");
        (count, sum) = (count + number, sum + value * number);
    }
    let mean = sum as f64 / count as f64;
    let (min, max) = (8192 + 64, ((64u64 + 63) << 22) + (1 << 21));
    let bytes = count * 4096;
    let _ = write!(
        job,
        "      \"groupid\" : 0,\n      \"error\" : 0,\n      \"elapsed\" : 11,\n      \"read\" : {{\n        \"io_bytes\" : {bytes},\n        \
         \"io_kbytes\" : {},\n        \"bw_bytes\" : {},\n        \"bw\" : {},\n        \"iops\" : {:.6},\n        \"runtime\" : 10000,\n        \
         \"total_ios\" : {count},\n        \"short_ios\" : 0,\n        \"drop_ios\" : 0,\n        \"clat_ns\" : {{\n          \"min\" : {min},\n          \
         \"max\" : {max},\n          \"mean\" : {mean:.6},\n          \"stddev\" : 1.0,\n          \"N\" : {count},\n          \"bins\" : {{{bins}\n          }}\n        }}\n      }}\n    }}",
        bytes / 1024,
        bytes / 10,
        bytes / 10 / 1024,
        count as f64 / 10.0,
    );
    let mut file = BufWriter::new(File::create(path)?);
    let mut written = 0;
    let mut put = |text: &str| {
        written += text.len() as u64;
        file.write_all(text.as_bytes()).map(|()| written)
    };
    put("{\n  \"fio version\" : \"fio-3.33\",\n  \"timestamp\" : 1700000000,\n  \"jobs\" : [\n")?;
    let mut number = 0;
    while put(&format!("    {{\n      \"jobname\" : \"job{number}\",\n{job}"))? < JSON_BYTES {
        put(",\n")?;
        number += 1;
    }
    let all = put("\n  ]\n}\n")?;
    file.flush()?;
    Ok(all)
}

/// A line for each I/O, ten to a millisecond.
pub fn log(path: &Path) -> std::io::Result<u64> {
    let mut file = BufWriter::new(File::create(path)?);
    let (mut written, mut at) = (0u64, 0u64);
    while written < LOG_BYTES {
        let line =
            format!("{}, {}, {}, 4096, {}\n", at / 10, 80_000 + at * 7919 % 100_000, at % 2, at * 4096);
        file.write_all(line.as_bytes())?;
        written += line.len() as u64;
        at += 1;
    }
    file.flush()?;
    Ok(written)
}

/// Reports of `iostat -x` of twelve devices and a processor line, a second apart.
pub fn iostat(path: &Path) -> std::io::Result<u64> {
    const COLUMNS: &str = "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util";
    let mut file = BufWriter::new(File::create(path)?);
    let mut text = String::from("Linux 6.1.0-13-amd64 (db1) \t11/20/26 \t_x86_64_\t(16 CPU)\n\n");
    let (mut written, mut report) = (0u64, 0u64);
    while written < TEXT_BYTES {
        let (hour, minute, second) = (report / 3600 % 24, report / 60 % 60, report % 60);
        let _ = write!(
            text,
            "11/20/26 {hour:02}:{minute:02}:{second:02}\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n          \
             {:>6.2}    0.00    4.21    8.10    0.00   {:>6.2}\n\n{COLUMNS}\n",
            20.0 + (report % 7) as f64,
            67.69 - (report % 7) as f64
        );
        for device in 0..12 {
            let reads = 100.0 + ((report * 13 + device * 7) % 900) as f64 + 0.25;
            let writes = 40.0 + ((report * 7 + device * 3) % 300) as f64 + 0.5;
            let (wait, queue) = (0.4 + reads / 1000.0, (reads + writes) * 0.0007);
            let _ = writeln!(
                text,
                "nvme{device}n1       {reads:>8.2} {:>9.2}     0.00   0.00 {wait:>7.2} {:>8.2} {writes:>7.2} {:>9.2}     1.50   1.10 \
                 {:>7.2} {:>8.2}    0.00      0.00     0.00   0.00    0.00     0.00    0.00    0.00 {queue:>7.2} {:>6.2}",
                reads * 16.0,
                16.0,
                writes * 8.0,
                wait + 0.3,
                8.0,
                (reads / 12.0).min(100.0)
            );
        }
        text.push('\n');
        file.write_all(text.as_bytes())?;
        written += text.len() as u64;
        text.clear();
        report += 1;
    }
    file.flush()?;
    Ok(written)
}

/// A trace as those of MSR Cambridge are: a line for each I/O of one disk, a third of them sequential.
pub fn trace(path: &Path) -> std::io::Result<u64> {
    /// Units of 100 ns from 1601 to the trace's first I/O.
    const START: u64 = 128_166_372_003_061_629;
    let mut file = BufWriter::new(File::create(path)?);
    let (mut written, mut at, mut offset) = (0u64, 0u64, 0u64);
    while written < TEXT_BYTES {
        // Numerical Recipes' generator of 64 bits: where the next I/O is.
        let drawn = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 20;
        let bytes = [4096, 4096, 8192, 65_536][(drawn % 4) as usize];
        if at % 3 != 0 {
            offset = drawn % (64 << 30) / 4096 * 4096;
        }
        let kind = if drawn % 5 < 2 { "Write" } else { "Read" };
        let line = format!("{},hm,1,{kind},{offset},{bytes},{}\n", START + at * 3000, 4000 + drawn % 90_000);
        file.write_all(line.as_bytes())?;
        written += line.len() as u64;
        offset += bytes;
        at += 1;
    }
    file.flush()?;
    Ok(written)
}
