
// Views of items that kernels allocate and free. All headers of pools with device_view: fixed declare this, once.
#ifndef POOLGEN_FIXED_VIEW
#define POOLGEN_FIXED_VIEW 1 // version of the layout
// poolgen_fixed_counts counts calls. There are 64 of them, each in a line of its own, so that counting does not hold up the threads.
typedef struct poolgen_fixed_counts {
	unsigned long long allocs;    // items handed out
	unsigned long long frees;     // items taken back
	unsigned long long failures;  // allocations for which no item was free
	unsigned long long bad_frees; // frees that were refused
	uint8_t _pad0[96];
} poolgen_fixed_counts;
// poolgen_fixed_view is the front of a view: what the host writes, and the number of free items, in a line of its own. Behind it are the counts, a bit for
// each item, which is 1 if the item is free, a bit for each word of these, which is 1 if the word may have a free item, and the items.
typedef struct poolgen_fixed_view {
	uint64_t base;     // address of the first item
	uint64_t distance; // from one item to the next in bytes
	uint32_t count;    // number of items, a multiple of 32
	uint32_t words;    // number of words with the bits of items
	uint32_t tops;     // number of words with the bits of words
	uint32_t version;  // of the layout
	uint64_t counts;   // offset of the counts from the view
	uint64_t bits;     // offset of the bits of items
	uint64_t top;      // offset of the bits of words
	uint8_t _pad0[72];
	int32_t free; // items that nobody has been promised; below 0 for a moment while calls find out that there are too few
	uint8_t _pad1[124];
} poolgen_fixed_view;
POOLGEN_STATIC_ASSERT(sizeof(poolgen_fixed_counts) == 128, "poolgen_fixed_counts: size");
POOLGEN_STATIC_ASSERT(sizeof(poolgen_fixed_view) == 256, "poolgen_fixed_view: size");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(poolgen_fixed_view, base) == 0, "poolgen_fixed_view.base: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(poolgen_fixed_view, distance) == 8, "poolgen_fixed_view.distance: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(poolgen_fixed_view, count) == 16, "poolgen_fixed_view.count: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(poolgen_fixed_view, words) == 20, "poolgen_fixed_view.words: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(poolgen_fixed_view, tops) == 24, "poolgen_fixed_view.tops: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(poolgen_fixed_view, version) == 28, "poolgen_fixed_view.version: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(poolgen_fixed_view, counts) == 32, "poolgen_fixed_view.counts: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(poolgen_fixed_view, bits) == 40, "poolgen_fixed_view.bits: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(poolgen_fixed_view, top) == 48, "poolgen_fixed_view.top: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(poolgen_fixed_view, free) == 128, "poolgen_fixed_view.free: offset");

#ifdef __CUDACC__
// POOLGEN_ONE_LANE, defined before the first header, leaves out all functions of warps, for OptiX programs: each thread then allocates for itself.
#if defined(POOLGEN_ONE_LANE) || defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define POOLGEN_ACTIVE() 1u
#define POOLGEN_MINE() 0u
#define POOLGEN_VOTE(mask, value) ((value) ? 1u : 0u)
#define POOLGEN_FROM(mask, value, from) ((void)(from), (value))
#define POOLGEN_MEET(mask) ((void)0)
#else
#define POOLGEN_ACTIVE() __activemask()
#define POOLGEN_MINE() poolgen_mine()
#define POOLGEN_VOTE(mask, value) (__ballot_sync(mask, value) & (mask)) // other threads may have arrived
#define POOLGEN_FROM(mask, value, from) __shfl_sync(mask, value, from)
#define POOLGEN_MEET(mask) __syncwarp(mask)
static __device__ inline uint32_t poolgen_mine(void)
{
	uint32_t mine;
	asm("mov.u32 %0, %%laneid;" : "=r"(mine));
	return mine;
}
#endif

// POOLGEN_THREAD numbers the threads: those with different numbers look for items in different places. OptiX programs, which have no threadIdx, define
// it before the first header.
#ifndef POOLGEN_THREAD
#define POOLGEN_THREAD poolgen_thread()
static __device__ inline uint32_t poolgen_thread(void)
{
	const uint32_t block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	return ((block * blockDim.z + threadIdx.z) * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
#endif

// POOLGEN_PEEK reads what other threads change meanwhile.
#ifndef POOLGEN_PEEK
#define POOLGEN_PEEK(at) (*(const volatile uint32_t *)(at))
#endif

#define POOLGEN_NONE 0xffffffffu // no item
#define POOLGEN_TRIES 65536      // words that a call looks at, at most: there is a free item, unless a kernel wrote over the tables

// poolgen_pick returns the position of a set bit, from 0, of those that value has.
static __device__ inline uint32_t poolgen_pick(uint32_t value, uint32_t bit)
{
	uint32_t at = 0;
	for (uint32_t step = 16; step; step >>= 1) {
		const uint32_t below = __popc(value & ((1u << step) - 1));
		if (bit >= below) {
			bit -= below;
			value >>= step;
			at += step;
		}
	}
	return at;
}

// poolgen_turn turns a word right, so that bit n becomes bit 0.
static __device__ inline uint32_t poolgen_turn(uint32_t value, uint32_t n)
{
	return value >> n % 32 | value << (32 - n % 32) % 32;
}

// poolgen_after returns the first set bit of value from a position on, or from 0 on if there is none.
static __device__ inline uint32_t poolgen_after(uint32_t value, uint32_t at)
{
	return (__ffs(poolgen_turn(value, at)) - 1 + at) % 32;
}

static __device__ inline uint32_t *poolgen_fixed_table(poolgen_fixed_view *view, uint64_t offset)
{
	return (uint32_t *)((uint8_t *)view + offset);
}

// poolgen_fixed_counter returns the counts to which a thread adds.
static __device__ inline poolgen_fixed_counts *poolgen_fixed_counter(poolgen_fixed_view *view, uint32_t thread)
{
	return (poolgen_fixed_counts *)((uint8_t *)view + view->counts) + thread / 32 % 64;
}

// poolgen_fixed_index returns the number of the item at an address, POOLGEN_NONE if there is none.
static __device__ inline uint32_t poolgen_fixed_index(const poolgen_fixed_view *view, const void *item)
{
	const uint64_t offset = (uint64_t)item - view->base, index = offset / view->distance;
	return index < view->count && index * view->distance == offset ? (uint32_t)index : POOLGEN_NONE;
}

// poolgen_fixed_promise takes as many of n items as there are from the number of free ones. Whoever was promised an item will find one.
static __device__ inline uint32_t poolgen_fixed_promise(poolgen_fixed_view *view, uint32_t n)
{
	if ((int32_t)POOLGEN_PEEK(&view->free) <= 0) // so that failing calls do not keep others from what is freed
		return 0;
	const int32_t free = atomicAdd(&view->free, -(int32_t)n);
	const uint32_t got = free <= 0 ? 0 : (uint32_t)free < n ? (uint32_t)free : n;
	if (got < n)
		atomicAdd(&view->free, (int32_t)(n - got));
	return got;
}

// poolgen_fixed_take takes up to n items whose bits were seen in a word, from a bit on, and returns those that it got. left are the bits that others have.
static __device__ inline uint32_t poolgen_fixed_take(uint32_t *word, uint32_t seen, uint32_t from, uint32_t n, uint32_t *left)
{
	if ((uint32_t)__popc(seen) > n) {
		seen = poolgen_turn(seen, from);
		seen &= (2u << poolgen_pick(seen, n - 1)) - 1;
		seen = poolgen_turn(seen, 32 - from % 32);
	}
	const uint32_t old = seen == 0 ? 0 : atomicAnd(word, ~seen);
	*left = old & ~seen;
	return old & seen;
}

// poolgen_fixed_clear notes that a word has no free item, unless a free came meanwhile: a free sets the bit of the word, then the one above.
static __device__ inline void poolgen_fixed_clear(poolgen_fixed_view *view, uint32_t word)
{
	uint32_t *top = poolgen_fixed_table(view, view->top) + word / 32;
	atomicAnd(top, ~(1u << word % 32));
	__threadfence();
	if (POOLGEN_PEEK(poolgen_fixed_table(view, view->bits) + word) != 0)
		atomicOr(top, 1u << word % 32);
}

// poolgen_fixed_start returns the word at which a warp begins. Neighbours begin in different lines of memory.
static __device__ inline uint32_t poolgen_fixed_start(const poolgen_fixed_view *view, uint32_t warp)
{
	const uint32_t word = warp % view->tops * 32 + warp / view->tops % 32;
	return word < view->words ? word : warp % view->words;
}

// poolgen_fixed_next returns a word that may have free items. Each thread looks at 32 words in one step. The number decides where, so that calls do not meet.
static __device__ inline uint32_t poolgen_fixed_next(poolgen_fixed_view *view, uint32_t mask, uint32_t rank, uint32_t number)
{
	const uint32_t *top = poolgen_fixed_table(view, view->top);
	const uint32_t n = __popc(mask), tops = view->tops, chance = number * 0x9E3779B1u, first = __umulhi(chance, tops);
	for (uint32_t at = first; at < first + tops; at += n) {
		const uint32_t mine = (at + rank) % tops, words = POOLGEN_PEEK(top + mine);
		const uint32_t any = POOLGEN_VOTE(mask, words != 0);
		if (any != 0)
			return POOLGEN_FROM(mask, mine * 32 + poolgen_after(words, chance >> 15), poolgen_after(any, chance >> 10));
	}
	return first * 32;
}

// poolgen_fixed_alloc_together allocates an item for each of the threads of a warp that call it together. The first of them does the work.
static __device__ inline void *poolgen_fixed_alloc_together(poolgen_fixed_view *view, uint32_t mask)
{
	const uint32_t n = __popc(mask), lead = __ffs(mask) - 1, rank = __popc(mask & ((1u << POOLGEN_MINE()) - 1));
	uint32_t *bits = poolgen_fixed_table(view, view->bits);
	const uint32_t thread = POOLGEN_FROM(mask, POOLGEN_THREAD, lead);
	uint32_t word = poolgen_fixed_start(view, thread / 32), seen = 0, promised = 0, done = 0;
	void *item = NULL;
	if (rank == 0) {
		seen = POOLGEN_PEEK(bits + word);
		promised = poolgen_fixed_promise(view, n);
	}
	promised = POOLGEN_FROM(mask, promised, lead);
	for (uint32_t tries = 0; done < promised && tries < POOLGEN_TRIES; tries++) {
		uint32_t got = 0, left = 0;
		if (tries > 0)
			word = poolgen_fixed_next(view, mask, rank, thread / 32 + tries);
		if (rank == 0) {
			got = poolgen_fixed_take(bits + word, tries > 0 ? POOLGEN_PEEK(bits + word) : seen, thread, promised - done, &left);
			if (tries > 0 && left == 0)
				poolgen_fixed_clear(view, word);
		}
		got = POOLGEN_FROM(mask, got, lead);
		if (rank - done < (uint32_t)__popc(got))
			item = (void *)(view->base + view->distance * (word * 32ull + poolgen_pick(got, rank - done)));
		done += __popc(got);
	}
	if (rank == 0) {
		poolgen_fixed_counts *counts = poolgen_fixed_counter(view, thread);
		if (done < promised)
			atomicAdd(&view->free, (int32_t)(promised - done));
		if (done > 0)
			atomicAdd(&counts->allocs, (unsigned long long)done);
		if (done < n)
			atomicAdd(&counts->failures, (unsigned long long)(n - done));
	}
	return item;
}

// poolgen_fixed_return sets bits of a word, and returns the word as it was. What was written to the items comes before.
static __device__ inline uint32_t poolgen_fixed_return(poolgen_fixed_view *view, uint32_t word, uint32_t items)
{
	__threadfence();
	const uint32_t old = atomicOr(poolgen_fixed_table(view, view->bits) + word, items);
	__threadfence();
	if (old == 0)
		atomicOr(poolgen_fixed_table(view, view->top) + word / 32, 1u << word % 32);
	return old;
}

// poolgen_fixed_free_together frees the items of the threads of a warp that call it together. Items in a row, as one allocation finds them, go
// back together, others one by one: of two frees of one item, one finds the bit set.
static __device__ inline bool poolgen_fixed_free_together(poolgen_fixed_view *view, const void *item, uint32_t mask)
{
	const uint32_t n = __popc(mask), lead = __ffs(mask) - 1, rank = __popc(mask & ((1u << POOLGEN_MINE()) - 1));
	const uint32_t index = poolgen_fixed_index(view, item), first = POOLGEN_FROM(mask, index, lead);
	const bool row = first % 32 + n <= 32 && first != POOLGEN_NONE && POOLGEN_VOTE(mask, index == first + rank) == mask;
	uint32_t old = POOLGEN_NONE;
	POOLGEN_MEET(mask);
	if (index != POOLGEN_NONE && (!row || rank == 0))
		old = poolgen_fixed_return(view, index / 32, (row ? POOLGEN_NONE >> (32 - n) : 1u) << index % 32);
	if (row)
		old = POOLGEN_FROM(mask, old, lead);
	const bool ok = (old >> index % 32 & 1) == 0;
	const uint32_t good = __popc(POOLGEN_VOTE(mask, ok));
	if (rank == 0) {
		poolgen_fixed_counts *counts = poolgen_fixed_counter(view, POOLGEN_THREAD);
		if (good > 0) {
			atomicAdd(&view->free, (int32_t)good);
			atomicAdd(&counts->frees, (unsigned long long)good);
		}
		if (good < n)
			atomicAdd(&counts->bad_frees, (unsigned long long)(n - good));
	}
	return ok;
}

// poolgen_fixed_together returns which threads of the warp call it together with the same view.
static __device__ inline uint32_t poolgen_fixed_together(const poolgen_fixed_view *view)
{
	for (uint32_t mask = POOLGEN_ACTIVE();;) {
		const uint64_t first = POOLGEN_FROM(mask, (uint64_t)view, __ffs(mask) - 1);
		const uint32_t same = POOLGEN_VOTE(mask, (uint64_t)view == first);
		if ((uint64_t)view == first)
			return same;
		mask &= ~same;
	}
}
#endif
#endif
