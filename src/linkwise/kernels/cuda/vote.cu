// The vote: look up what each label of a row gives the clusters, add it up, settle the winner.
//
// An entry is what one label of one partition gives up to 16 clusters: 16 bytes, fetched by one
// instruction. Eight neighbouring threads fetch at once, so each has a copy of the tables of its
// own, in other banks of the shared memory than those of its neighbours: they never wait for each
// other. A block of threads keeps the tables of four partitions at a time, and puts those of the
// next four beside them. (Asynchronous copies would cost more: they take each thread by itself.)
// Labels are fetched into registers while those before them are looked up.
//
// DENSE words of an entry hold four clusters, a byte each; WIDE words hold two, with room for the
// carry. The bytes of dense words are added without taking them apart: one sum takes the words as
// they are, another the odd bytes alone; the first minus 256 times the second is the even bytes.
//
// Defined by the caller: DENSE, WIDE, LABELS, COPIES, AT_ONCE, THREADS.

typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;
typedef unsigned long long u64;

#define WORDS (DENSE + WIDE)
#define CLUSTERS (4 * DENSE + 2 * WIDE)
#define GROUP 4
#define ROWS 16  // of a thread
#define STAGES 2
#define LABEL_BYTES (16 * COPIES)
#define LABEL_SHIFT (COPIES == 8 ? 7 : COPIES == 4 ? 6 : COPIES == 2 ? 5 : 4)
#define LABEL_MASK ((LABELS - 1) * LABEL_BYTES)
#define TABLE_BYTES (LABELS * LABEL_BYTES)
#define STAGE_BYTES (GROUP * TABLE_BYTES)
#define ENTRIES (GROUP * LABELS)
#define MINE ((ENTRIES + THREADS - 1) / THREADS)

// Each thread fetches its entries once, and writes all copies; neighbours write to other banks.
__device__ __forceinline__ void fetch_entries(uint4 (&entries)[MINE], const uint4* tables, int group)
{
#pragma unroll
    for (int i = 0; i < MINE; i++) {
        const int here = i * THREADS + threadIdx.x;
        if (here < ENTRIES) entries[i] = __ldg(tables + (u64)group * ENTRIES + here);
    }
}

__device__ __forceinline__ void write_copies(const uint4 (&entries)[MINE], u8* shared, int group)
{
    u8* to = shared + (group % STAGES) * STAGE_BYTES;
#pragma unroll
    for (int i = 0; i < MINE; i++) {
        const int here = i * THREADS + threadIdx.x;
        if (here < ENTRIES)
#pragma unroll
            for (int c = 0; c < COPIES; c++)
                *(uint4*)(to + here * LABEL_BYTES + (c + here) % COPIES * 16) = entries[i];
    }
}

__device__ __forceinline__ void fetch_labels(u32 (&found)[GROUP][ROWS / 4], const u8* mine,
                                             u64 stride, const int4* partitions, int group)
{
    const int4 four = __ldg(partitions + group);
    const int numbers[GROUP] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int k = 0; k < GROUP; k++) {
        const u8* from = mine + stride * numbers[k];
        const uint4 some = __ldcs((const uint4*)from);
        found[k][0] = some.x, found[k][1] = some.y, found[k][2] = some.z, found[k][3] = some.w;
    }
}

__device__ __forceinline__ u32 place(u32 word, int byte, u32 base)
{
    const int shift = 8 * byte - LABEL_SHIFT;
    const u32 moved = shift >= 0 ? word >> shift : word << -shift;
    return (moved & LABEL_MASK) | base;
}

__device__ __forceinline__ u32 word_of(const uint4& entry, int w)
{
    return w == 0 ? entry.x : w == 1 ? entry.y : w == 2 ? entry.z : entry.w;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
count_votes(const u8* __restrict__ labels, u64 stride, const int4* __restrict__ partitions,
            int n_groups, const uint4* __restrict__ tables, u32 n_rows, u32 rows_per_block,
            u32 first_cluster, u32 is_first, u32 is_last, u16* best_so_far, u16* second_so_far,
            u16* winner_so_far, double unit, int doubt, int* __restrict__ winners,
            float* __restrict__ margins, u32* n_close, u32* close)
{
    extern __shared__ __align__(128) u8 shared[];
    const u32 here = threadIdx.x * ROWS;
    const u32 row = blockIdx.x * rows_per_block + here;
    const bool busy = here < rows_per_block && row < n_rows;
    const u32 copy = (threadIdx.x % COPIES) * 16;

    u32 sums[ROWS][WORDS];
    u32 odd[ROWS][DENSE ? DENSE : 1];
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
#pragma unroll
        for (int w = 0; w < WORDS; w++) sums[j][w] = 0;
#pragma unroll
        for (int w = 0; w < DENSE; w++) odd[j][w] = 0;
    }

    const u8* mine = labels + row;
    u32 found[GROUP][ROWS / 4], following[GROUP][ROWS / 4];
    uint4 entries[MINE];
    fetch_entries(entries, tables, 0);
    if (busy) fetch_labels(following, mine, stride, partitions, 0);
    write_copies(entries, shared, 0);
    for (int group = 0; group < n_groups; group++) {
        const bool more = group + 1 < n_groups;
        __syncthreads();
        if (more) fetch_entries(entries, tables, group + 1);
        if (busy) {
#pragma unroll
            for (int k = 0; k < GROUP; k++)
#pragma unroll
                for (int w = 0; w < ROWS / 4; w++) found[k][w] = following[k][w];
            if (more) fetch_labels(following, mine, stride, partitions, group + 1);
            const u32 base = (group % STAGES) * STAGE_BYTES | copy;
#pragma unroll
            for (int j = 0; j < ROWS; j++) {
                uint4 entry[GROUP];
#pragma unroll
                for (int k = 0; k < GROUP; k++)
                    entry[k] = *(const uint4*)(shared + k * TABLE_BYTES +
                                               place(found[k][j / 4], j % 4, base));
#pragma unroll
                for (int w = 0; w < WORDS; w++) {
                    const u32 a = word_of(entry[0], w), b = word_of(entry[1], w);
                    const u32 c = word_of(entry[2], w), d = word_of(entry[3], w);
                    if (w >= DENSE) {
                        sums[j][w] += a + b;
                        sums[j][w] += c + d;
                    } else if (AT_ONCE == 2) {
                        const u32 ab = a + b, cd = c + d;
                        sums[j][w] += ab + cd;
                        odd[j][w] += __byte_perm(ab, 0, 0x4341) + __byte_perm(cd, 0, 0x4341);
                    } else {
                        const u32 all = a + b + c + d;
                        sums[j][w] += all;
                        odd[j][w] += __byte_perm(all, 0, 0x4341);
                    }
                }
            }
        }
        if (more) write_copies(entries, shared, group + 1);
    }
    if (!busy) return;

    u32 close_rows = 0;
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
        if (row + j < n_rows) {
            u32 score[CLUSTERS];
#pragma unroll
            for (int w = 0; w < WORDS; w++) {
                if (w < DENSE) {
                    const u32 even = sums[j][w] - (odd[j][w] << 8);
                    score[4 * w] = even & 0xffff;
                    score[4 * w + 1] = odd[j][w] & 0xffff;
                    score[4 * w + 2] = even >> 16;
                    score[4 * w + 3] = odd[j][w] >> 16;
                } else {
                    score[2 * (DENSE + w)] = sums[j][w] & 0xffff;
                    score[2 * (DENSE + w) + 1] = sums[j][w] >> 16;
                }
            }
            u32 best = 0, second = 0, winner = 0;
            if (!is_first) {
                best = best_so_far[row + j];
                second = second_so_far[row + j];
                winner = winner_so_far[row + j];
            }
#pragma unroll
            for (int c = 0; c < CLUSTERS; c++) {
                winner = score[c] > best ? first_cluster + c : winner;
                second = max(second, min(score[c], best));
                best = max(best, score[c]);
            }
            if (is_last) {
                winners[row + j] = winner;
                margins[row + j] = (float)(unit * (double)(best - second));
                if ((int)(best - second) <= doubt) close_rows |= 1u << j;
            } else {
                best_so_far[row + j] = best;
                second_so_far[row + j] = second;
                winner_so_far[row + j] = winner;
            }
        }
    }
    if (close_rows) {
        u32 at = atomicAdd(n_close, __popc(close_rows));
#pragma unroll
        for (int j = 0; j < ROWS; j++)
            if (close_rows >> j & 1) close[at++] = row + j;
    }
}
