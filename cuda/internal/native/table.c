// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64)

// Finding the driver's library and the functions in it.

#define _GNU_SOURCE
#include "table.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct poolgen_table poolgen_driver;

struct entry {
	const char *name, *symbol;
	int need;
	size_t at;
};

static const struct entry entries[] = {
#define ENTRY(name, symbol, need, params) {#name, symbol, need, offsetof(struct poolgen_table, name)},
	POOLGEN_FUNCTIONS(ENTRY)
#undef ENTRY
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static void **slot(const struct entry *e) { return (void **)((char *)&poolgen_driver + e->at); }

// say copies a text, truncated to its buffer.
static void say(char *to, size_t space, const char *text) { snprintf(to, space, "%s", text ? text : ""); }

static void clear(void) { memset(&poolgen_driver, 0, sizeof poolgen_driver); }

// resolve finds all functions, or names the first required one that is missing.
static const char *resolve(void *library) {
	for (int i = 0; i < ENTRIES; i++) {
		void *f = dlsym(library, entries[i].symbol);
		if (!f && entries[i].need == REQUIRED) return entries[i].symbol;
		*slot(&entries[i]) = f;
	}
	return 0;
}

// poolgen_load opens one library, resolves the functions and initialises the driver. The library stays open even after a failure
// of cuInit, because it may have started threads.
void poolgen_load(const char *path, struct poolgen_outcome *o) {
	memset(o, 0, sizeof *o);
	say(o->path, sizeof o->path, path);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		o->result = NO_LIBRARY;
		say(o->message, sizeof o->message, dlerror());
		return;
	}
	const char *missing = resolve(library);
	if (missing) {
		o->result = NO_FUNCTION;
		say(o->message, sizeof o->message, missing);
		clear();
		return;
	}
	Dl_info where;
	if (dladdr((void *)poolgen_driver.cuInit, &where) && where.dli_fname) say(o->path, sizeof o->path, where.dli_fname);
	o->result = poolgen_driver.cuInit(0);
	if (o->result) {
		const char *text = 0;
		if (!poolgen_driver.cuGetErrorString(o->result, &text)) say(o->message, sizeof o->message, text);
		clear();
	}
}

// poolgen_has reports whether the library has a function, by our name for it.
int poolgen_has(const char *name) {
	for (int i = 0; i < ENTRIES; i++)
		if (!strcmp(entries[i].name, name)) return *slot(&entries[i]) != 0;
	return 0;
}
