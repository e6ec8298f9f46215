// Recount rows whose two best clusters are too close: a warp for each row.
//
// First in parts of a step, which are whole numbers, so that the threads may share the partitions.
// Where that does not settle it, in double precision in the order of the partitions. The clusters
// that come into question are those with at least as many steps as the second less the doubt.
//
// What one label of one partition gives is 32 bytes: the steps of up to 16 clusters, and the parts,
// each plus 128.
//
// Defined by the caller: WEIGHTS (1 if a partition gives its weight to the cluster it names).

typedef unsigned int u32;
typedef unsigned char u8;
typedef unsigned long long u64;

#define PARTS 254
#define WARPS 8
#define EVERY 0xffffffffu
#define CLUSTERS 16
#define STRETCH 8192  // partitions whose bytes can be added up in 16 bits by 32 threads

extern "C" __global__ void __launch_bounds__(32 * WARPS)
recount(const u8* __restrict__ labels, u64 stride, int n_partitions, int n_labels, int n_known,
        int n_clusters, int each, const uint4* __restrict__ both, const double* __restrict__ exact,
        double unit, int doubt, int doubt_in_parts, const u32* n_close, const u32* close,
        int* winners, float* margins)
{
    __shared__ int all_steps[WARPS][256];
    __shared__ double all_totals[WARPS][256];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int* steps = all_steps[warp];
    double* totals = all_totals[warp];
    const u32 n = *n_close;
    for (u32 i = blockIdx.x * WARPS + warp; i < n; i += gridDim.x * WARPS) {
        const u32 row = close[i];
        const u8* mine = labels + row;
        const uint4* tables = both;
        for (int first = 0; first < n_clusters; first += each) {
            int whole = 0, parts = 0;  // of the cluster first + lane
            for (int start = 0; start < n_partitions; start += STRETCH) {
                const int stop = min(start + STRETCH, n_partitions);
                u32 even[8] = {0, 0, 0, 0, 0, 0, 0, 0}, odd[8] = {0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll 4
                for (int k = start + lane; k < stop; k += 32) {
                    const u32 known = min((int)mine[stride * k], n_known - 1);
                    const uint4* entry = tables + ((u64)k * n_known + known) * 2;
                    const uint4 some = __ldg(entry), rest = __ldg(entry + 1);
                    const u32 words[8] = {some.x, some.y, some.z, some.w,
                                          rest.x, rest.y, rest.z, rest.w};
#pragma unroll
                    for (int w = 0; w < 8; w++) {
                        even[w] += words[w] & 0x00ff00ff;
                        odd[w] += __byte_perm(words[w], 0, 0x4341);
                    }
                }
#pragma unroll
                for (int c = 0; c < CLUSTERS; c++) {
                    if (c >= each) break;
                    const int w = c / 4, up = c % 4 / 2 * 16;
                    const u32 mine_whole = (c % 2 ? odd[w] : even[w]) >> up & 0xffff;
                    const u32 mine_parts = (c % 2 ? odd[4 + w] : even[4 + w]) >> up & 0xffff;
                    const int all_whole = __reduce_add_sync(EVERY, mine_whole);
                    const int all_parts = __reduce_add_sync(EVERY, mine_parts);
                    if (lane == c) {
                        whole += all_whole;
                        parts += all_parts - 128 * (stop - start);
                    }
                }
            }
            if (lane < each && first + lane < n_clusters) {
                steps[first + lane] = whole;
                totals[first + lane] = (double)parts + PARTS * (double)whole;
            }
            tables += (u64)n_partitions * n_known * 2;
        }
        __syncwarp();
        int best = 0, second = 0;
        for (int c = 0; c < n_clusters; c++) {
            second = max(second, min(steps[c], best));
            best = max(best, steps[c]);
        }
        const int lowest = max(second - doubt, 0);
        for (int turn = 0; turn < 2; turn++) {
            int winner = -1;
            double top = 0.0, next = -1.0 / 0.0;
            for (int c = 0; c < n_clusters; c++) {
                if (steps[c] < lowest) continue;
                const double total = totals[c];
                if (winner < 0) {
                    winner = c;
                    top = total;
                } else if (total > top) {
                    winner = c;
                    next = top;
                    top = total;
                } else if (total > next) {
                    next = total;
                }
            }
            const double lead = top - next;
            if (turn == 1 || lead > doubt_in_parts) {
                if (lane == 0) {
                    winners[row] = winner;
                    margins[row] = (float)(turn == 1 ? lead : unit * lead / PARTS);
                }
                break;
            }
            __syncwarp();
            for (int c = lane; c < n_clusters; c += 32) {
                if (steps[c] < lowest) continue;
                double total = 0.0;
#pragma unroll 8
                for (int k = 0; k < n_partitions; k++) {
                    const int label = mine[stride * k];
#if WEIGHTS
                    total += label == c ? exact[k] : 0.0;
#else
                    total += exact[((u64)k * n_labels + min(label, n_labels - 1)) * n_clusters + c];
#endif
                }
                totals[c] = total;
            }
            __syncwarp();
        }
        __syncwarp();
    }
}
