// What programs for the kernel's block tracepoints share: types, words, the kernel's helpers. Structures of the kernel
// stand with each program, which names only the fields that it reads; they are relocated by the running kernel's BTF
// when the object is loaded.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define SEC(name) __attribute__((section(name), used))
#define RELOCATED __attribute__((preserve_access_index))
#define INLINE static inline __attribute__((always_inline))
#define UINT(name, value) int (*name)[value]
#define TYPE(name, type) type *name

struct task_struct;

// Helper functions of the kernel, by their number; each program uses some.
static void *(*map_lookup)(void *map, const void *key) = (void *)1;
static s64 (*map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static u64 (*now_ns)(void) = (void *)5;
static u64 (*pid_tgid)(void) = (void *)14;
static s64 (*read_kernel)(void *to, u32 bytes, const void *from) = (void *)113;
static s64 (*ring_output)(void *ring, void *data, u64 bytes, u64 flags) = (void *)130;
static struct task_struct *(*own_task)(void) = (void *)158;

// Kinds of maps and flags of the calls above.
enum { MAP_ARRAY = 2, MAP_PERCPU_HASH = 5, MAP_PERCPU_ARRAY = 6, MAP_RING = 27, IF_ABSENT = 1, NO_WAKEUP = 1 };

struct bvec_iter {
    u64 bi_sector;
    u32 bi_size;
} RELOCATED;
