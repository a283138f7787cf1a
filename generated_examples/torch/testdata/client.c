// A program in C that uses the pools of the library. Without arguments it is a test; with bench WHAT PAIRS THREADS, it prints the ns of processor
// time that a pair of calls takes.
#include "../poolgen.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The library has these besides what poolgen generates.
uintptr_t torchNothing(int64_t size);
uintptr_t simStream(int device);
void simMachine(void);

static int failures;

#define CHECK(condition)                                                                                \
	do {                                                                                                \
		if (!(condition)) {                                                                             \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, tensor_error(NULL));     \
			__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);                                         \
		}                                                                                               \
	} while (0)

// refused tells whether the last call failed with a code, and its text says why.
static int refused(int want, const char *text) {
	int code;
	const char *why = tensor_error(&code);
	if (code != want || strstr(why, text) == NULL) {
		fprintf(stderr, "code %d, want %d with %s: %s\n", code, want, text, why);
		return 0;
	}
	return 1;
}

static poolgen_stats figures(int device) {
	poolgen_stats s;
	memset(&s, 0xff, sizeof s);
	CHECK(tensor_stats(device, &s) == POOLGEN_OK);
	return s;
}

static void *streams[2][4]; // by device

static void mistakes(void) {
	void *own = streams[0][0], *other = streams[1][0];
	CHECK(tensor_alloc(-1, 0, own) == NULL && refused(POOLGEN_BAD_SIZE, "bad size"));
	CHECK(tensor_alloc(0, 0, own) == NULL && refused(POOLGEN_OK, ""));
	CHECK(tensor_alloc(64, 2, own) == NULL && refused(POOLGEN_STREAM, "device 2"));
	CHECK(tensor_alloc(64, 2, NULL) == NULL && refused(POOLGEN_DEVICE, "device 2"));
	CHECK(tensor_alloc(64, -1, NULL) == NULL && refused(POOLGEN_DEVICE, "device -1"));
	CHECK(tensor_alloc(64, 0, other) == NULL && refused(POOLGEN_STREAM, "is of device 1"));
	CHECK(tensor_alloc(64, 0, (void *)2) == NULL && refused(POOLGEN_STREAM, "per-thread default stream"));
	CHECK(tensor_alloc(64, 0, (void *)0xdead) == NULL && refused(POOLGEN_STREAM, "0xdead"));

	char *block = tensor_alloc(1000, 0, own);
	CHECK(block != NULL);
	CHECK(tensor_free(NULL, 1000, 0, own) == POOLGEN_OK);
	CHECK(tensor_free(block, -1, 0, own) == POOLGEN_FOREIGN && refused(POOLGEN_FOREIGN, "a negative size"));
	CHECK(tensor_stats(0, NULL) == POOLGEN_OTHER && refused(POOLGEN_OTHER, "out is NULL"));
	CHECK(tensor_free(block + 256, 1000, 0, own) == POOLGEN_FOREIGN && refused(POOLGEN_FOREIGN, "not a block of this pool"));
	CHECK(tensor_free((void *)16, 1000, 0, own) == POOLGEN_FOREIGN);
	CHECK(tensor_free(block, 999, 0, own) == POOLGEN_FOREIGN);
	CHECK(tensor_free(block, 0, 0, own) == POOLGEN_FOREIGN);
	CHECK(tensor_free(block, 1000, 1, other) == POOLGEN_FOREIGN);
	CHECK(tensor_free(block, 1000, 1, own) == POOLGEN_STREAM);
	CHECK(figures(0).live == 1 && figures(0).live_bytes == 1000 && figures(1).live == 0);
	CHECK(tensor_free(block, 1000, 0, own) == POOLGEN_OK);
	CHECK(tensor_free(block, 1000, 0, own) == POOLGEN_FREED && refused(POOLGEN_FREED, "free already"));
	CHECK(figures(0).live == 0 && figures(0).allocs == 1 && figures(0).frees == 1);

	poolgen_stats s;
	CHECK(tensor_stats(3, &s) == POOLGEN_DEVICE);
	CHECK(tensor_set_limit(0, 64 << 20) == POOLGEN_OK && figures(0).limit == 64 << 20);
	CHECK((block = tensor_alloc(40 << 20, 0, own)) != NULL);
	CHECK(tensor_alloc(40 << 20, 0, own) == NULL && refused(POOLGEN_LIMIT, "limit"));
	CHECK(figures(0).failures == 2 && tensor_set_limit(0, 1 << 20) == POOLGEN_IN_USE);
	CHECK(tensor_free(block, 40 << 20, 0, NULL) == POOLGEN_OK); // on the default stream
	CHECK(tensor_set_limit(0, INT64_MAX) == POOLGEN_OK && tensor_set_limit(0, -1) == POOLGEN_BAD_SIZE);
	CHECK(tensor_trim(0, 0) > 0 && figures(0).reserved == 0 && figures(0).peak_reserved >= 40 << 20);
	CHECK(tensor_trim(5, 0) == -1 && refused(POOLGEN_DEVICE, "device 5"));
}

static void host(void) {
	char *block = scratch_alloc(100);
	CHECK(block != NULL);
	memset(block, 1, 100);
	CHECK(scratch_free(block, 101) == POOLGEN_FOREIGN && scratch_free(block + 1, 100) == POOLGEN_FOREIGN);
	CHECK(scratch_free((void *)16, 100) == POOLGEN_FOREIGN && scratch_free((void *)-16, 100) == POOLGEN_FOREIGN && scratch_free(&block, 0) == POOLGEN_FOREIGN);
	CHECK(scratch_free(block, -1) == POOLGEN_FOREIGN && scratch_free(block, INT64_MAX) == POOLGEN_FOREIGN && scratch_free(NULL, 7) == POOLGEN_OK);
	CHECK(scratch_free(block, 0) == POOLGEN_OK && scratch_free(block, 100) == POOLGEN_FREED); // it finds the size
	CHECK(scratch_alloc(1 << 30) == NULL && refused(POOLGEN_TOO_LARGE, "Scratch"));
	CHECK(scratch_alloc(INT64_MIN) == NULL && refused(POOLGEN_BAD_SIZE, "bad size"));
	poolgen_stats s;
	CHECK(scratch_stats(&s) == POOLGEN_OK && s.live == 0 && s.allocs == 1 && s.limit == 64 << 20);
}

// work allocates and frees blocks of a device and of the host. Nobody else writes to them, and errors of other threads are not seen here.
static void *work(void *arg) {
	int thread = (int)(intptr_t)arg, device = thread % 2;
	void *stream = streams[device][thread / 2];
	unsigned random = (unsigned)thread + 1;
	struct {
		void *device;
		unsigned char *host;
		int bytes;
	} live[16] = {{0}};
	CHECK(refused(POOLGEN_OK, "")); // nothing has failed in this thread
	for (int i = 0; i < 4000; i++) {
		random = random * 1103515245 + 12345;
		int at = random >> 16 & 15;
		if (live[at].bytes > 0) {
			int n = live[at].bytes;
			CHECK(live[at].host[0] == thread && live[at].host[n - 1] == thread);
			CHECK(tensor_free(live[at].device, n << 8, device, stream) == POOLGEN_OK && scratch_free(live[at].host, n) == POOLGEN_OK);
			live[at].bytes = 0;
			continue;
		}
		int n = live[at].bytes = 1 + (random >> 20 & 0xfff);
		live[at].device = tensor_alloc((ssize_t)n << 8, device, stream);
		live[at].host = scratch_alloc(n);
		CHECK(live[at].device != NULL && live[at].host != NULL);
		memset(live[at].host, thread, n);
	}
	for (int at = 0; at < 16; at++) {
		if (live[at].bytes > 0) {
			CHECK(tensor_free(live[at].device, live[at].bytes << 8, device, stream) == POOLGEN_OK);
			CHECK(scratch_free(live[at].host, live[at].bytes) == POOLGEN_OK);
		}
	}
	CHECK(refused(POOLGEN_OK, ""));
	CHECK(tensor_free(stream, thread + 1, device, stream) == POOLGEN_FOREIGN && refused(POOLGEN_FOREIGN, "not a block of this pool"));
	return NULL;
}

static void in_threads(int n, void *(*run)(void *)) {
	pthread_t threads[64];
	for (int i = 0; i < n; i++) {
		pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i);
	}
	for (int i = 0; i < n; i++) {
		pthread_join(threads[i], NULL);
	}
}

static const char *what;
static long pairs;

// measure makes pairs of calls: an allocation and its free, or two calls that do nothing.
static void *measure(void *arg) {
	(void)arg;
	for (long i = 0; i < pairs; i++) {
		if (what[0] == 'n') {
			torchNothing(256), torchNothing(256);
		} else if (what[0] == 's') {
			scratch_free(scratch_alloc(256), 256);
		} else {
			tensor_free(tensor_alloc(1 << 20, 0, streams[0][0]), 1 << 20, 0, streams[0][0]);
		}
	}
	return NULL;
}

int main(int argc, char **argv) {
	simMachine();
	for (int i = 0; i < 8; i++) {
		streams[i % 2][i / 2] = (void *)simStream(i % 2);
		CHECK(streams[i % 2][i / 2] != NULL);
	}
	if (argc == 5) {
		what = argv[2], pairs = 1000;
		measure(NULL); // warm
		pairs = atol(argv[3]);
		struct timespec a, b;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
		in_threads(atoi(argv[4]), measure);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
		printf("%.1f\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / pairs / atoi(argv[4]));
		return failures != 0;
	}
	mistakes();
	host();
	in_threads(8, work);
	for (int device = 0; device < 2; device++) {
		CHECK(figures(device).live == 0 && figures(device).allocs == figures(device).frees);
		tensor_trim(device, 0);
		CHECK(figures(device).reserved == 0);
	}
	CHECK(scratch_trim(0) > 0);
	if (failures == 0) {
		puts("ok");
	}
	return failures != 0;
}
