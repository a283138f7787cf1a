// Kernels that allocate from a view with the function of its generated header, and launch kernels that do the same. They need the CUDA toolkit.
//
// As a program, which checks the allocations and prints "ok":
//
//	nvcc -std=c++17 -arch=native -rdc=true -o view tests/pools/gpu/testdata/view.cu -lcudadevrt && ./view
//
// As a module for go test, whose pool makes the view and is used meanwhile (sm_90 is an H200):
//
//	nvcc -std=c++17 -arch=sm_90 -rdc=true -dc -o view.o tests/pools/gpu/testdata/view.cu
//	nvcc -arch=sm_90 -dlink -cubin -o view.cubin view.o -lcudadevrt
//	POOLGEN_VIEW_CUBIN=$PWD/view.cubin ./gpu.test -test.v -test.run View
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../pools/arena_pool.h"

typedef unsigned long long number;

struct row {
	number at, words;
};

struct tally {
	number rows, failures;
};

// allocate has a thread allocate in rounds.
static __device__ void allocate(pools_Arena_view *view, row *table, number capacity, tally *counts, unsigned rounds)
{
	const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	for (unsigned i = 0; i < rounds; i++) {
		const number words = 1 + (7 * thread + i) % 5;
		pools_ArenaItem *at = pools_Arena_alloc(view, words);
		if (!at) {
			atomicAdd(&counts->failures, 1ull);
			continue;
		}
		const number next = atomicAdd(&counts->rows, 1ull);
		if (next < capacity) {
			table[next].at = (number)at;
			table[next].words = words;
		}
	}
}

extern "C" __global__ void take(pools_Arena_view *view, row *table, number capacity, tally *counts, unsigned rounds)
{
	allocate(view, table, capacity, counts, rounds);
}

// parent launches take, with a number of blocks, from each of its own blocks, and allocates itself.
extern "C" __global__ void parent(pools_Arena_view *view, row *table, number capacity, tally *counts, unsigned rounds, unsigned children)
{
	if (threadIdx.x == 0 && children > 0)
		take<<<children, blockDim.x>>>(view, table, capacity, counts, rounds);
	allocate(view, table, capacity, counts, rounds);
}

static void must(cudaError_t e, const char *what)
{
	if (e != cudaSuccess) {
		std::printf("%s: %s\n", what, cudaGetErrorString(e));
		std::exit(1);
	}
}

static void expect(bool ok, const char *what)
{
	if (!ok) {
		std::printf("%s\n", what);
		std::exit(1);
	}
}

// run launches kernels on a view of the given size and checks the allocations. It returns the number of failed ones.
static number run(number size, unsigned blocks, unsigned threads, unsigned rounds, unsigned children)
{
	const number calls = (number)blocks * threads * (1 + children) * rounds;
	char *memory;
	row *table;
	tally *counts;
	must(cudaMalloc(&memory, size + 64), "memory");
	must(cudaMalloc(&table, calls * sizeof(row)), "table");
	must(cudaMalloc(&counts, sizeof(tally)), "tally");
	must(cudaMemset(counts, 0, sizeof(tally)), "memset");
	pools_Arena_view head;
	head.base = (uint64_t)memory + 32;
	head.size = size;
	head.offset = 0;
	must(cudaMemcpy(memory, &head, sizeof head, cudaMemcpyHostToDevice), "view");

	parent<<<blocks, threads>>>((pools_Arena_view *)memory, table, calls, counts, rounds, children);
	must(cudaGetLastError(), "launch");
	must(cudaDeviceSynchronize(), "kernels");

	tally total;
	must(cudaMemcpy(&total, counts, sizeof total, cudaMemcpyDeviceToHost), "tally");
	must(cudaMemcpy(&head, memory, sizeof head, cudaMemcpyDeviceToHost), "view");
	expect(total.rows + total.failures == calls, "calls are missing");
	std::vector<row> got(total.rows);
	must(cudaMemcpy(got.data(), table, got.size() * sizeof(row), cudaMemcpyDeviceToHost), "table");
	std::sort(got.begin(), got.end(), [](const row &a, const row &b) { return a.at < b.at; });
	number end = head.base, bytes = 0;
	for (const row &r : got) {
		expect(r.at % 16 == 0, "a piece is not aligned");
		expect(r.at >= end, "two pieces overlap, or one lies before the view");
		end = r.at + 8 * r.words;
		bytes += (8 * r.words + 15) / 16 * 16;
	}
	expect(end <= head.base + size, "a piece lies beyond the view");
	expect(total.failures > 0 || head.offset == bytes, "the offset is not what was handed out");
	expect(head.offset < size + 48 * (number)blocks * threads * (1 + children), "calls that fail move the offset on and on");
	must(cudaFree(memory), "free");
	must(cudaFree(table), "free");
	must(cudaFree(counts), "free");
	return total.failures;
}

int main()
{
	expect(run(64 << 20, 64, 256, 10, 0) == 0, "no room without children");
	expect(run(64 << 20, 16, 128, 10, 8) == 0, "no room with children");
	expect(run(100 << 10, 64, 256, 50, 0) > 0, "room where there is none");
	expect(run(100 << 10, 16, 128, 50, 8) > 0, "room for children where there is none");
	std::printf("ok\n");
	return 0;
}
