package facade

import (
	"fmt"
	"reflect"
	"strings"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// cgoPreamble is the part of the file of Go that C sees.
const cgoPreamble = `// #include "poolgen.h"
// void poolgen_refused(int code, char *text);
import "C"

`

// exportsC is the beginning of the file of C. Errors are not in a variable of threads: the loader has little room for those of a library that it loads
// while the program runs.
const exportsC = `
#include "poolgen.h"
#include "_cgo_export.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The last error of a thread.
struct poolgen_error {
	int code;
	char text[2048];
};

static pthread_key_t poolgen_key;
static pthread_once_t poolgen_once = PTHREAD_ONCE_INIT;

static void poolgen_make_key(void) {
	pthread_key_create(&poolgen_key, free);
}

// poolgen_last returns the last error of the thread, NULL without memory.
static struct poolgen_error *poolgen_last(void) {
	pthread_once(&poolgen_once, poolgen_make_key);
	struct poolgen_error *last = pthread_getspecific(poolgen_key);
	if (last == NULL) {
		last = calloc(1, sizeof *last);
		pthread_setspecific(poolgen_key, last);
	}
	return last;
}

// poolgen_refused notes an error of the thread. Go calls it.
void poolgen_refused(int code, char *text) {
	struct poolgen_error *last = poolgen_last();
	if (last != NULL) {
		last->code = code;
		strncpy(last->text, text, sizeof last->text - 1);
	}
}

static const char *poolgen_error_of_thread(int *code) {
	struct poolgen_error *last = poolgen_last();
	if (code != NULL) {
		*code = last == NULL ? POOLGEN_OUT_OF_MEMORY : last->code;
	}
	return last == NULL ? "no memory for an error" : last->text;
}
`

// exportsGo is what all pools use in the file of Go.
func exportsGo(driver bool) string {
	text := `
// poolgenCode returns the code of an error, and notes the error for the calling thread.
func poolgenCode(err error) int32 {
	if err == nil {
		return 0
	}
	code, text := poolimpl.ExportError(err)
	C.poolgen_refused(C.int(code), (*C.char)(unsafe.Pointer(unsafe.StringData(text))))
	return code
}

func poolgenFigures(out *C.poolgen_stats, s poolrt.Stats) int32 {
	if out == nil {
		return poolgenCode(poolimpl.ErrExportNull)
	}
	*out = C.poolgen_stats{
`
	for _, f := range figures() {
		text += fmt.Sprintf("%s: C.int64_t(s.%s),\n", f.c, f.name)
	}
	text += "}\nreturn 0\n}\n"
	if driver {
		text += `
func poolgenDriverFigures(out *C.poolgen_driver_stats, s cuda.MemPoolStats) int32 {
	if out == nil {
		return poolgenCode(poolimpl.ErrExportNull)
	}
	*out = C.poolgen_driver_stats{C.int64_t(s.Reserved), C.int64_t(s.ReservedHigh), C.int64_t(s.Used), C.int64_t(s.UsedHigh)}
	return 0
}
`
	}
	return text
}

// exportsHeader is the beginning of the header: what all pools have in common. The headers of two libraries may be included together.
func exportsHeader(driver bool) string {
	var b strings.Builder
	b.WriteString(`
// Functions of pools, in a shared library that go build -buildmode=c-shared makes of this package.
//
// Any thread may call any function. A function that fails notes a code and a text for the calling thread, which
// the functions with _error return until the next error of the thread: success does not change them.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef POOLGEN_OK
#define POOLGEN_OK 0
`)
	for i, c := range poolimpl.ExportCodes() {
		fmt.Fprintf(&b, "#define POOLGEN_%s %d // %s\n", c.Name, i+1, c.Doc)
	}
	b.WriteString("\n// Figures of a pool.\ntypedef struct poolgen_stats {\n")
	for _, f := range figures() {
		fmt.Fprintf(&b, "\tint64_t %s; // %s\n", f.c, f.help)
	}
	b.WriteString("} poolgen_stats;\n#endif\n")
	if driver {
		b.WriteString(`
#ifndef POOLGEN_DRIVER_STATS
#define POOLGEN_DRIVER_STATS
// Figures of a memory pool of the driver.
typedef struct poolgen_driver_stats {
	int64_t reserved, reserved_high; // bytes that it has, and the peak
	int64_t used, used_high; // bytes that are in use, and the peak
} poolgen_driver_stats;
#endif
`)
	}
	return b.String()
}

// figure is a field of poolrt.Stats.
type figure struct{ name, c, help string }

// figures lists the fields of poolrt.Stats, with what poolrt.Metrics says about each.
func figures() (list []figure) {
	of := reflect.TypeFor[poolrt.Stats]()
	for i := range of.NumField() {
		var s poolrt.Stats
		reflect.ValueOf(&s).Elem().Field(i).SetInt(1)
		f := figure{name: of.Field(i).Name}
		f.c, _, _ = strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if f.c == "private" { // a word of C++
			f.c = "private_bytes"
		}
		for _, m := range poolrt.Metrics() {
			if m.Value(&s) == 1 {
				f.help = strings.TrimSuffix(m.Help, ".")
			}
		}
		list = append(list, f)
	}
	return list
}
