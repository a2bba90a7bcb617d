//! Memory, huge pages, paging and swapping.

use super::KB;
use crate::foreign_series::{Column, bytes, bytes_per_s, plain, share};

/// A column of `sar -r` or `sar -S`, its `kb` left out.
pub fn memory(column: &str) -> Column {
    let metric = match column {
        "memfree" => "memory.free",
        "avail" => "memory.available",
        "memused" => "memory.used",
        "buffers" => "memory.buffers",
        "cached" => "memory.cached",
        "commit" => "memory.committed",
        "active" => "memory.active",
        "inact" | "inactive" => "memory.inactive",
        "dirty" => "memory.dirty",
        "shmem" | "shared" => "memory.shared",
        "anonpg" => "memory.anonymous",
        "slab" => "memory.slab",
        "kstack" => "memory.kernel_stacks",
        "pgtbl" => "memory.page_tables",
        "vmused" => "memory.vmalloc_used",
        "swpfree" => "memory.swap_free",
        "swpused" => "memory.swap_used",
        "swpcad" => "memory.swap_cached",
        "%memused" => return share("memory.used_share"),
        "%commit" => return share("memory.committed_share"),
        "%swpused" => return share("memory.swap_used_share"),
        "%swpcad" => return share("memory.swap_cached_share"),
        _ => return Column::Unknown,
    };
    bytes(metric, KB)
}

/// A column of `sar -H`, its `kb` left out.
pub fn huge_pages(column: &str) -> Column {
    match column {
        "hugfree" => bytes("memory.huge_free", KB),
        "hugused" => bytes("memory.huge_used", KB),
        "hugrsvd" => bytes("memory.huge_reserved", KB),
        "hugsurp" => bytes("memory.huge_surplus", KB),
        "%hugused" => share("memory.huge_used_share"),
        _ => Column::Unknown,
    }
}

/// A column of `sar -B`, its `/s` left out.
pub fn paging(column: &str) -> Column {
    let metric = match column {
        "pgpgin" => return bytes_per_s("paging.in_bytes", KB),
        "pgpgout" => return bytes_per_s("paging.out_bytes", KB),
        "%vmeff" => return share("paging.reclaim_efficiency"),
        "fault" => "paging.faults",
        "majflt" => "paging.major_faults",
        "pgfree" => "paging.freed",
        "pgscank" => "paging.scanned_by_kswapd",
        "pgscand" => "paging.scanned_directly",
        "pgsteal" => "paging.reclaimed",
        "pgprom" => "paging.promoted",
        "pgdem" => "paging.demoted",
        _ => return Column::Unknown,
    };
    plain(metric, "pages/s")
}

/// A column of `sar -W`, its `/s` left out.
pub fn swapping(column: &str) -> Column {
    match column {
        "pswpin" => plain("swap.in", "pages/s"),
        "pswpout" => plain("swap.out", "pages/s"),
        _ => Column::Unknown,
    }
}
