// SPDX-License-Identifier: Apache-2.0

// A libnccl.so.2 for tests: it checks that arguments come as NCCL declares them, and answers what can be checked. Its handles are numbers.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct { char bytes[128]; } id;
typedef void *handle;

enum { OK = 0, WRONG = 4 };
#define WANT(is) return (is) ? OK : WRONG
#define COMM ((handle)0x1234567890)
#define STREAM ((handle)0x77)
#define SRC ((const void *)0x1000000010)
#define DST ((void *)0x2000000020)
#define COUNT ((size_t)5000000000)

int ncclGetVersion(int *v) { *v = 22809; return OK; }
const char *ncclGetErrorString(int code) { return code == WRONG ? "invalid argument" : "other"; }
const char *ncclGetLastError(handle comm) { return comm ? "a communicator" : "last"; }
int ncclGetUniqueId(id *to) { memset(to, 7, sizeof *to); return OK; }

#ifndef OLD
int ncclCommInitRankScalable(handle *comm, int ranks, int rank, int ids, id *all, void *config) {
	for (size_t i = 0; i < sizeof all->bytes; i++)
		if (all->bytes[i] != 7) return WRONG;
	*comm = COMM;
	WANT(ranks == 3 && rank == 2 && ids == 1 && !config);
}
#endif

int ncclCommDestroy(handle c) { WANT(c == COMM); }
int ncclCommAbort(handle c) { WANT(c == COMM); }
int ncclCommGetAsyncError(handle c, int *code) { *code = 6; WANT(c == COMM); }
int ncclCommCount(handle c, int *n) { *n = 3; WANT(c == COMM); }
int ncclCommUserRank(handle c, int *n) { *n = 2; WANT(c == COMM); }
int ncclCommCuDevice(handle c, int *n) { *n = 1; WANT(c == COMM); }
int ncclCommRegister(handle c, void *p, size_t n, handle *h) { *h = STREAM; WANT(c == COMM && p == DST && n == COUNT); }
int ncclCommDeregister(handle c, handle h) { WANT(c == COMM && h == STREAM); }
int ncclGroupStart(void) { return OK; }
int ncclGroupEnd(void) { return OK; }

int ncclAllReduce(const void *s, void *d, size_t n, int type, int op, handle c, handle st) {
	WANT(s == SRC && d == DST && n == COUNT && type == 7 && op == 4 && c == COMM && st == STREAM);
}
int ncclReduceScatter(const void *s, void *d, size_t n, int type, int op, handle c, handle st) {
	WANT(s == SRC && d == DST && n == COUNT && type == 7 && op == 4 && c == COMM && st == STREAM);
}
int ncclAllGather(const void *s, void *d, size_t n, int type, handle c, handle st) {
	WANT(s == SRC && d == DST && n == COUNT && type == 7 && c == COMM && st == STREAM);
}
int ncclBroadcast(const void *s, void *d, size_t n, int type, int root, handle c, handle st) {
	WANT(s == SRC && d == DST && n == COUNT && type == 7 && root == 1 && c == COMM && st == STREAM);
}
int ncclSend(const void *s, size_t n, int type, int peer, handle c, handle st) {
	WANT(s == SRC && n == COUNT && type == 7 && peer == 1 && c == COMM && st == STREAM);
}
int ncclRecv(void *d, size_t n, int type, int peer, handle c, handle st) {
	WANT(d == DST && n == COUNT && type == 7 && peer == 1 && c == COMM && st == STREAM);
}
