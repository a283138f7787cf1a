package property

import (
	"fmt"
	"strings"
)

// localTypes are declared in each generated package, next to its pools: types of all sizes, some with the names of variables,
// imports and declarations of the templates.
const localTypes = `package %s

import (
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"
)

type (
	Tiny     struct{ A byte }
	Odd      [3]byte
	Vec3     struct{ X, Y, Z float32 }
	Wide     struct {
		A uint64
		B byte
	}
	Huge     struct{ D [100_003]byte }
	Locked   struct{ M sync.Mutex } // must not be copied
	Counter  struct{ N atomic.Int64 }
	Complex  struct{ A [5]complex128 }
	Handle   uint32
	vertex   struct{ n int32 }
	pool     struct{ n int64 }
	core     struct{ n int16 }
	n        struct{ v [7]byte }
	p        struct{ v uint16 }
	r        [5]uint32
	s        struct{ v float64 }
	b        uint8
	c        uint16
	e        int32
	f        float32
	i        int8
	m        struct{ v [3]int16 }
	t        struct{ v uint32 }
	id       uint64
	ok       bool
	err      struct{ code int32 }
	ctx      struct{ v int64 }
	slot     uint32
	off      uint64
	addr     uintptr
	align    uint16
	block    [48]byte
	blocks   [96]byte
	bytes    uint32
	first    int64
	keep     int64
	options  uint8
	refs     [2]int32
	dst      uint16
	runtime_ uint32
	Ünit     struct{ v uint32 }
)

// mapPages and unmapPages are a custom allocator on top of the Go heap.
func mapPages(size, align int64) (unsafe.Pointer, error) {
	if size <= 0 || size > 1<<30 {
		return nil, errors.New("no memory of that size")
	}
	memory := make([]uint64, (size+align)/8+1)
	start := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	pad := -start & uintptr(align-1)
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(memory)), pad), nil
}

func unmapPages(unsafe.Pointer, int64) error { return nil }
`

// localItems are the types of localTypes, as items.
var localItems = strings.Fields(`Tiny Odd Vec3 Wide Huge Locked Counter Complex Handle vertex pool core n p r s b c e f i m t id ok err ctx slot off addr
	align block blocks bytes first keep options refs dst runtime_ Ünit [3]Vec3 [100]Odd [2]n`)

// wide lists the local types that may be larger than a size in a pool file.
var wide = map[string]int64{"Huge": 100_003, "[100]Odd": 300}

// plainItems are predeclared types and types made from them.
var plainItems = []string{
	"byte", "bool", "uint16", "rune", "float32", "uint64", "complex128", "int", "uint", "uintptr", "int8",
	"'[3]byte'", "'[24]byte'", "'[4]float32'", "'[4][4]float32'", "'[1]uint64'", "'[65544]byte'", "'[1000]uint16'", "'[3][5][7]int8'", "'[131072]float64'",
}

// foreign is a package that items come from: the directory it lies in, and its name. Most names clash with something of the output.
type foreign struct{ dir, name string }

var foreigns = []foreign{
	{"mesh", "mesh"}, {"runtime", "runtime"}, {"time", "time"}, {"unsafe_", "unsafe_"}, {"reflect", "reflect"}, {"math", "math"},
	{"bits", "bits"}, {"slices", "slices"}, {"errors", "errors"}, {"context", "context"}, {"p", "p"}, {"n", "n"}, {"r", "r"}, {"s", "s"},
	{"e", "e"}, {"c", "c"}, {"core", "core"}, {"item", "item"}, {"block", "block"}, {"blocks", "blocks"}, {"geometry-v2", "geometry"},
	{"deep/v2", "deep"}, {"options", "options"}, {"ctx", "ctx"}, {"dst", "dst"}, {"err", "err"}, {"slot", "slot"}, {"off", "off"},
	{"itemruntime", "itemruntime"}, {"max_", "max_"}, {"hostmem", "hostmem"}, {"locate", "locate"}, {"atomic", "atomic"},
}

// foreignTypes is the source of a foreign package.
func (f foreign) source() string {
	return fmt.Sprintf(`// Package %[1]s has types for items of pools in other packages.
package %[1]s

type Vertex struct {
	X, Y, Z float32
	ID      uint32
}

type Cell [5]byte

type Count uint64
`, f.name)
}

func (f foreign) path() string { return module + "/other/" + f.dir }

// anyItem draws an item, and adds its import to imports.
func anyItem(d draw, imports map[string]string) string {
	switch {
	case d.chance(35):
		return pick(d, plainItems...)
	case d.chance(60):
		return "'" + pick(d, localItems...) + "'"
	}
	f := pick(d, foreigns...)
	qualifier := f.name
	if d.chance(10) {
		qualifier = pick(d, "x", "runtime", "fmt", "v2", "pool", "item")
	}
	if path, ok := imports[qualifier]; ok && path != f.path() {
		qualifier = f.name
	}
	imports[qualifier] = f.path()
	return fmt.Sprintf("'%s%s.%s'", pick(d, "", "", "", "[3]", "[2][2]"), qualifier, pick(d, "Vertex", "Cell", "Count"))
}
