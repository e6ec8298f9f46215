// Tables rounded to bytes, as linkwise.kernels.vote.bytes does it: the same operations in the same
// order, none of them fused, so that every byte is the same.

typedef unsigned char u8;
typedef unsigned long long u64;

#define THREADS 256

// The largest of all threads' values; everyone gets it.
__device__ double largest_of_block(double value)
{
    __shared__ double values[THREADS];
    values[threadIdx.x] = value;
    __syncthreads();
    for (int apart = THREADS / 2; apart; apart /= 2) {
        if (threadIdx.x < apart)
            values[threadIdx.x] = fmax(values[threadIdx.x], values[threadIdx.x + apart]);
        __syncthreads();
    }
    const double largest = values[0];
    __syncthreads();
    return largest;
}

// A block for each partition: the largest entry, and the largest above the smallest of its label.
extern "C" __global__ void __launch_bounds__(THREADS)
measure(const double* __restrict__ tables, int n_labels, int n_clusters, double* __restrict__ found)
{
    double size = 0.0, reach = 0.0;
    for (int label = threadIdx.x; label < n_labels; label += THREADS) {
        const double* entry = tables + ((u64)blockIdx.x * n_labels + label) * n_clusters;
        double low = entry[0], high = entry[0];
        for (int c = 0; c < n_clusters; c++) {
            low = fmin(low, entry[c]);
            high = fmax(high, entry[c]);
            size = fmax(size, fabs(entry[c]));
        }
        reach = fmax(reach, __dsub_rn(high, low));
    }
    size = largest_of_block(size);
    reach = largest_of_block(reach);
    if (threadIdx.x == 0) {
        found[blockIdx.x] = size;
        found[gridDim.x + blockIdx.x] = reach;
    }
}

// A block for each partition: steps, parts of steps, and how far the rest differs between clusters.
// Pass `c / each` has its own tables; `place[c % each]` is the byte of an entry that is looked up,
// `both` is for the recount.
extern "C" __global__ void __launch_bounds__(THREADS)
round_tables(const double* __restrict__ tables, int n_labels, int n_clusters, double unit,
             int each, const int* __restrict__ place, int padded, int room, u8* __restrict__ laid,
             u8* __restrict__ both, double* __restrict__ found)
{
    double spread = 0.0, spread_in_parts = 0.0;
    for (int label = threadIdx.x; label < n_labels; label += THREADS) {
        const u64 start = ((u64)blockIdx.x * n_labels + label) * n_clusters;
        double low = tables[start];
        for (int c = 1; c < n_clusters; c++) low = fmin(low, tables[start + c]);
        double least = 1e300, most = -1e300, least_in_parts = 1e300, most_in_parts = -1e300;
        for (int c = 0; c < n_clusters; c++) {
            const double steps = __ddiv_rn(__dsub_rn(tables[start + c], low), unit);
            const double whole = rint(steps);
            const double missing = __dsub_rn(steps, whole);
            const double in_parts = __dmul_rn(missing, 254.0);
            const double parts = rint(in_parts);
            const double rest = __dsub_rn(in_parts, parts);
            least = fmin(least, missing), most = fmax(most, missing);
            least_in_parts = fmin(least_in_parts, rest), most_in_parts = fmax(most_in_parts, rest);
            const u64 entry = ((u64)(c / each) * padded + blockIdx.x) * room + label;
            laid[entry * 16 + place[c % each]] = (u8)whole;
            const u64 beside = ((u64)(c / each) * gridDim.x + blockIdx.x) * n_labels + label;
            both[beside * 32 + c % each] = (u8)whole;
            both[beside * 32 + 16 + c % each] = (u8)((int)parts + 128);
        }
        spread = fmax(spread, __dsub_rn(most, least));
        spread_in_parts = fmax(spread_in_parts, __dsub_rn(most_in_parts, least_in_parts));
    }
    spread = largest_of_block(spread);
    spread_in_parts = largest_of_block(spread_in_parts);
    if (threadIdx.x == 0) {
        found[blockIdx.x] = spread;
        found[gridDim.x + blockIdx.x] = spread_in_parts;
    }
}
