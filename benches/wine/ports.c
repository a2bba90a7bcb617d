/* The least that a completion port can do: 4 KiB random reads of a file at a depth, one thread, a stamp at each
 * submission and one for each batch of completions. What an engine costs on top of it is a ratio to this.
 *
 *   ports.exe FILE DEPTH SECONDS     prints I/Os, nanoseconds that passed, nanoseconds of processor time, ticks a wait
 */
#include <windows.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 4096, DEPTH_MAX = 256 };

static OVERLAPPED slots[DEPTH_MAX];
static LONGLONG submitted_at[DEPTH_MAX];

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static LONGLONG now(void) {
    LARGE_INTEGER count;
    QueryPerformanceCounter(&count);
    return count.QuadPart;
}

static uint64_t processor_ns(void) {
    FILETIME made, ended, kernel, user;
    GetProcessTimes(GetCurrentProcess(), &made, &ended, &kernel, &user);
    uint64_t both = ((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime) +
                    ((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime);
    return both * 100;
}

static int submit(HANDLE file, char *buffers, int slot, uint64_t blocks, uint64_t *state) {
    uint64_t offset = next_random(state) % blocks * BLOCK;
    slots[slot].Internal = slots[slot].InternalHigh = 0;
    slots[slot].Offset = (DWORD)offset;
    slots[slot].OffsetHigh = (DWORD)(offset >> 32);
    submitted_at[slot] = now();
    return ReadFile(file, buffers + (size_t)slot * BLOCK, BLOCK, NULL, &slots[slot]) || GetLastError() == ERROR_IO_PENDING;
}

int main(int count, char **words) {
    int depth = count == 4 ? atoi(words[2]) : 0;
    if (depth < 1 || depth > DEPTH_MAX) {
        fprintf(stderr, "ports.exe FILE DEPTH SECONDS\n");
        return 2;
    }
    HANDLE file = CreateFileA(words[1], GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, FILE_FLAG_OVERLAPPED | FILE_FLAG_NO_BUFFERING, NULL);
    LARGE_INTEGER size, frequency;
    HANDLE port = CreateIoCompletionPort(file, NULL, 0, 1);
    char *buffers = VirtualAlloc(NULL, (size_t)depth * BLOCK, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
    if (port == NULL || buffers == NULL || !GetFileSizeEx(file, &size) || size.QuadPart < BLOCK) return 1;
    QueryPerformanceFrequency(&frequency);
    uint64_t state = 88172645463325252ULL, blocks = size.QuadPart / BLOCK, done = 0, waited = 0;
    uint64_t processor_before = processor_ns();
    LONGLONG began = now(), end = began + atoi(words[3]) * frequency.QuadPart, reaped = began;
    for (int slot = 0; slot < depth; slot++)
        if (!submit(file, buffers, slot, blocks, &state)) return 1;
    while (reaped < end) {
        OVERLAPPED_ENTRY entries[DEPTH_MAX];
        ULONG came = 0;
        if (!GetQueuedCompletionStatusEx(port, entries, depth, &came, INFINITE, FALSE)) return 1;
        reaped = now();
        for (ULONG at = 0; at < came; at++) {
            int slot = (int)(entries[at].lpOverlapped - slots);
            if (entries[at].dwNumberOfBytesTransferred != BLOCK) return 1;
            waited += reaped - submitted_at[slot];
            done++;
            if (!submit(file, buffers, slot, blocks, &state)) return 1;
        }
    }
    printf("%llu %llu %llu %llu\n", (unsigned long long)done,
           (unsigned long long)((reaped - began) * 1e9 / frequency.QuadPart),
           (unsigned long long)(processor_ns() - processor_before), (unsigned long long)(waited / (done ? done : 1)));
    return 0;
}
