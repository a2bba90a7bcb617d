// Block-layer witness: from the kernel's block tracepoints to distributions of what this process's
// I/Os took between their arrival in the block layer and their end, for the devices asked for.
//
// One I/O is one bio. It is found again by the address of its `struct bio`; a request may carry
// several (merged), and a bio may be cut into several, whose `bi_private` is the one that was cut.
// Nothing is included: types hold only the fields that are used, and are relocated by the running
// kernel's BTF when the object is loaded. Built by `cargo xtask bpf`.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define SEC(name) __attribute__((section(name), used))
#define RELOCATED __attribute__((preserve_access_index))
#define INLINE static inline __attribute__((always_inline))
#define UINT(name, value) int (*name)[value]
#define TYPE(name, type) type *name

// Helper functions of the kernel, by their number.
static void *(*map_lookup)(void *map, const void *key) = (void *)1;
static s64 (*map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static s64 (*map_delete)(void *map, const void *key) = (void *)3;
static u64 (*now_ns)(void) = (void *)5;
static u64 (*pid_tgid)(void) = (void *)14;

enum { MAP_HASH = 1, MAP_PERCPU_ARRAY = 6 };

struct block_device {
    u32 bd_dev;
} RELOCATED;

struct bvec_iter {
    u32 bi_size;
} RELOCATED;

struct bio {
    struct bio *bi_next;
    struct block_device *bi_bdev;
    u32 bi_opf;
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
};

// Filled in by the loader.
const volatile u32 process = 0;
const volatile u32 devices[DEVICES] = {0};
const volatile u32 devices_used = 0;
// Set for direct I/O: what the file system and the page cache read beside it is left out.
const volatile u32 direct = 0;
// Time that stamps are summed from.
const volatile u64 base_ns = 0;

struct start {
    // The entry's own key: as a value of the map it is a number, which a function takes; a pointer is not.
    u64 key;
    u64 queued_ns;
    u64 inserted_ns;
    u64 issued_ns;
    u32 direction;
    u32 parts;
    u32 ended;
    u32 unused;
};

struct {
    UINT(type, MAP_HASH);
    UINT(max_entries, 65536);
    TYPE(key, u64);
    TYPE(value, struct start);
} in_flight SEC(".maps");

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
    u64 queued_sum_ns;
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

// The I/O that a bio is, or is a part of.
INLINE struct start *find(struct bio *bio) {
    u64 key = (u64)bio;
    struct start *start = map_lookup(&in_flight, &key);
    if (start) return start;
    key = (u64)bio->bi_private;
    return map_lookup(&in_flight, &key);
}

__attribute__((noinline)) int finish(u64 key, u64 now) {
    struct start *found = map_lookup(&in_flight, &key);
    if (!found) return 0;
    struct start start = *found;
    // Parts may end on two processors at once: whoever removes the entry counts it.
    if (map_delete(&in_flight, &key)) return 0;
    u32 direction = start.direction & (DIRECTIONS - 1);
    struct tally *tally = tally_of(direction);
    if (!tally) return 0;
    tally->finished++;
    if (start.parts > 1) tally->cuts += start.parts - 1;
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
    u32 direction = direction_of(flags, bio->bi_iter.bi_size);
    struct tally *tally = tally_of(direction);
    if (!tally) return 0;
    if (direct && (flags & (BIT_OF(__REQ_META) | BIT_OF(__REQ_RAHEAD)))) {
        tally->strays++;
        return 0;
    }
    u64 key = (u64)bio;
    struct start start = {.key = key, .queued_ns = now_ns(), .direction = direction, .parts = 1};
    tally->started++;
    tally->queued_sum_ns += start.queued_ns - base_ns;
    map_update(&in_flight, &key, &start, 0);
    return 0;
}

SEC("tp_btf/block_split")
int on_split(u64 *context) {
    struct bio *front = (struct bio *)context[0];
    u64 key = (u64)front->bi_private;
    struct start *start = map_lookup(&in_flight, &key);
    if (start) __sync_fetch_and_add(&start->parts, 1);
    return 0;
}

SEC("tp_btf/block_rq_insert")
int on_insert(u64 *context) {
    struct bio *bio = ((struct request *)context[0])->bio;
    struct start *start = bio ? find(bio) : 0;
    if (start && !start->inserted_ns) start->inserted_ns = now_ns();
    return 0;
}

SEC("tp_btf/block_rq_issue")
int on_issue(u64 *context) {
    struct bio *bio = ((struct request *)context[0])->bio;
    u64 now = now_ns();
    for (u32 at = 0; at < BIOS && bio; at++) {
        struct start *start = find(bio);
        if (!start) return 0;
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
        struct start *start = find(bio);
        if (!start) return 0;
        struct bio *next = bio->bi_next;
        __sync_fetch_and_add(&start->ended, 1);
        if (start->ended >= start->parts) finish(start->key, now);
        bio = next;
    }
    return 0;
}

// Devices without requests (RAM disks, device mapper) end bios themselves.
SEC("tp_btf/block_bio_complete")
int on_bio_complete(u64 *context) {
    u64 key = context[1];
    struct start *start = map_lookup(&in_flight, &key);
    if (start) finish(start->key, now_ns());
    return 0;
}

char terms[] SEC("license") = "Dual MIT/GPL";
