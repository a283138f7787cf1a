// Kernels that allocate and free items of a view with the functions of its generated header. They need the CUDA toolkit.
//
// As a program:
//
//	nvcc -std=c++17 -O3 -arch=native -o fixed tests/pools/gpu/testdata/fixed.cu
//	./fixed check    # checks, and prints "ok"
//	./fixed small    # the same with few threads, for compute-sanitizer
//	./fixed bench    # figures
//
// As a module for go test, whose pool makes the views (sm_90 is an H200):
//
//	nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o fixed.cubin tests/pools/gpu/testdata/fixed.cu
//	POOLGEN_FIXED_CUBIN=$PWD/fixed.cubin ./gpu.test -test.v -test.run FixedView
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../pools/node_pool.h" // the program gives items other distances than the pool does

typedef pools_Node_view view;
typedef pools_NodeItem node;
typedef unsigned long long number;

static void must(cudaError_t e, const char *what)
{
	if (e != cudaSuccess) {
		std::printf("%s: %s\n", what, cudaGetErrorString(e));
		std::exit(1);
	}
}

static void expect(bool ok, const char *what, number got, number want)
{
	if (!ok) {
		std::printf("%s: %llu, want %llu\n", what, got, want);
		std::exit(1);
	}
}

// made is a view that the host wrote, as ViewNode does, with items at some distance, and what the tests need besides.
struct made {
	char *memory;
	view *at;
	poolgen_fixed_view head;
	unsigned *owner;  // of each item: the number of its thread, and 1; 0 for none
	number *tally;    // errors, failures
	node **items;     // one for each of twice as many threads as there are items, or as many as asked for
};

static uint64_t up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

// reset frees all items.
static void reset(made &m)
{
	const poolgen_fixed_view &h = m.head;
	std::vector<uint32_t> top(h.tops, ~0u);
	if (h.words % 32)
		top.back() = (1u << h.words % 32) - 1;
	must(cudaMemcpy(m.memory + offsetof(poolgen_fixed_view, free), &h.count, 4, cudaMemcpyHostToDevice), "free");
	must(cudaMemset(m.memory + h.counts, 0, 64 * sizeof(poolgen_fixed_counts)), "counts");
	must(cudaMemset(m.memory + h.bits, 0xff, 4ull * h.words), "bits");
	must(cudaMemcpy(m.memory + h.top, top.data(), 4 * top.size(), cudaMemcpyHostToDevice), "top");
	must(cudaMemset(m.tally, 0, 16), "tally");
}

static made make(uint32_t count, uint64_t distance, uint32_t threads)
{
	made m = {};
	poolgen_fixed_view &h = m.head;
	h.distance = distance;
	h.count = count;
	h.words = count / 32;
	h.tops = (h.words + 31) / 32;
	h.version = POOLGEN_FIXED_VIEW;
	h.counts = sizeof h;
	h.bits = h.counts + 64 * sizeof(poolgen_fixed_counts);
	h.top = up(h.bits + 4ull * h.words, 128);
	const uint64_t front = up(h.top + 4ull * h.tops, 256);
	must(cudaMalloc(&m.memory, front + count * distance), "view");
	must(cudaMalloc(&m.owner, 4ull * count), "owner");
	must(cudaMemset(m.owner, 0, 4ull * count), "owner");
	must(cudaMalloc(&m.tally, 16), "tally");
	must(cudaMalloc(&m.items, sizeof(node *) * threads), "items");
	m.at = (view *)m.memory;
	h.base = (uint64_t)m.memory + front;
	must(cudaMemcpy(m.memory, &h, sizeof h, cudaMemcpyHostToDevice), "head");
	reset(m);
	return m;
}

static void unmake(made &m)
{
	must(cudaFree(m.memory), "free");
	must(cudaFree(m.owner), "free");
	must(cudaFree(m.tally), "free");
	must(cudaFree(m.items), "free");
}

#define GO(threads, kernel, ...)                                                                          \
	do {                                                                                              \
		kernel<<<((threads) + 255) / 256, (threads) < 256 ? (threads) : 256>>>(__VA_ARGS__);      \
		must(cudaGetLastError(), #kernel);                                                        \
	} while (0)

static void wait() { must(cudaDeviceSynchronize(), "kernels"); }

static number tally(const made &m, int i)
{
	number v[2];
	must(cudaMemcpy(v, m.tally, 16, cudaMemcpyDeviceToHost), "tally");
	return v[i];
}

// state reads the number of free items and the sum of the counts, and compares the number with the bits.
static poolgen_fixed_counts state(const made &m, int *free)
{
	const poolgen_fixed_view &h = m.head;
	std::vector<poolgen_fixed_counts> all(64);
	std::vector<uint32_t> bits(h.words), top(h.tops);
	must(cudaMemcpy(free, m.memory + offsetof(poolgen_fixed_view, free), 4, cudaMemcpyDeviceToHost), "free");
	must(cudaMemcpy(all.data(), m.memory + h.counts, 64 * sizeof all[0], cudaMemcpyDeviceToHost), "counts");
	must(cudaMemcpy(bits.data(), m.memory + h.bits, 4 * bits.size(), cudaMemcpyDeviceToHost), "bits");
	must(cudaMemcpy(top.data(), m.memory + h.top, 4 * top.size(), cudaMemcpyDeviceToHost), "top");
	int set = 0;
	for (uint32_t i = 0; i < h.words; i++) {
		set += __builtin_popcount(bits[i]);
		expect(bits[i] == 0 || (top[i / 32] >> i % 32 & 1), "no bit above word", i, bits[i]);
	}
	expect(set == *free, "free items by their bits", set, *free);
	poolgen_fixed_counts sum = {};
	for (auto &c : all) {
		sum.allocs += c.allocs;
		sum.frees += c.frees;
		sum.failures += c.failures;
		sum.bad_frees += c.bad_frees;
	}
	return sum;
}

static __device__ unsigned me() { return blockIdx.x * blockDim.x + threadIdx.x; }

static __device__ unsigned mix(unsigned x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

// hold keeps up to four items for a while, in a changing order. Each item has the number of its owner, so one that is given twice is found at once.
extern "C" __global__ void hold(view *v, unsigned *owner, number *tally, unsigned rounds, unsigned threads)
{
	const unsigned t = me();
	if (t >= threads)
		return;
	node *mine[4] = {};
	unsigned x = mix(t + 1), errors = 0, failures = 0;
	for (unsigned r = 0; r < rounds + 4; r++) {
		x = mix(x + r);
		const unsigned j = r < rounds ? x & 3 : r - rounds;
		if (mine[j]) {
			errors += atomicExch(&owner[pools_Node_index(v, mine[j])], 0u) != t + 1;
			errors += !pools_Node_free(v, mine[j]);
			mine[j] = NULL;
		} else if (r < rounds) {
			node *n = pools_Node_alloc(v);
			if (!n) {
				failures++;
				continue;
			}
			errors += atomicExch(&owner[pools_Node_index(v, n)], t + 1) != 0;
			*(volatile unsigned *)n = t;
			mine[j] = n;
			if (x & 0x100)
				__nanosleep(64);
		}
	}
	if (errors)
		atomicAdd(&tally[0], (number)errors);
	if (failures)
		atomicAdd(&tally[1], (number)failures);
}

extern "C" __global__ void takeAll(view *v, node **items, number *tally, unsigned threads)
{
	const unsigned t = me();
	if (t >= threads)
		return;
	node *n = pools_Node_alloc(v);
	items[t] = n;
	if (n)
		*(volatile unsigned *)n = t;
	else
		atomicAdd(&tally[1], 1ull);
}

// giveAll frees an item for each thread; a step chooses every so manieth thread.
__global__ void giveAll(view *v, node **items, number *tally, unsigned threads, unsigned step)
{
	const unsigned t = me();
	if (t >= threads || t % step)
		return;
	node *n = items[t];
	if (n && (*(volatile unsigned *)n != t || !pools_Node_free(v, n)))
		atomicAdd(&tally[0], 1ull);
}

__global__ void churn(view *v, unsigned rounds, unsigned threads, number *tally)
{
	const unsigned t = me();
	unsigned wrong = 0;
	if (t >= threads)
		return;
	for (unsigned r = 0; r < rounds; r++) {
		node *n = pools_Node_alloc(v);
		if (!n) {
			wrong++;
			continue;
		}
		*(volatile unsigned *)n = t;
		wrong += *(volatile unsigned *)n != t;
		wrong += !pools_Node_free(v, n);
	}
	if (wrong)
		atomicAdd(&tally[1], (number)wrong);
}

// The three places from which an item is freed twice: neighbours in one warp, two blocks, and threads far apart.
enum place { warp, blocks, apart };

__global__ void twice(view *v, node **items, unsigned n, number *tally, place at)
{
	const unsigned t = me();
	if (t >= 2 * n)
		return;
	const unsigned i = at == warp ? t / 2 : at == blocks ? (t / 512 * 256 + t % 256) % n : t % n;
	if (pools_Node_free(v, items[i]))
		atomicAdd(&tally[1], 1ull);
	if (t == 0) { // what is no item is refused
		const uint64_t base = v->fixed.base, distance = v->fixed.distance;
		const uint64_t none[4] = {0, base + 1, base - distance, base + v->fixed.count * distance};
		for (unsigned j = 0; j < 4; j++)
			if (pools_Node_free(v, (node *)none[j]))
				atomicAdd(&tally[0], 1ull);
	}
}

// both has the threads of each warp use two views at once, and diverge.
__global__ void both(view *v, view *w, unsigned rounds, number *tally)
{
	const unsigned t = me();
	view *mine = mix(t) & 1 ? v : w, *other = mix(t) & 1 ? w : v;
	for (unsigned r = 0; r < rounds; r++) {
		node *n = NULL;
		if (mix(t + r) % 3)
			n = pools_Node_alloc(mine);
		if (!n)
			continue;
		if (pools_Node_index(mine, n) == POOLGEN_NONE || pools_Node_index(other, n) != POOLGEN_NONE)
			atomicAdd(&tally[0], 1ull);
		if (pools_Node_free(other, n) || !pools_Node_free(mine, n))
			atomicAdd(&tally[0], 1ull);
	}
}

// words has each thread write words into its item and read them again: the toolkit's test of pools inside kernels.
__global__ void words(view *v, number *tally)
{
	volatile unsigned *n = (volatile unsigned *)pools_Node_alloc(v);
	if (!n) {
		atomicAdd(&tally[1], 1ull);
		return;
	}
	for (unsigned i = 0; i < 8; i++)
		n[i] = me() + i;
	for (unsigned i = 0; i < 8; i++)
		if (n[i] != me() + i)
			atomicAdd(&tally[0], 1ull);
	if (!pools_Node_free(v, (node *)n))
		atomicAdd(&tally[0], 1ull);
}

static void exhaust(made &m)
{
	const uint32_t count = m.head.count;
	int free;
	reset(m);
	GO(2 * count, takeAll, m.at, m.items, m.tally, 2 * count);
	wait();
	std::vector<node *> got(2 * count);
	must(cudaMemcpy(got.data(), m.items, sizeof(node *) * got.size(), cudaMemcpyDeviceToHost), "items");
	got.erase(std::remove(got.begin(), got.end(), (node *)NULL), got.end());
	std::sort(got.begin(), got.end());
	expect(std::unique(got.begin(), got.end()) == got.end(), "items given twice", 1, 0);
	expect(got.size() == count && tally(m, 1) == count, "items given", got.size(), count);
	const poolgen_fixed_counts c = state(m, &free);
	expect(free == 0 && c.allocs == count && c.failures == count, "free of an exhausted view", free, 0);
	must(cudaMemcpy(m.items, got.data(), sizeof(node *) * got.size(), cudaMemcpyHostToDevice), "items");
	must(cudaMemset(m.tally, 0, 16), "tally");
}

static void check(uint32_t count, uint32_t threads, uint32_t rounds)
{
	made m = make(count, 64, 2 * count);
	int free;
	GO(threads, hold, m.at, m.owner, m.tally, rounds, threads);
	wait();
	poolgen_fixed_counts c = state(m, &free);
	const number failures = tally(m, 1);
	expect(tally(m, 0) == 0, "items given twice or lost", tally(m, 0), 0);
	expect(free == (int)count, "free items afterwards", free, count);
	expect(c.allocs == c.frees && c.bad_frees == 0, "frees", c.frees, c.allocs);
	expect(c.failures == failures, "failures", c.failures, failures);
	for (place at : {warp, blocks, apart}) {
		exhaust(m);
		GO(2 * count, twice, m.at, m.items, count, m.tally, at);
		wait();
		expect(tally(m, 1) == count, "of two frees of each item, so many succeeded", tally(m, 1), count);
		expect(tally(m, 0) == 0, "frees of what is no item succeeded", tally(m, 0), 0);
		c = state(m, &free);
		expect(free == (int)count, "free items after two frees of each", free, count);
		expect(c.frees == count && c.bad_frees == count + 4, "bad frees", c.bad_frees, count + 4);
	}
	made w = make(count, 64, 1);
	reset(m);
	GO(threads, both, m.at, w.at, rounds, m.tally);
	wait();
	expect(tally(m, 0) == 0, "errors with two views", tally(m, 0), 0);
	state(m, &free);
	expect(free == (int)count, "free items with two views", free, count);
	state(w, &free);
	expect(free == (int)count, "free items of the other view", free, count);
	std::printf("%6u items, %6u threads: %llu failures at the limit\n", count, threads, failures);
	unmake(m);
	unmake(w);
}

// toolkit is the test of the OptiX Toolkit's pools: far more threads than items, each of which allocates and frees one.
static void toolkit(uint32_t count, uint32_t threads)
{
	made m = make(count, 32, 1);
	int free;
	GO(threads, words, m.at, m.tally);
	wait();
	const poolgen_fixed_counts c = state(m, &free);
	expect(tally(m, 0) == 0, "items with the words of others", tally(m, 0), 0);
	expect(c.allocs + c.failures == threads && c.frees == c.allocs, "calls", c.allocs + c.failures, threads);
	expect(c.failures == tally(m, 1), "failures", c.failures, tally(m, 1));
	expect(free == (int)count, "free items", free, count);
	std::printf("%u items, %u threads: %llu items written and read, %llu failures\n", count, threads, c.allocs, c.failures);
	unmake(m);
}

static float timed(cudaEvent_t a, cudaEvent_t b)
{
	float ms;
	must(cudaEventSynchronize(b), "event");
	must(cudaEventElapsedTime(&ms, a, b), "event");
	return ms;
}

// mallocs and frees are what the device's malloc does with the same.
__global__ void mallocs(unsigned rounds, unsigned threads, unsigned bytes)
{
	if (me() < threads)
		for (unsigned r = 0; r < rounds; r++) {
			void *p = malloc(bytes);
			if (p)
				*(volatile unsigned *)p = me();
			free(p);
		}
}

static void bench(uint64_t distance, uint32_t threads, uint32_t rounds)
{
	cudaEvent_t a, b;
	must(cudaEventCreate(&a), "event");
	must(cudaEventCreate(&b), "event");
	double best[8];
	std::fill(best, best + 8, 1e30);
	const auto time = [&](int row, auto run) {
		must(cudaEventRecord(a), "record");
		run();
		must(cudaEventRecord(b), "record");
		wait();
		best[row] = std::min<double>(best[row], timed(a, b));
	};
	number failures = 0;
	for (int spare = 2; spare >= 1; spare--) {
		const uint32_t count = std::max(threads, 1024u) * spare;
		made m = make(count, distance, std::max(threads, count));
		for (int turn = 0; turn < 5; turn++) {
			reset(m);
			time(spare == 2 ? 0 : 3, [&] { GO(threads, takeAll, m.at, m.items, m.tally, threads); });
			time(spare == 2 ? 1 : 4, [&] { GO(threads, giveAll, m.at, m.items, m.tally, threads, 1); });
			time(spare == 2 ? 2 : 5, [&] { GO(threads, churn, m.at, rounds, threads, m.tally); });
			if (spare == 1 && threads >= 1024) { // every third item is free, wherever it is
				GO(count, takeAll, m.at, m.items, m.tally, count);
				GO(count, giveAll, m.at, m.items, m.tally, count, 3);
				time(6, [&] { GO(count / 3, takeAll, m.at, m.items, m.tally, count / 3); });
			}
			failures = std::max(failures, tally(m, 0) + tally(m, 1));
		}
		unmake(m);
	}
	if (distance == 16)
		for (int turn = 0; turn < 2; turn++)
			time(7, [&] { GO(threads, mallocs, threads > 100000 ? 1 : 4, threads, (unsigned)distance); });
	const double g = 1e6;
	std::printf("%5llu %8u | %9.4f %9.4f %9.4f | %9.4f %9.4f %9.4f | %9.4f | %9.5f%s\n", (number)distance, threads, threads / best[0] / g, threads / best[1] / g,
	            (double)threads * rounds / best[2] / g, threads / best[3] / g, threads / best[4] / g, (double)threads * rounds / best[5] / g, threads / 3 / best[6] / g,
	            (double)threads * (threads > 100000 ? 1 : 4) / best[7] / g, failures ? "  FAILURES" : "");
	std::fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "check";
	if (!std::strcmp(what, "bench")) {
		must(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1ull << 30), "limit");
		std::printf("G/s, best of 5: one alloc for each thread, one free for each, pairs; the same with as many items as threads; allocs of a third of the items, all that are\n"
		            "free; pairs of malloc and free\nbytes  threads |     alloc      free     pairs |     alloc      free     pairs |     third |    malloc\n");
		for (uint64_t distance : {16, 256, 4096})
			for (uint32_t threads : {1u, 32u, 1024u, 32768u, 1048576u})
				bench(distance, threads, threads > 100000 ? 16 : threads > 2000 ? 64 : 500);
		return 0;
	}
	const bool small = !std::strcmp(what, "small");
	for (uint32_t count : {32u, 1024u, 65536u})
		for (uint32_t threads : {1u, 33u, 4096u, 262144u})
			if (!small || (count <= 1024 && threads <= 4096))
				check(count, threads, small ? 8 : threads > 10000 ? 24 : 60);
	toolkit(small ? 1024 : 65536, small ? 4096 : 1 << 20);
	std::printf("ok\n");
	return 0;
}
