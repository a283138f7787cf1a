//go:build cudasim

package sharing

import (
	"maps"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// lengths are the lengths of the shared blocks, in items.
var lengths = []int{1, 100, 1000, 60, 500, 2000 - 17}

// A pool is imported in its own process: each side reads what the other writes, with every allocator.
func TestShare(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		t.Run(name, func(t *testing.T) {
			machine(t, sim.Config{Devices: 2, Granularity: 2 << 20})
			here := poolOf(subjects[name].fresh())
			f := rig.Must(here.export())
			there := poolOf(rig.Must(subjects[name].open(f)))
			rig.Check(t, "close file", f.Close())
			theirs := map[any]any{}
			for i, n := range lengths {
				b := rig.Must(here.alloc(n))
				rig.Check(t, "fill", fill(b, byte(i+1)))
				s := rig.Must(here.share(b))
				if again := rig.Must(here.share(b)); again != s {
					t.Error("a block has two descriptions")
				}
				o := rig.Must(there.call("Open", s))
				if at, _ := place(o); !holds(o, byte(i+1)) {
					t.Errorf("block %d has other contents at %#x", i, at)
				}
				if _, n := place(b); n != second2(place(o)) || s.Bytes() != n {
					t.Errorf("block %d has another length", i)
				}
				rig.Refused(t, "open twice", rig.Second(there.call("Open", s)), poolrt.ErrLive)
				rig.Check(t, "fill", fill(o, byte(100+i)))
				if !holds(b, byte(100+i)) {
					t.Errorf("block %d does not have what the importer wrote", i)
				}
				theirs[b] = o
			}
			if s := there.stats(); s.Live != int64(len(lengths)) || s.LiveBytes > s.Reserved {
				t.Errorf("the importer has %+v", s)
			}
			if there.has("Free") {
				rig.Refused(t, "close", there.do("Close"), poolrt.ErrLive)
			}
			for b, o := range theirs {
				back(t, there, o)
				back(t, here, b)
			}
			if s := there.stats(); there.has("Free") && (s.Live != 0 || s.Reserved != 0 || s.Allocs != int64(len(lengths))) {
				t.Errorf("all blocks are freed, the importer has %+v", s)
			}
			if n := rig.Must(here.call("Trim", int64(0))).(int64); n != 0 {
				t.Errorf("%d bytes that an importer may use were released", n)
			}
			rig.Check(t, "close", there.do("Close"))
			rig.Check(t, "close", here.do("Close"))
			rig.Check(t, "close", there.do("Close"))
		})
	}
}

func second2[A, B any](_ A, b B) B { return b }

// back frees a block twice, if blocks are freed one by one. The second free must be refused.
func back(t *testing.T, p pool, block any) {
	t.Helper()
	if !p.has("Free") {
		return
	}
	rig.Check(t, "free", p.do("Free", block))
	rig.Refused(t, "free twice", p.do("Free", block), poolrt.ErrInvalidFree)
}

// Blocks of an imported pool can be freed on streams, and opened again when the stream has passed the free.
func TestFreeOnStreams(t *testing.T) {
	for _, name := range []string{"Row", "VirtualRow", "Cell", "VirtualCell"} {
		machine(t, sim.Config{})
		here := poolOf(subjects[name].fresh())
		f := rig.Must(here.export())
		there := poolOf(rig.Must(subjects[name].open(f)))
		s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
		b := rig.Must(here.alloc(10))
		token := rig.Must(here.share(b))
		for range 20 {
			o := rig.Must(there.call("Open", token))
			at, n := place(o)
			rig.Check(t, "work", cuda.MemsetAsync(at, 7, n, s))
			rig.Check(t, "free on", there.do("FreeOn", o, s))
			rig.Refused(t, "free twice", there.do("Free", o), poolrt.ErrDoubleFree)
			for there.stats().Pending > 0 {
				there.MethodByName("Poll").Call(nil)
			}
		}
		o := rig.Must(there.call("Open", token))
		rig.Check(t, "free async", there.do("FreeAsync", o, s))
		rig.Check(t, "close", there.do("Close"))
		if !holds(b, 7) {
			t.Error("Close did not wait for the stream")
		}
		rig.Check(t, "free", here.do("Free", b))
		rig.Check(t, "close", here.do("Close"))
		rig.Check(t, "close", f.Close())
		rig.Check(t, "close", s.Close())
	}
}

// Each importer has a file, and gets the blocks that were shared before it was imported.
func TestImporters(t *testing.T) {
	for name, n := range map[string]int{"Row": 1800, "VirtualRow": 60_000} { // items of most of a chunk
		machine(t, sim.Config{})
		here := poolOf(subjects[name].fresh())
		b := rig.Must(here.alloc(1000))
		token := rig.Must(here.share(b))
		rig.Check(t, "fill", fill(b, 3))
		var pools []pool
		for range 3 {
			f := rig.Must(here.export())
			p := poolOf(rig.Must(subjects[name].open(f)))
			rig.Check(t, "close file", f.Close())
			pools = append(pools, p)
			if o := rig.Must(p.call("Open", token)); !holds(o, 3) {
				t.Error("it holds something else")
			}
			c := rig.Must(here.alloc(n)) // a new chunk for all importers
			rig.Check(t, "fill", fill(c, 4))
			more := rig.Must(here.share(c))
			for _, p := range pools {
				if o := rig.Must(p.call("Open", more)); !holds(o, 4) {
					t.Error("it holds something else")
				}
			}
		}
		rig.Check(t, "close", pools[0].do("CloseForce"))
		rig.Must(here.share(rig.Must(here.alloc(n))))
		for _, p := range pools[1:] {
			rig.Check(t, "close", p.do("CloseForce"))
		}
		rig.Check(t, "close", here.do("CloseForce"))
	}
}

// Memory that was never shared is returned; shared memory stays.
func TestChunksStay(t *testing.T) {
	machine(t, sim.Config{})
	p := new(DirectPool)
	a, b := rig.Must(p.Alloc(10_000)), rig.Must(p.Alloc(20_000))
	rig.Must(p.Share(a))
	rig.Check(t, "free", p.Free(a))
	rig.Check(t, "free", p.Free(b))
	if s := p.Stats(); s.Reserved != 10_240 || s.Live != 0 {
		t.Errorf("%+v", s)
	}
	rig.Refused(t, "limit", p.SetLimit(0), poolrt.ErrLive)
	if c := rig.Must(p.Alloc(9_000)); c.Addr() != a.Addr() {
		t.Error("the chunk that stays is not used again")
	}
	rig.Check(t, "close", p.CloseForce())

	q := new(SpillPool)
	x, y := rig.Must(q.Alloc(10_000)), rig.Must(q.Alloc(30_000)) // the second one directly from the driver
	rig.Must(q.Share(y))
	rig.Check(t, "free", q.Free(y))
	rig.Refused(t, "free twice", q.Free(y), poolrt.ErrDoubleFree)
	rig.Refused(t, "share what is free", rig.Second(q.Share(y)), poolrt.ErrDoubleFree)
	if s := q.Stats(); s.Live != 1 || s.Reserved != 16<<10+30_208 {
		t.Errorf("%+v", s)
	}
	z := rig.Must(q.Alloc(30_000)) // from the other pool
	rig.Refused(t, "share a borrowed block", rig.Second(q.Share(z)), poolrt.ErrUnsupported)
	rig.Check(t, "free", q.Free(z))
	rig.Check(t, "free", q.Free(x))
	rig.Must(q.Trim(0))
	if s := q.Stats(); s.Reserved != 30_208 {
		t.Errorf("%+v", s)
	}
	rig.Check(t, "close", q.Close())
	rig.Check(t, "close", DefaultRow8Pool().Close())
}
