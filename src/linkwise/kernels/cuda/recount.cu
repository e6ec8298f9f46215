// Recount rows whose two best clusters are too close: a warp for each row.
//
// First in parts of a step, which are whole numbers, so that the threads may share the partitions.
// Where that does not settle it, in double precision in the order of the partitions. The clusters
// that come into question are those with at least as many steps as the second less the doubt.
//
// Defined by the caller: WEIGHTS (1 if a partition gives its weight to the cluster it names).

typedef unsigned int u32;
typedef unsigned char u8;
typedef unsigned long long u64;

#define PARTS 254
#define WARPS 8
#define EVERY 0xffffffffu

extern "C" __global__ void __launch_bounds__(32 * WARPS)
recount(const u8* __restrict__ labels, u64 stride, int n_partitions, int n_labels, int n_clusters,
        const uchar2* __restrict__ both, const double* __restrict__ exact, double unit, int doubt,
        int doubt_in_parts, u32 has_masks, const u32* n_close, const uint2* close, int* winners,
        float* margins)
{
    __shared__ int all_steps[WARPS][256];
    __shared__ double all_totals[WARPS][256];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int* steps = all_steps[warp];
    double* totals = all_totals[warp];
    const u32 n = *n_close;
    for (u32 i = blockIdx.x * WARPS + warp; i < n; i += gridDim.x * WARPS) {
        const u32 row = close[i].x;
        const u32 mask = close[i].y;
        const u8* mine = labels + row;
        int best = -1, second = -1;
        for (int c = 0; c < n_clusters; c++) {
            if (has_masks && !(mask >> c & 1)) {
                if (lane == 0) steps[c] = -1;
                continue;
            }
            int whole = 0, parts = 0;
            for (int k = lane; k < n_partitions; k += 32) {
                const int label = mine[stride * k];
#if WEIGHTS
                const uchar2 given = label == c ? both[k] : make_uchar2(0, 0);
#else
                const int known = min(label, n_labels - 1);
                const uchar2 given = both[((u64)k * n_labels + known) * n_clusters + c];
#endif
                whole += given.x;
                parts += (signed char)given.y;
            }
            whole = __reduce_add_sync(EVERY, whole);
            parts = __reduce_add_sync(EVERY, parts);
            second = max(second, min(whole, best));
            best = max(best, whole);
            if (lane == 0) {
                steps[c] = whole;
                totals[c] = (double)parts + PARTS * (double)whole;
            }
        }
        const int lowest = max(second - doubt, 0);
        __syncwarp();
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
                for (int k = 0; k < n_partitions; k++) {
                    const int label = mine[stride * k];
#if WEIGHTS
                    total += label == c ? exact[k] : 0.0;
#else
                    const int known = min(label, n_labels - 1);
                    total += exact[((u64)k * n_labels + known) * n_clusters + c];
#endif
                }
                totals[c] = total;
            }
            __syncwarp();
        }
        __syncwarp();
    }
}
