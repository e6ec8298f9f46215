// Labelling: prepare rows, and find the nearest of a partition's centres.
//
// Products of rows and centres are made by the matrix units, which round their factors to half
// precision. `nearest` knows how far that can move a difference of two scores. Where the two best
// are closer, `decide_two` makes these two products again in single precision; where more than two
// are, `decide_many` makes all of those again.
//
// Defined by the caller: VALUE, the type of the raw values.

typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;
typedef unsigned long long u64;

#define EVERY 0xffffffffu
#define ROWS 4

__device__ __forceinline__ u16 to_half(float value)
{
    u16 half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}

__device__ __forceinline__ float sum_of_warp(float value)
{
#pragma unroll
    for (int apart = 16; apart; apart /= 2) value += __shfl_xor_sync(EVERY, value, apart);
    return value;
}

// A warp for each row: centre and scale it in double precision, round it to float, and to half.
extern "C" __global__ void __launch_bounds__(256)
prepare(const VALUE* __restrict__ raw, const double* __restrict__ mean, double scale,
        int n_features, int width, u32 n_rows, float* __restrict__ rows,
        u16* __restrict__ halves, float* __restrict__ norms, u32* n_bad)
{
    const u32 row = blockIdx.x * 8 + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (row >= n_rows) return;
    float squares = 0.0f, largest = 0.0f;
    bool bad = false;
    for (int f = lane; f < width; f += 32) {
        float value = 0.0f;
        if (f < n_features) {
            value = (float)(((double)raw[(u64)row * n_features + f] - mean[f]) / scale);
            rows[(u64)row * n_features + f] = value;
            squares += value * value;
            largest = fmaxf(largest, fabsf(value));
            bad |= !(fabsf(value) <= 3.402823466e38f);
        }
        halves[(u64)row * width + f] = to_half(value);
    }
    squares = sum_of_warp(squares);
    if (__any_sync(EVERY, bad) && lane == 0) atomicAdd(n_bad, 1u);
    // beyond the reach of half precision nothing is certain
    if (__any_sync(EVERY, !(largest <= 60000.0f))) squares = __int_as_float(0x7f800000);
    if (lane == 0) norms[row] = sqrtf(squares);
}

// Take the places of n_mine entries of a list, together for the whole warp.
__device__ __forceinline__ u32 take_places(u32* count, u32 n_mine)
{
    const int lane = threadIdx.x % 32;
    u32 up_to = n_mine;
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
        const u32 before = __shfl_up_sync(EVERY, up_to, apart);
        if (lane >= apart) up_to += before;
    }
    u32 start = 0;
    if (lane == 31 && up_to) start = atomicAdd(count, up_to);
    return __shfl_sync(EVERY, start, 31) + up_to - n_mine;
}

// Four neighbouring rows for each thread, a partition for each blockIdx.y. scores[c * stride + i] is
// the product of row i and centre c. Lists hold (row, partition * 65536 + best * 256 + second).
extern "C" __global__ void __launch_bounds__(128)
nearest(const float* __restrict__ scores, u64 stride, const float* __restrict__ offsets,
        int n_blocks, const float2* __restrict__ bounds, const float* __restrict__ norms,
        u32 n_rows, int first_partition, u8* __restrict__ labels, u64 label_stride, u32* n_two,
        uint2* two, u32* n_many, uint2* many)
{
    __shared__ float all_offsets[256];
    const int partition = first_partition + blockIdx.y;
    for (int c = threadIdx.x; c < n_blocks; c += blockDim.x)
        all_offsets[c] = offsets[(u64)partition * n_blocks + c];
    __syncthreads();
    const u32 row = (blockIdx.x * blockDim.x + threadIdx.x) * ROWS;
    const bool busy = row < n_rows;
    const float nothing = __int_as_float(0xff800000);
    float best[ROWS], second[ROWS], third[ROWS];
    u32 first_at[ROWS], second_at[ROWS];
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
        best[j] = second[j] = third[j] = nothing;
        first_at[j] = second_at[j] = 0;
    }
    if (busy) {
        const float4* mine = (const float4*)(scores + (u64)blockIdx.y * n_blocks * stride + row);
#pragma unroll 8
        for (int c = 0; c < n_blocks; c++) {
            const float4 some = __ldcs(mine + (u64)c * (stride / 4));
            const float offset = all_offsets[c];
            const float values[ROWS] = {some.x - offset, some.y - offset, some.z - offset,
                                        some.w - offset};
#pragma unroll
            for (int j = 0; j < ROWS; j++) {
                const float value = values[j];
                const bool leads = value > best[j], follows = value > second[j];
                third[j] = fmaxf(third[j], fminf(value, second[j]));
                second[j] = fmaxf(second[j], fminf(value, best[j]));
                best[j] = fmaxf(best[j], value);
                second_at[j] = leads ? first_at[j] : follows ? c : second_at[j];
                first_at[j] = leads ? c : first_at[j];
            }
        }
    }
    const float2 bound = bounds[partition];
    u32 is_two = 0, is_many = 0, n_mine_two = 0, n_mine_many = 0;
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
        if (busy && row + j < n_rows) {
            labels[label_stride * partition + row + j] = first_at[j];
            const float lowest = best[j] - (norms[row + j] * bound.x + bound.y);
            if (!(third[j] < lowest)) {
                if (n_blocks > 2) is_many |= 1u << j, n_mine_many++;
                else if (n_blocks == 2) is_two |= 1u << j, n_mine_two++;
            } else if (!(second[j] < lowest)) {
                is_two |= 1u << j, n_mine_two++;
            }
        }
    }
    u32 at = take_places(n_two, n_mine_two), at_many = take_places(n_many, n_mine_many);
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
        const uint2 entry =
            make_uint2(row + j, (u32)partition << 16 | first_at[j] << 8 | second_at[j]);
        if (is_two >> j & 1) two[at++] = entry;
        if (is_many >> j & 1) many[at_many++] = entry;
    }
}

__device__ __forceinline__ float product(const float* row, const int* features,
                                         const float* center, int n_used, int lane)
{
    float sum = 0.0f;
    for (int j = lane; j < n_used; j += 32) sum = fmaf(row[features[j]], center[j], sum);
    return sum_of_warp(sum);
}

// A warp for each entry of the list.
extern "C" __global__ void __launch_bounds__(256)
decide_two(const float* __restrict__ rows, int n_features, const float* __restrict__ centers,
           const float* __restrict__ offsets, const int* __restrict__ features, int n_used,
           int n_blocks, const u32* count, const uint2* __restrict__ list, u8* labels,
           u64 label_stride)
{
    const int lane = threadIdx.x % 32;
    const u32 n = *count;
    for (u32 i = blockIdx.x * 8 + threadIdx.x / 32; i < n; i += gridDim.x * 8) {
        const uint2 entry = list[i];
        const u32 partition = entry.y >> 16;
        const u32 one = entry.y >> 8 & 255, other = entry.y & 255;
        const u32 low = min(one, other), high = max(one, other);
        const float* row = rows + (u64)entry.x * n_features;
        const int* mine = features + (u64)partition * n_used;
        const float* first = centers + ((u64)partition * n_blocks + low) * n_used;
        const float* second = centers + ((u64)partition * n_blocks + high) * n_used;
        float with_first = 0.0f, with_second = 0.0f;
#pragma unroll 4
        for (int j = lane; j < n_used; j += 32) {
            const float value = row[mine[j]];
            with_first = fmaf(value, first[j], with_first);
            with_second = fmaf(value, second[j], with_second);
        }
        with_first = sum_of_warp(with_first) - offsets[(u64)partition * n_blocks + low];
        with_second = sum_of_warp(with_second) - offsets[(u64)partition * n_blocks + high];
        if (lane == 0)
            labels[label_stride * partition + entry.x] = with_second > with_first ? high : low;
    }
}

extern "C" __global__ void __launch_bounds__(256)
decide_many(const float* __restrict__ scores, u64 stride, int first_partition,
            const float2* __restrict__ bounds, const float* __restrict__ norms,
            const float* __restrict__ rows, int n_features, const float* __restrict__ centers,
            const float* __restrict__ offsets, const int* __restrict__ features, int n_used,
            int n_blocks, const u32* count, const uint2* __restrict__ list, u8* labels,
            u64 label_stride)
{
    const int lane = threadIdx.x % 32;
    const u32 n = *count;
    for (u32 i = blockIdx.x * 8 + threadIdx.x / 32; i < n; i += gridDim.x * 8) {
        const uint2 entry = list[i];
        const u32 partition = entry.y >> 16, leader = entry.y >> 8 & 255;
        const float* row = rows + (u64)entry.x * n_features;
        const int* mine = features + (u64)partition * n_used;
        const float* center = centers + (u64)partition * n_blocks * n_used;
        const float* offset = offsets + (u64)partition * n_blocks;
        const float* score = scores + (u64)(partition - first_partition) * n_blocks * stride;
        const float2 bound = bounds[partition];
        const float lowest = score[leader * stride + entry.x] - offset[leader] -
                             (norms[entry.x] * bound.x + bound.y);
        float best = 0.0f;
        int label = -1;
        for (int start = 0; start < n_blocks; start += 32) {
            const int c = start + lane;
            const bool wanted =
                c < n_blocks && !(score[c * stride + entry.x] - offset[c] < lowest);
            u32 waiting = __ballot_sync(EVERY, wanted);
            while (waiting) {
                const int which = start + __ffs(waiting) - 1;
                waiting &= waiting - 1;
                const float value =
                    product(row, mine, center + (u64)which * n_used, n_used, lane) - offset[which];
                if (label < 0 || value > best) {
                    best = value;
                    label = which;
                }
            }
        }
        if (lane == 0) labels[label_stride * partition + entry.x] = label;
    }
}
