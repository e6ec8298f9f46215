// One step of k-means for many partitions at once: labels, and sums of the rows with each label.

typedef unsigned int u32;
typedef unsigned long long u64;

// scores[p][c][i] is the product of centre c and row i of partition p; the lower centre wins a tie.
extern "C" __global__ void __launch_bounds__(128)
largest(const float* __restrict__ scores, const float* __restrict__ offsets, int n_blocks,
        int n_rows, float* __restrict__ best, int* __restrict__ labels)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_rows) return;
    const float* mine = scores + (u64)blockIdx.y * n_blocks * n_rows + i;
    const float* offset = offsets + (u64)blockIdx.y * n_blocks;
    float top = mine[0] - offset[0];
    int label = 0;
#pragma unroll 8
    for (int c = 1; c < n_blocks; c++) {
        const float value = mine[(u64)c * n_rows] - offset[c];
        label = value > top ? c : label;
        top = value > top ? value : top;
    }
    best[(u64)blockIdx.y * n_rows + i] = top;
    labels[(u64)blockIdx.y * n_rows + i] = label;
}

// A thread for each feature of each partition adds up its rows in their order, as one thread of a
// processor would: the sums do not depend on how the work is shared.
extern "C" __global__ void __launch_bounds__(32)
sum_by_label(const float* __restrict__ rows, const int* __restrict__ labels, int n_rows,
             int n_used, int n_blocks, float* __restrict__ sums, int* __restrict__ counts)
{
    extern __shared__ float mine[];
    const int j = blockIdx.x * 32 + threadIdx.x, lane = threadIdx.x;
    const u64 partition = blockIdx.y;
    const bool busy = j < n_used;
    int* count = (int*)(mine + 32 * n_blocks);
    for (int c = 0; c < n_blocks; c++) mine[32 * c + lane] = 0.0f;
    for (int c = lane; c < n_blocks; c += 32) count[c] = 0;
    __syncwarp();
    const float* row = rows + partition * n_rows * n_used + j;
    const int* label = labels + partition * n_rows;
    for (int start = 0; start < n_rows; start += 8) {
        float values[8];
        int names[8];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const bool there = start + i < n_rows;
            names[i] = there ? label[start + i] : -1;
            values[i] = there && busy ? row[(u64)(start + i) * n_used] : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < 8; i++) {
            if (names[i] < 0) continue;
            mine[32 * names[i] + lane] += values[i];
            if (lane == 0) count[names[i]]++;
        }
    }
    __syncwarp();
    if (busy)
        for (int c = 0; c < n_blocks; c++)
            sums[(partition * n_blocks + c) * n_used + j] = mine[32 * c + lane];
    if (blockIdx.x == 0)
        for (int c = lane; c < n_blocks; c += 32) counts[partition * n_blocks + c] = count[c];
}
