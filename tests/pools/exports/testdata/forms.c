// Calls each function of a pool of each form.
#include "../poolgen.h"

#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                                                \
	do {                                                                                                \
		if (!(condition)) {                                                                             \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, bytes_error(NULL));      \
			failures++;                                                                                 \
		}                                                                                               \
	} while (0)

// POOL tries a pool whose blocks have so many bytes. Frees of parts are refused, and so are second ones.
#define POOL(name, bytes)                                                                               \
	do {                                                                                                \
		poolgen_stats s;                                                                                \
		char *block = name##_alloc(bytes AT_##name);                                                    \
		CHECK(block != NULL && name##_free(block + 1, bytes AT_##name) == POOLGEN_FOREIGN);           \
		CHECK(name##_alloc(INT64_MAX AT_##name) == NULL && name##_alloc(-1 AT_##name) == NULL);         \
		CHECK(name##_free(block, -1 AT_##name) != POOLGEN_OK);                                          \
		CHECK(name##_free(block, bytes AT_##name) == POOLGEN_OK);                                       \
		CHECK(name##_free(block, bytes AT_##name) != POOLGEN_OK);                                       \
		CHECK(name##_stats(ON_##name &s) == POOLGEN_OK && s.live == 0 && s.allocs == 1);                \
		CHECK(name##_trim(ON_##name 0) >= 0 && name##_set_limit(ON_##name 2 << 20) == POOLGEN_OK);      \
		CHECK(name##_set_limit(ON_##name -1) == POOLGEN_BAD_SIZE && *name##_error(NULL) != 0);          \
	} while (0)

// The parameters of a pool for its device and stream.
#define AT_bytes
#define ON_bytes
#define AT_node
#define ON_node
#define AT_block
#define ON_block
#define AT_triple
#define ON_triple
#define AT_queue
#define ON_queue
#define AT_own
#define ON_own
#define AT_upload
#define ON_upload
#define AT_staging , 1, NULL
#define ON_staging 1,
#define AT_cell , 1, NULL
#define ON_cell 1,
#define AT_driver , 0, NULL
#define ON_driver 0,
#define AT_either , 0, NULL
#define ON_either 0,

// HOST writes to a block, too.
#define HOST(name, bytes)                                                                               \
	do {                                                                                                \
		POOL(name, bytes);                                                                              \
		void *block = name##_alloc(bytes AT_##name);                                                    \
		CHECK(block != NULL);                                                                           \
		memset(block, 7, bytes);                                                                        \
		CHECK(name##_free(block, bytes AT_##name) == POOLGEN_OK);                                       \
	} while (0)

int main(void) {
	HOST(bytes, 1000);
	HOST(node, 4);
	HOST(block, 4096);
	HOST(triple, 100); // nine items of 12 bytes
	HOST(queue, 1000);
	HOST(own, 1000);
	HOST(upload, 1000);
	HOST(staging, 1000);
	POOL(cell, 8);
	POOL(driver, 1000);
	POOL(either, 100);

	CHECK(node_alloc(5) == NULL && block_alloc(4097) == NULL); // of one size
	CHECK(cell_alloc(8, 0, NULL) == NULL && cell_stats(0, NULL) == POOLGEN_DEVICE);
	void *found = either_alloc(100, 0, NULL);
	CHECK(either_free(found, 0, 0, NULL) == POOLGEN_OK && either_free(found, 0, 0, NULL) == POOLGEN_FREED);

	poolgen_driver_stats d;
	void *block = driver_alloc(1 << 20, 0, NULL);
	CHECK(driver_driver_stats(0, &d) == POOLGEN_OK && d.used == 1 << 20 && d.reserved >= d.used);
	CHECK(driver_free(block, 1 << 20, 0, NULL) == POOLGEN_OK && driver_reset_peaks(0) == POOLGEN_OK);
	if (failures == 0) {
		puts("ok");
	}
	return failures != 0;
}
