// Runs the functions that headers have for kernels on threads of the host: __CUDACC__ is defined, and atomicAdd is the host's.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define __CUDACC__
#define __device__
static unsigned long long adds;
static unsigned long long atomicAdd(unsigned long long *at, unsigned long long n)
{
	__atomic_fetch_add(&adds, 1, __ATOMIC_RELAXED);
	return __atomic_fetch_add(at, n, __ATOMIC_RELAXED);
}
#include "Bytes.h"
#include "Scratch.h"

static void expect(bool ok, const char *what)
{
	if (!ok) {
		std::printf("%s\n", what);
		std::exit(1);
	}
}

int main()
{
	const uint64_t size = 1 << 20;
	std::vector<uint8_t> memory(size + 256);
	const uint64_t base = (reinterpret_cast<uint64_t>(memory.data()) + 255) / 256 * 256;

	// Threads that allocate the whole view in pieces of different sizes get pieces that do not overlap and fill the view.
	scene_Bytes_view view = {base, size, 0};
	std::vector<std::pair<uint64_t, uint64_t>> taken[8];
	std::vector<std::thread> threads;
	for (int i = 0; i < 8; i++)
		threads.emplace_back([&, i] {
			for (uint64_t n = 1 + i;; n = n % 300 + 1 + i) {
				uint8_t *p = scene_Bytes_alloc(&view, n);
				if (!p)
					break;
				taken[i].emplace_back(reinterpret_cast<uint64_t>(p), n);
			}
		});
	for (auto &t : threads)
		t.join();
	std::vector<std::pair<uint64_t, uint64_t>> all;
	for (auto &t : taken)
		all.insert(all.end(), t.begin(), t.end());
	std::sort(all.begin(), all.end());
	uint64_t end = base;
	for (auto &p : all) {
		expect(p.first % 16 == 0, "a piece is not aligned");
		expect(p.first >= end, "two pieces overlap");
		expect(p.first < end + 8 * 512, "a piece is missing");
		end = p.first + p.second;
	}
	expect(end <= base + size, "a piece is beyond the end");
	expect(end > base + size - 8 * 512, "the end was not handed out");

	// Calls that fail do not change the offset: it never wraps around.
	const unsigned long long offset = view.offset, before = adds;
	for (int i = 0; i < 1000; i++)
		expect(!scene_Bytes_alloc(&view, 1 << 19), "there is room where there is none");
	expect(view.offset == offset && adds == before, "a call that fails moves the offset");
	view.offset = ~0ull;
	expect(!scene_Bytes_alloc(&view, 1), "an offset beyond the end is room");

	// Sizes that no region has.
	view.offset = 0;
	for (uint64_t n : {uint64_t(0), size + 1, ~uint64_t(0), ~uint64_t(0) / 2, ~uint64_t(0) - 14})
		expect(!scene_Bytes_alloc(&view, n), "an impossible size");
	expect(view.offset == 0, "an impossible size moves the offset");
	expect(scene_Bytes_alloc(&view, size) == reinterpret_cast<uint8_t *>(base), "all of it");
	scene_Bytes_view none = {0, 0, 0};
	expect(!scene_Bytes_alloc(&none, 1), "an empty region has room");

	// Items, and the pool's alignment.
	scene_Scratch_view items = {base, 1024, 0};
	expect(scene_Scratch_alloc(&items, 1) == reinterpret_cast<odd_Plain *>(base), "the first item");
	expect(scene_Scratch_alloc(&items, 22) == reinterpret_cast<odd_Plain *>(base + 256), "264 bytes of items");
	expect(items.offset == 768, "items are rounded up");
	expect(!scene_Scratch_alloc(&items, ~uint64_t(0) / 12 + 2), "the size of the items overflows");
	return 0;
}
