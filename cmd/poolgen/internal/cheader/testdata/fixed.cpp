// Runs the functions that headers have for kernels on threads of the host, each of which is a warp of one lane: __CUDACC__ is defined, and what CUDA has built
// in is the host's.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#define __CUDACC__
#define __device__
#define POOLGEN_ONE_LANE
static thread_local uint32_t number;
#define POOLGEN_THREAD (number * 32)
#define POOLGEN_PEEK(at) __atomic_load_n((const uint32_t *)(at), __ATOMIC_ACQUIRE)
static void __threadfence() {} // all of the operations below are ordered
static int __popc(uint32_t v) { return __builtin_popcount(v); }
static int __ffs(uint32_t v) { return __builtin_ffs(v); }
static uint32_t __umulhi(uint32_t a, uint32_t b) { return (uint64_t)a * b >> 32; }
static int32_t atomicAdd(int32_t *at, int32_t n) { return __atomic_fetch_add(at, n, __ATOMIC_ACQ_REL); }
static unsigned long long atomicAdd(unsigned long long *at, unsigned long long n) { return __atomic_fetch_add(at, n, __ATOMIC_ACQ_REL); }
static uint32_t atomicAnd(uint32_t *at, uint32_t v) { return __atomic_fetch_and(at, v, __ATOMIC_SEQ_CST); }
static uint32_t atomicOr(uint32_t *at, uint32_t v) { return __atomic_fetch_or(at, v, __ATOMIC_SEQ_CST); }
#include "Bytes.h"
#include "Leaf.h"
#include "Node.h"

static void expect(bool ok, const char *what)
{
	if (!ok) {
		std::printf("%s\n", what);
		std::exit(1);
	}
}

// memory is a view as the host writes it.
struct memory {
	std::vector<uint64_t> words;
	scene_Node_view *view;
	poolgen_fixed_view *head;

	memory(uint32_t count, uint64_t distance)
	{
		const uint64_t bits = sizeof(poolgen_fixed_view) + 64 * sizeof(poolgen_fixed_counts), top = bits + 4 * (count / 32) + 4;
		const uint64_t front = (top + 4 * (count / 1024 + 1) + 127) / 128 * 128;
		words.resize((front + count * distance) / 8);
		view = (scene_Node_view *)words.data();
		head = &view->fixed;
		head->base = (uint64_t)view + front;
		head->distance = distance;
		head->count = count;
		head->words = count / 32;
		head->tops = (head->words + 31) / 32;
		head->version = POOLGEN_FIXED_VIEW;
		head->counts = sizeof *head;
		head->bits = bits;
		head->top = top;
		head->free = (int32_t)count;
		for (uint32_t i = 0; i < head->words; i++) {
			bitsOf()[i] = ~0u;
			topOf()[i / 32] |= 1u << i % 32;
		}
	}

	uint32_t *bitsOf() { return poolgen_fixed_table(head, head->bits); }
	uint32_t *topOf() { return poolgen_fixed_table(head, head->top); }

	poolgen_fixed_counts sum()
	{
		poolgen_fixed_counts c = {};
		for (uint32_t i = 0; i < 64; i++) {
			const poolgen_fixed_counts *s = poolgen_fixed_counter(head, 32 * i);
			c.allocs += s->allocs;
			c.frees += s->frees;
			c.failures += s->failures;
			c.bad_frees += s->bad_frees;
		}
		return c;
	}

	// check compares the tables with each other.
	void check(int32_t free)
	{
		int32_t set = 0;
		for (uint32_t i = 0; i < head->words; i++) {
			set += __popc(bitsOf()[i]);
			expect(bitsOf()[i] == 0 || topOf()[i / 32] >> i % 32 & 1, "a word with free items is hidden");
		}
		expect(set == free && head->free == free, "the number of free items differs from the bits");
	}
};

template <class F> static void parallel(uint32_t threads, F f)
{
	std::vector<std::thread> all;
	for (uint32_t i = 0; i < threads; i++)
		all.emplace_back([=] { number = i; f(i); });
	for (auto &t : all)
		t.join();
}

// One thread: the tables follow a model.
static void model(uint32_t count)
{
	memory m(count, 24);
	std::set<scene_Node_view *> views = {m.view};
	std::set<odd_Plain *> live;
	uint32_t random = count;
	unsigned long long allocs = 0, frees = 0, failures = 0, bad = 0;
	for (int step = 0; step < 20000; step++) {
		random = random * 1664525 + 1013904223;
		number = random >> 20;
		if ((random >> 16) % 5 < (step / 4000 % 2 ? 2u : 3u)) {
			odd_Plain *p = scene_Node_alloc(m.view);
			expect((p != NULL) == (live.size() < count), "an item of a full view, or none of another");
			expect(!p || (live.insert(p).second && scene_Node_index(m.view, p) < count), "an item that is live");
			p ? allocs++ : failures++;
		} else {
			odd_Plain *p = (odd_Plain *)(m.head->base + m.head->distance * ((random >> 8) % count) + (random >> 30 == 0));
			const bool ok = live.erase(p) == 1;
			expect(scene_Node_free(m.view, p) == ok, "a free of what is not live, or none of what is");
			ok ? frees++ : bad++;
		}
		if (step % 100 == 0)
			m.check((int32_t)(count - live.size()));
	}
	const poolgen_fixed_counts c = m.sum();
	expect(c.allocs == allocs && c.frees == frees && c.failures == failures && c.bad_frees == bad, "the counts");
	expect(failures > 0 && bad > 0, "the model was never full");
}

// Threads that hold up to four items each note the owner of each item, so that one that is given twice is found at once. Each writes to its items.
static void hold(uint32_t count, uint32_t threads, uint32_t rounds)
{
	memory m(count, 24);
	std::vector<uint32_t> owner(count);
	parallel(threads, [&](uint32_t me) {
		odd_Plain *mine[4] = {};
		uint32_t random = me;
		for (uint32_t r = 0; r < rounds + 4; r++) {
			random = random * 1664525 + 1013904223;
			const uint32_t j = r < rounds ? random >> 30 : r - rounds;
			if (mine[j]) {
				uint32_t i = scene_Node_index(m.view, mine[j]);
				expect(owner[i] == me + 1, "an item has two owners"); // no atomic: the view orders the two
				owner[i] = 0;
				expect(scene_Node_free(m.view, mine[j]), "a free was refused");
				mine[j] = NULL;
			} else if (r < rounds && (mine[j] = scene_Node_alloc(m.view))) {
				uint32_t i = scene_Node_index(m.view, mine[j]);
				expect(owner[i] == 0, "an item was given twice");
				owner[i] = me + 1;
				std::memset(mine[j], (int)me, sizeof(odd_Plain));
			}
		}
	});
	m.check((int32_t)count);
	const poolgen_fixed_counts c = m.sum();
	expect(c.allocs == c.frees && c.bad_frees == 0 && c.allocs > 0, "the counts after holding");
}

// Threads that exhaust a view get each item once. Of two frees of each item, one succeeds.
static void twice(uint32_t count, uint32_t threads)
{
	memory m(count, 24);
	std::vector<odd_Plain *> got[8];
	std::vector<uint32_t> freed(threads);
	parallel(threads, [&](uint32_t me) {
		while (odd_Plain *p = scene_Node_alloc(m.view))
			got[me].push_back(p);
	});
	std::set<odd_Plain *> all;
	for (auto &g : got)
		for (odd_Plain *p : g)
			expect(all.insert(p).second, "an item was given twice");
	expect(all.size() == count, "exhaustion does not give all items");
	m.check(0);
	parallel(threads, [&](uint32_t me) {
		for (uint32_t i = me / 2; i < count; i += threads / 2) // two threads free each
			freed[me] += scene_Node_free(m.view, (odd_Plain *)(m.head->base + m.head->distance * i));
	});
	uint32_t sum = 0;
	for (uint32_t n : freed)
		sum += n;
	expect(sum == count, "of two frees of an item, not one succeeded");
	m.check((int32_t)count);
	const poolgen_fixed_counts c = m.sum();
	expect(c.frees == count && c.bad_frees == count && c.failures == threads, "the counts after two frees");
}

// A view whose tables were written over does not hang its callers.
static void torn()
{
	memory m(64, 24);
	std::memset(m.bitsOf(), 0, 8);
	expect(!scene_Node_alloc(m.view), "an item of a view without any");
	expect(m.head->free == 64 && m.sum().failures == 1, "a promise that cannot be kept is not given back");
}

int main(int argc, char **argv)
{
	const uint32_t rounds = argc > 1 ? (uint32_t)std::atoi(argv[1]) : 1000;
	for (uint32_t count : {32u, 1024u, 2016u})
		model(count);
	for (uint32_t threads : {1u, 2u, 8u})
		for (uint32_t count : {32u, 2016u})
			hold(count, threads, rounds);
	for (int i = 0; i < 10; i++)
		twice(2016, 4);
	torn();
	return 0;
}
