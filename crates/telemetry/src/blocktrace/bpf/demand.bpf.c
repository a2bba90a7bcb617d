// What is asked of one block device, by everybody: sizes, sequential starts, gaps between arrivals, and
// which process asked, counted in the kernel. Nothing is handed on one by one.
//
// A volume sees requests after merging, which are counted as they are issued; a device without requests
// (a RAM disk, device mapper) sees bios as they are queued. The process is known where a bio is queued: a
// request may be issued by a thread of the kernel's.
// Built by `cargo xtask bpf`.

#include "program.h"

struct task_struct {
    struct task_struct *group_leader;
    char comm[16];
} RELOCATED;

struct block_device;

struct gendisk {
    struct block_device *part0;
} RELOCATED;

struct block_device {
    u32 bd_dev;
    struct gendisk *bd_disk;
} RELOCATED;

struct bio {
    struct block_device *bi_bdev;
    u32 bi_opf;
    struct bvec_iter bi_iter;
} RELOCATED;

struct request {
    struct bio *bio;
    u32 cmd_flags;
    u32 __data_len;
    u64 __sector;
} RELOCATED;

enum {
    // Sizes up to this many sectors are told apart; above it, by steps of 128 KiB.
    EXACT = 1024,
    STEPS = 128,
    SIZES = EXACT + STEPS,
    // Gaps: four buckets for each doubling.
    GAPS = 256,
    // Ends of I/Os that a next one may follow, and how far behind one it may start, in sectors.
    ENDS = 32,
    NEAR = 256,
    PROCESSES = 4096,
    NAME = 16,
};

// Filled in by the loader.
const volatile u32 device = 0;
// Whether the device has requests.
const volatile u32 requests = 0;

// One direction, on one processor. Read by the loader in this order.
struct counted {
    u64 operations;
    u64 bytes;
    u64 sequential;
    u64 gaps[GAPS];
    u64 gap_sum_ns;
    u64 sizes[SIZES];
};

struct {
    UINT(type, MAP_PERCPU_ARRAY);
    UINT(max_entries, 2);
    TYPE(key, u32);
    TYPE(value, struct counted);
} counts SEC(".maps");

// What came last, whoever asked. Written by all processors without a lock: a lost end is one I/O that
// seems not to be sequential.
struct last {
    u64 at_ns;
    u64 next;
    u64 ends[ENDS];
};

struct {
    UINT(type, MAP_ARRAY);
    UINT(max_entries, 1);
    TYPE(key, u32);
    TYPE(value, struct last);
} lasts SEC(".maps");

struct asker {
    u64 operations[2];
    u64 bytes[2];
    char name[NAME];
};

struct {
    UINT(type, MAP_PERCPU_HASH);
    UINT(max_entries, PROCESSES);
    TYPE(key, u32);
    TYPE(value, struct asker);
} askers SEC(".maps");

INLINE u32 log2_of(u64 value) {
    u32 power = 0;
    if (value >> 32) power += 32, value >>= 32;
    if (value >> 16) power += 16, value >>= 16;
    if (value >> 8) power += 8, value >>= 8;
    if (value >> 4) power += 4, value >>= 4;
    if (value >> 2) power += 2, value >>= 2;
    return power + (u32)(value >> 1);
}

INLINE int is_asked(struct block_device *bdev) {
    return bdev->bd_dev == device || bdev->bd_disk->part0->bd_dev == device;
}

// Reads and writes alone: others move no data, or name what they do not move.
INLINE int is_demand(u32 flags, u32 bytes) { return (flags & 0xff) <= 1 && bytes; }

INLINE int follows(struct last *last, u64 sector) {
    for (u32 at = 0; at < ENDS; at++)
        // An end that was never written is 0, and only I/Os at the device's start could follow it.
        if (sector - last->ends[at] <= NEAR && last->ends[at]) return 1;
    return 0;
}

INLINE void count(u32 direction, u64 sector, u32 bytes) {
    u32 first = 0;
    struct counted *counted = map_lookup(&counts, &direction);
    struct last *last = map_lookup(&lasts, &first);
    if (!counted || !last) return;
    u32 sectors = bytes >> 9;
    u32 step = sectors >> 8;
    u32 place = sectors < EXACT ? sectors : EXACT + (step < STEPS ? step : STEPS - 1);
    counted->operations++;
    counted->bytes += bytes;
    if (place < SIZES) counted->sizes[place]++;
    if (follows(last, sector)) counted->sequential++;
    last->ends[last->next++ & (ENDS - 1)] = sector + sectors;
    u64 now = now_ns();
    u64 before = last->at_ns;
    last->at_ns = now;
    if (!before || now < before) return;
    u64 gap = now - before;
    u32 power = log2_of(gap | 4);
    u32 bucket = (power << 2) + ((gap >> (power - 2)) & 3);
    if (bucket < GAPS) counted->gaps[bucket]++;
    counted->gap_sum_ns += gap;
}

INLINE void ask(u32 direction, u32 bytes) {
    u32 process = pid_tgid() >> 32;
    struct asker *asker = map_lookup(&askers, &process);
    if (!asker) {
        struct asker fresh = {};
        // The process's own name: threads that work for it, as those of a ring, have others.
        struct task_struct *leader = own_task()->group_leader;
        read_kernel(fresh.name, NAME, leader->comm);
        map_update(&askers, &process, &fresh, IF_ABSENT);
        asker = map_lookup(&askers, &process);
        if (!asker) return;
    }
    asker->operations[direction & 1]++;
    asker->bytes[direction & 1] += bytes;
}

SEC("tp_btf/block_bio_queue")
int on_queue(u64 *context) {
    struct bio *bio = (struct bio *)context[0];
    u32 flags = bio->bi_opf, bytes = bio->bi_iter.bi_size;
    if (!is_demand(flags, bytes) || !is_asked(bio->bi_bdev)) return 0;
    ask(flags & 1, bytes);
    if (!requests) count(flags & 1, bio->bi_iter.bi_sector, bytes);
    return 0;
}

SEC("tp_btf/block_rq_issue")
int on_request(u64 *context) {
    struct request *request = (struct request *)context[0];
    struct bio *bio = request->bio;
    u32 flags = request->cmd_flags, bytes = request->__data_len;
    if (!requests || !bio || !is_demand(flags, bytes) || !is_asked(bio->bi_bdev)) return 0;
    count(flags & 1, request->__sector, bytes);
    return 0;
}

char terms[] SEC("license") = "Dual MIT/GPL";
