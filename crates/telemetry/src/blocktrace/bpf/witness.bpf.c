// Block-layer witness: from the kernel's block tracepoints to distributions of what this process's
// I/Os took between their arrival in the block layer and their end, for the devices asked for.
//
// One I/O is one bio. It is found again by the address of its `struct bio`; a request may carry
// several (merged), and a bio may be cut into several, whose `bi_private` is the one that was cut.
// Built by `cargo xtask bpf`.

#include "program.h"

struct block_device {
    u32 bd_dev;
} RELOCATED;

struct bio {
    struct bio *bi_next;
    struct block_device *bi_bdev;
    u32 bi_opf;
    u8 bi_status;
    struct bvec_iter bi_iter;
    void *bi_private;
} RELOCATED;

struct request {
    struct bio *bio;
} RELOCATED;

// The bits move between kernels, so their places are relocated, too.
enum req_flag_bits {
    __REQ_META,
    __REQ_RAHEAD,
};
#define BIT_OF(flag) (1u << __builtin_preserve_enum_value(*(enum req_flag_bits *)flag, 1))

enum {
    DIRECTIONS = 4,
    STAGES = 3,
    QUEUE = 0,
    DEVICE = 1,
    TOTAL = 2,
    GROUPING = 7,
    CHUNK = 1024,
    CHUNKS = 8,
    DEVICES = 8,
    // A request carries at most this many segments on any driver that sets no own limit beyond it.
    BIOS = 256,
    // Entries of the table of I/Os between arrival and end, and how far from its own place one may lie.
    PLACES = 65536,
    REACH = 16,
    NOWHERE = PLACES,
    // BLK_STS_AGAIN, the same since Linux 4.13.
    AGAIN = 12,
};

// Filled in by the loader.
const volatile u32 process = 0;
const volatile u32 devices[DEVICES] = {0};
const volatile u32 devices_used = 0;
// Set for direct I/O: what the file system and the page cache read beside it is left out.
const volatile u32 direct = 0;

// An I/O between its arrival and its end. A table without locks: programs run in interrupts of the very
// programs they interrupt, where the kernel's hash map refuses an update or a removal that would wait.
struct start {
    // Address of the bio; 0 where the entry is free.
    u64 key;
    u64 queued_ns;
    u64 inserted_ns;
    u64 issued_ns;
    u64 sector;
    u32 device;
    u32 bytes;
    u32 direction;
    u32 parts;
    u32 ended;
    u32 unused;
};

struct {
    UINT(type, MAP_ARRAY);
    UINT(max_entries, PLACES);
    TYPE(key, u32);
    TYPE(value, struct start);
} in_flight SEC(".maps");

// One I/O, handed on to be set beside the same one as the run saw it.
struct sighting {
    u64 queued_ns;
    u64 ended_ns;
    u64 sector;
    u32 device;
    u32 bytes;
    u32 direction;
    u32 unused;
};

struct {
    UINT(type, MAP_RING);
    UINT(max_entries, 8 << 20);
} sightings SEC(".maps");

// Which I/Os are handed on: those whose sector's hash has none of these bits.
struct {
    UINT(type, MAP_ARRAY);
    UINT(max_entries, 1);
    TYPE(key, u32);
    TYPE(value, u64);
} thinning SEC(".maps");

struct chunk {
    u64 counts[CHUNK];
};

// Histograms: stage, direction, then eight pieces of 1024 buckets; a whole one is too large a value.
struct {
    UINT(type, MAP_PERCPU_ARRAY);
    UINT(max_entries, STAGES *DIRECTIONS *CHUNKS);
    TYPE(key, u32);
    TYPE(value, struct chunk);
} buckets SEC(".maps");

struct stage {
    u64 count;
    u64 sum_ns;
    u64 max_ns;
    // Complement of the smallest, so that zero is where it starts.
    u64 unmin_ns;
};

struct {
    UINT(type, MAP_PERCPU_ARRAY);
    UINT(max_entries, STAGES *DIRECTIONS);
    TYPE(key, u32);
    TYPE(value, struct stage);
} stages SEC(".maps");

// By direction. Read by the loader in this order.
struct tally {
    u64 started;
    u64 finished;
    // Arrivals that found no free entry, and those whose address was still that of an unfinished one.
    u64 unkept;
    u64 renewed;
    // Sightings that found no room.
    u64 dropped;
    // Arrivals that ended as "try again".
    u64 turned_away;
    u64 unissued;
    u64 inserted;
    u64 inserted_sum_ns;
    u64 merged;
    u64 cuts;
    u64 strays;
};

struct {
    UINT(type, MAP_PERCPU_ARRAY);
    UINT(max_entries, DIRECTIONS);
    TYPE(key, u32);
    TYPE(value, struct tally);
} tallies SEC(".maps");

INLINE struct tally *tally_of(u32 direction) { return map_lookup(&tallies, &direction); }

// Directions are numbered as the record numbers them: read, write, trim, flush.
INLINE u32 direction_of(u32 flags, u32 bytes) {
    switch (flags & 0xff) {
    case 0:
        return 0;
    case 2:
        return 3;
    case 3:
    case 5:
    case 9:
        return 2;
    default:
        return bytes ? 1 : 3;
    }
}

INLINE u32 log2_of(u64 value) {
    u32 power = 0;
    if (value >> 32) power += 32, value >>= 32;
    if (value >> 16) power += 16, value >>= 16;
    if (value >> 8) power += 8, value >>= 8;
    if (value >> 4) power += 4, value >>= 4;
    if (value >> 2) power += 2, value >>= 2;
    return power + (u32)(value >> 1);
}

// Not static: the kernel's verifier then checks it once, and not again at every call in every loop.
__attribute__((noinline)) int count(u32 stage, u32 direction, u64 ns) {
    u32 place = stage * DIRECTIONS + direction;
    struct stage *sums = map_lookup(&stages, &place);
    if (!sums) return 0;
    sums->count++;
    sums->sum_ns += ns;
    if (ns > sums->max_ns) sums->max_ns = ns;
    if (~ns > sums->unmin_ns) sums->unmin_ns = ~ns;
    u32 shift = log2_of(ns | (1u << GROUPING)) - GROUPING;
    u64 bucket = ((u64)shift << GROUPING) + (ns >> (shift & 63));
    u32 piece = place * CHUNKS + (u32)(bucket / CHUNK);
    struct chunk *chunk = map_lookup(&buckets, &piece);
    if (chunk) chunk->counts[bucket % CHUNK]++;
    return 0;
}

INLINE int is_ours(struct bio *bio) {
    u32 device = bio->bi_bdev->bd_dev;
#pragma clang loop unroll(full)
    for (u32 at = 0; at < DEVICES; at++)
        if (at < devices_used && devices[at] == device) return 1;
    return 0;
}

// A pointer as a number: functions and arithmetic take no pointers.
INLINE u64 number_of(void *pointer) {
    u64 from = (u64)pointer, number = 0;
    read_kernel(&number, sizeof number, &from);
    return number;
}

INLINE u32 home_of(u64 key) { return (u32)((key * 0x9e3779b97f4a7c15ull) >> 48); }

INLINE struct start *entry(u32 place) { return map_lookup(&in_flight, &place); }

// Where an I/O is kept, or NOWHERE.
__attribute__((noinline)) u32 place_of(u64 key) {
    u32 home = home_of(key);
    if (!key) return NOWHERE;
    for (u32 at = 0; at < REACH; at++) {
        u32 place = (home + at) & (PLACES - 1);
        struct start *start = entry(place);
        if (start && start->key == key) return place;
    }
    return NOWHERE;
}

// Takes a free entry for an I/O, or NOWHERE.
__attribute__((noinline)) u32 place_for(u64 key) {
    u32 home = home_of(key);
    for (u32 at = 0; at < REACH; at++) {
        u32 place = (home + at) & (PLACES - 1);
        struct start *start = entry(place);
        if (start && __sync_val_compare_and_swap(&start->key, 0, key) == 0) return place;
    }
    return NOWHERE;
}

// The I/O that a bio of a request is, or is a part of. Where an end was missed, the memory may be somebody
// else's bio by now, which lies elsewhere.
INLINE u32 find(struct bio *bio) {
    u32 place = place_of(number_of(bio));
    if (place == NOWHERE) place = place_of(number_of(bio->bi_private));
    struct start *start = entry(place);
    if (!start) return NOWHERE;
    u64 into = bio->bi_iter.bi_sector - start->sector;
    return !start->bytes || into < start->bytes >> 9 ? place : NOWHERE;
}

INLINE void hand_on(struct start *start, struct tally *tally, u64 now) {
    u32 first = 0;
    // A flush has no place to be found again by.
    if (!start->bytes) return;
    u64 *bits = map_lookup(&thinning, &first);
    u64 hash = ((start->sector >> 3) * 0x9e3779b97f4a7c15ull) >> 32;
    if (!bits || hash & *bits) return;
    struct sighting sighting = {
        .queued_ns = start->queued_ns,
        .ended_ns = now,
        .sector = start->sector,
        .device = start->device,
        .bytes = start->bytes,
        .direction = start->direction,
    };
    if (ring_output(&sightings, &sighting, sizeof sighting, NO_WAKEUP)) tally->dropped++;
}

__attribute__((noinline)) int finish(u32 place, u64 now) {
    struct start *found = entry(place);
    if (!found) return 0;
    struct start start = *found;
    // Parts may end on two processors at once: whoever frees the entry counts it.
    if (!start.key || __sync_val_compare_and_swap(&found->key, start.key, 0) != start.key) return 0;
    u32 direction = start.direction & (DIRECTIONS - 1);
    struct tally *tally = tally_of(direction);
    if (!tally) return 0;
    tally->finished++;
    if (start.parts > 1) tally->cuts += start.parts - 1;
    hand_on(&start, tally, now);
    count(TOTAL, direction, now - start.queued_ns);
    if (!start.issued_ns) {
        tally->unissued++;
        return 0;
    }
    count(QUEUE, direction, start.issued_ns - start.queued_ns);
    count(DEVICE, direction, now - start.issued_ns);
    if (start.inserted_ns) {
        tally->inserted++;
        tally->inserted_sum_ns += start.issued_ns - start.inserted_ns;
    }
    return 0;
}

SEC("tp_btf/block_bio_queue")
int on_bio_queue(u64 *context) {
    struct bio *bio = (struct bio *)context[0];
    if ((u32)(pid_tgid() >> 32) != process || !is_ours(bio)) return 0;
    u32 flags = bio->bi_opf;
    u32 bytes = bio->bi_iter.bi_size;
    u32 direction = direction_of(flags, bytes);
    struct tally *tally = tally_of(direction);
    if (!tally) return 0;
    if (direct && (flags & (BIT_OF(__REQ_META) | BIT_OF(__REQ_RAHEAD)))) {
        tally->strays++;
        return 0;
    }
    u64 key = number_of(bio);
    tally->started++;
    u32 place = place_of(key);
    if (place != NOWHERE)
        tally->renewed++;
    else
        place = place_for(key);
    struct start *start = entry(place);
    if (!start) {
        tally->unkept++;
        return 0;
    }
    // Nobody else looks for this bio before it goes on from here.
    start->inserted_ns = 0;
    start->issued_ns = 0;
    start->sector = bio->bi_iter.bi_sector;
    start->device = bio->bi_bdev->bd_dev;
    start->bytes = bytes;
    start->direction = direction;
    start->parts = 1;
    start->ended = 0;
    start->queued_ns = now_ns();
    return 0;
}

SEC("tp_btf/block_split")
int on_split(u64 *context) {
    struct bio *front = (struct bio *)context[0];
    struct start *start = entry(place_of(number_of(front->bi_private)));
    if (start) __sync_fetch_and_add(&start->parts, 1);
    return 0;
}

SEC("tp_btf/block_rq_insert")
int on_insert(u64 *context) {
    struct bio *bio = ((struct request *)context[0])->bio;
    struct start *start = bio ? entry(find(bio)) : 0;
    if (start && !start->inserted_ns) start->inserted_ns = now_ns();
    return 0;
}

SEC("tp_btf/block_rq_issue")
int on_issue(u64 *context) {
    struct bio *bio = ((struct request *)context[0])->bio;
    u64 now = now_ns();
    for (u32 at = 0; at < BIOS && bio; at++) {
        struct start *start = entry(find(bio));
        if (!start) {
            // Somebody else's, joined with ours.
            bio = bio->bi_next;
            continue;
        }
        // A request that was put back is issued again; of one that was cut the first part counts.
        if (start->parts == 1 || !start->issued_ns) start->issued_ns = now;
        if (at > 0) {
            struct tally *tally = tally_of(start->direction & (DIRECTIONS - 1));
            if (tally) tally->merged++;
        }
        bio = bio->bi_next;
    }
    return 0;
}

SEC("tp_btf/block_rq_complete")
int on_complete(u64 *context) {
    struct bio *bio = ((struct request *)context[0])->bio;
    u64 now = now_ns();
    for (u32 at = 0; at < BIOS && bio; at++) {
        u32 place = find(bio);
        struct start *start = entry(place);
        if (start && __sync_fetch_and_add(&start->ended, 1) + 1 >= start->parts) finish(place, now);
        bio = bio->bi_next;
    }
    return 0;
}

// Devices without requests (RAM disks, device mapper) end bios themselves. An I/O that may not wait and
// found no free tag ends here, too; it comes back as another bio, and only that one counts.
SEC("tp_btf/block_bio_complete")
int on_bio_complete(u64 *context) {
    struct bio *bio = (struct bio *)context[1];
    u32 place = place_of(number_of(bio));
    if (place == NOWHERE) return 0;
    if (bio->bi_status != AGAIN) {
        finish(place, now_ns());
        return 0;
    }
    struct start *start = entry(place);
    if (!start) return 0;
    struct tally *tally = tally_of(start->direction & (DIRECTIONS - 1));
    if (tally) tally->turned_away++;
    start->key = 0;
    return 0;
}

char terms[] SEC("license") = "Dual MIT/GPL";

// At the end, where it moves no line of a program: `follower.rs` reads as many bytes, in this order.
_Static_assert(sizeof(struct sighting) == 40, "follower.rs reads a sighting of 40 bytes");
