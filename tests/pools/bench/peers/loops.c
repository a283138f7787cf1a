//go:build cgo && linux

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "loops.h"

// find returns the functions of an allocator, those of the program itself if no library is named.
int find(const char *library, const char *take, const char *give, allocator *a) {
	void *h = library ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : RTLD_DEFAULT;
	if (library && !h)
		return 0;
	a->take = (void *(*)(unsigned long))dlsym(h, take);
	a->give = (void (*)(void *))dlsym(h, give);
	return a->take && a->give;
}

long pairs(allocator a, long size, long n) {
	for (long i = 0; i < n; i++)
		a.give(a.take(size));
	return n;
}

static step next(churner *c) {
	step s = c->steps[c->at];
	if (++c->at == c->count)
		c->at = 0;
	return s;
}

static block taken(allocator a, unsigned long size) { return (block){a.take(size), size, size}; }

long churn(churner *c, long n) {
	if (!c->blocks) {
		c->blocks = calloc(c->live, sizeof(block));
		for (long i = 0; i < c->live; i++)
			c->blocks[i] = taken(c->a, c->steps[i].size);
	}
	for (long i = 0; i < n; i++) {
		step s = next(c);
		c->a.give(c->blocks[s.slot].at);
		c->blocks[s.slot] = taken(c->a, s.size);
	}
	return n;
}

void end_churn(churner *c) {
	for (long i = 0; c->blocks && i < c->live; i++)
		c->a.give(c->blocks[i].at);
	free(c->blocks);
}

enum { letters = 512 };

// The counterpart of the mailbox in Go: the fields of each side are in separate cache lines.
struct mailbox {
	void *slots[letters];
	char gap0[128];
	struct { unsigned long at, taken; char gap[112]; } put;
	struct { unsigned long at, put; char gap[112]; } take;
	atomic_ulong sent;
	char gap1[120];
	atomic_ulong received;
	char gap2[120];
};

mailbox *new_mailbox(void) { return calloc(1, sizeof(mailbox)); }

static int room(mailbox *m) {
	if (m->put.at - m->put.taken < letters)
		return 1;
	m->put.taken = atomic_load_explicit(&m->received, memory_order_acquire);
	return m->put.at - m->put.taken < letters;
}

static void *receive(mailbox *m) {
	if (m->take.at == m->take.put) {
		m->take.put = atomic_load_explicit(&m->sent, memory_order_acquire);
		if (m->take.at == m->take.put)
			return 0;
	}
	void *p = m->slots[m->take.at % letters];
	atomic_store_explicit(&m->received, ++m->take.at, memory_order_release);
	return p;
}

long send_on(sender *s, long size, long n) {
	long done = 0;
	for (long i = 0; i < n; i++) {
		if (room(s->out)) {
			mailbox *m = s->out;
			m->slots[m->put.at % letters] = s->c.a.take(s->c.steps ? next(&s->c).size : size);
			atomic_store_explicit(&m->sent, ++m->put.at, memory_order_release);
			done++;
		}
		void *p = receive(s->in);
		if (p)
			s->c.a.give(p);
	}
	return done;
}

void end_send(sender *s) {
	for (void *p = receive(s->in); p; p = receive(s->in))
		s->c.a.give(p);
	free(s->in);
}
