//go:build cudasim

package sharing

import (
	"maps"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/runtime"
)

// lengths are those of the blocks that are shared, in items.
var lengths = []int{1, 100, 1000, 60, 500, 2000 - 17}

// The pool of a process is imported in the same process: both see what the other writes, whatever the pool is made of.
func TestShare(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		t.Run(name, func(t *testing.T) {
			machine(t, sim.Config{Devices: 2, Granularity: 2 << 20})
			here := poolOf(subjects[name].fresh())
			f := must(here.export())
			there := poolOf(must(subjects[name].open(f)))
			check(t, "close file", f.Close())
			theirs := map[any]any{}
			for i, n := range lengths {
				b := must(here.alloc(n))
				check(t, "fill", fill(b, byte(i+1)))
				s := must(here.share(b))
				if again := must(here.share(b)); again != s {
					t.Error("another description of one block")
				}
				o := must(there.call("Open", s))
				if at, _ := place(o); !holds(o, byte(i+1)) {
					t.Errorf("block %d holds something else at %#x", i, at)
				}
				if _, n := place(b); n != second2(place(o)) || s.Bytes() != n {
					t.Errorf("block %d has another length", i)
				}
				refused(t, "open twice", second(there.call("Open", s)), runtime.ErrLive)
				check(t, "fill", fill(o, byte(100+i)))
				if !holds(b, byte(100+i)) {
					t.Errorf("block %d: what the importer writes does not arrive", i)
				}
				theirs[b] = o
			}
			if s := there.stats(); s.Live != int64(len(lengths)) || s.LiveBytes > s.Reserved {
				t.Errorf("the importer has %+v", s)
			}
			if there.has("Free") {
				refused(t, "close", there.do("Close"), runtime.ErrLive)
			}
			for b, o := range theirs {
				back(t, there, o)
				back(t, here, b)
			}
			if s := there.stats(); there.has("Free") && (s.Live != 0 || s.Reserved != 0 || s.Allocs != int64(len(lengths))) {
				t.Errorf("all freed, and the importer has %+v", s)
			}
			if n := must(here.call("Trim", int64(0))).(int64); n != 0 {
				t.Errorf("%d bytes were given back that an importer may use", n)
			}
			check(t, "close", there.do("Close"))
			check(t, "close", here.do("Close"))
			check(t, "close", there.do("Close"))
		})
	}
}

func second2[A, B any](_ A, b B) B { return b }

// back frees a block, where that can be done, twice.
func back(t *testing.T, p pool, block any) {
	t.Helper()
	if !p.has("Free") {
		return
	}
	check(t, "free", p.do("Free", block))
	refused(t, "free twice", p.do("Free", block), runtime.ErrInvalidFree)
}

// Blocks of an imported pool are freed on streams like any others, and can be opened again when the stream has passed.
func TestFreeOnStreams(t *testing.T) {
	for _, name := range []string{"Row", "VirtualRow", "Cell", "VirtualCell"} {
		machine(t, sim.Config{})
		here := poolOf(subjects[name].fresh())
		f := must(here.export())
		there := poolOf(must(subjects[name].open(f)))
		s := must(cuda.Device(0).NewStream(cuda.NonBlocking))
		b := must(here.alloc(10))
		token := must(here.share(b))
		for range 20 {
			o := must(there.call("Open", token))
			at, n := place(o)
			check(t, "work", cuda.MemsetAsync(at, 7, n, s))
			check(t, "free on", there.do("FreeOn", o, s))
			refused(t, "free twice", there.do("Free", o), runtime.ErrDoubleFree)
			for there.stats().Pending > 0 {
				there.MethodByName("Poll").Call(nil)
			}
		}
		o := must(there.call("Open", token))
		check(t, "free async", there.do("FreeAsync", o, s))
		check(t, "close", there.do("Close"))
		if !holds(b, 7) {
			t.Error("the stream was not waited for")
		}
		check(t, "free", here.do("Free", b))
		check(t, "close", here.do("Close"))
		check(t, "close", f.Close())
		check(t, "close", s.Close())
	}
}

// Each importer has a file, and gets what was shared before it was there.
func TestImporters(t *testing.T) {
	for name, n := range map[string]int{"Row": 1800, "VirtualRow": 60_000} { // items of most of a chunk
		machine(t, sim.Config{})
		here := poolOf(subjects[name].fresh())
		b := must(here.alloc(1000))
		token := must(here.share(b))
		check(t, "fill", fill(b, 3))
		var pools []pool
		for range 3 {
			f := must(here.export())
			p := poolOf(must(subjects[name].open(f)))
			check(t, "close file", f.Close())
			pools = append(pools, p)
			if o := must(p.call("Open", token)); !holds(o, 3) {
				t.Error("it holds something else")
			}
			c := must(here.alloc(n)) // another chunk for all that are there
			check(t, "fill", fill(c, 4))
			more := must(here.share(c))
			for _, p := range pools {
				if o := must(p.call("Open", more)); !holds(o, 4) {
					t.Error("it holds something else")
				}
			}
		}
		check(t, "close", pools[0].do("CloseForce"))
		must(here.share(must(here.alloc(n))))
		for _, p := range pools[1:] {
			check(t, "close", p.do("CloseForce"))
		}
		check(t, "close", here.do("CloseForce"))
	}
}

// What nobody could know of goes back; what was shared stays.
func TestChunksStay(t *testing.T) {
	machine(t, sim.Config{})
	p := new(DirectPool)
	a, b := must(p.Alloc(10_000)), must(p.Alloc(20_000))
	must(p.Share(a))
	check(t, "free", p.Free(a))
	check(t, "free", p.Free(b))
	if s := p.Stats(); s.Reserved != 10_240 || s.Live != 0 {
		t.Errorf("%+v", s)
	}
	refused(t, "limit", p.SetLimit(0), runtime.ErrLive)
	if c := must(p.Alloc(9_000)); c.Addr() != a.Addr() {
		t.Error("the chunk that stays is not used again")
	}
	check(t, "close", p.CloseForce())

	q := new(SpillPool)
	x, y := must(q.Alloc(10_000)), must(q.Alloc(30_000)) // the second one straight from the driver
	must(q.Share(y))
	check(t, "free", q.Free(y))
	refused(t, "free twice", q.Free(y), runtime.ErrDoubleFree)
	refused(t, "share what is free", second(q.Share(y)), runtime.ErrDoubleFree)
	if s := q.Stats(); s.Live != 1 || s.Reserved != 16<<10+30_208 {
		t.Errorf("%+v", s)
	}
	z := must(q.Alloc(30_000)) // from the other pool
	refused(t, "share what is lent", second(q.Share(z)), runtime.ErrUnsupported)
	check(t, "free", q.Free(z))
	check(t, "free", q.Free(x))
	must(q.Trim(0))
	if s := q.Stats(); s.Reserved != 30_208 {
		t.Errorf("%+v", s)
	}
	check(t, "close", q.Close())
	check(t, "close", DefaultRow8Pool().Close())
}
