//go:build pooldebug && cudasim

package debugging

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// stray is a write of a stream beside a block, which a pool that is no longer watched would not be told of.
func stray(t *testing.T, at cuda.DevicePtr, value byte, s cuda.Stream) {
	t.Helper()
	rig.Check(t, "write", cuda.MemsetAsync(at, value, 1, s))
}

// A write of a stream outside of a block is found by Poll once the stream has passed the free. No call waits for the stream before.
func TestStreamWritesBesideTheBlock(t *testing.T) {
	eachStreamed(t, 0, func(t *testing.T, p streamed) {
		found := corruptions(t)
		s := rig.Stream(t, 0)
		first := rig.Must(p.allocOn(s))
		before := waits()
		b := rig.Must(p.allocOn(s))
		stray(t, b.Addr+size, 0x11, s)
		stray(t, b.Addr-1, 0x12, s)
		rig.Check(t, "free", p.FreeOn(b, s))
		if n := waits() - before; n > 0 && !p.late() {
			t.Errorf("%d waits", n)
		}
		p.pool.Poll()
		if *found != 0 {
			t.Error("the stream has not passed the free")
		}
		sim.RunAll()
		p.pool.Poll()
		if *found != 1 {
			t.Errorf("%d events", *found)
		}
		rig.Check(t, "free", p.FreeOn(first, s))
		tells(t, is(t, p.pool.Close(), poolrt.ErrCorrupt), "1 byte behind the block was written to, from its byte 40 on: 11", "1 byte in front of the block", ": 12\n", "handed out", "freed", "TestStreamWritesBesideTheBlock")
	})
}

// Close waits for the streams and reports writes outside of blocks.
func TestStreamWriteAtClose(t *testing.T) {
	eachStreamed(t, 0, func(t *testing.T, p streamed) {
		s := rig.Stream(t, 0)
		b := rig.Must(p.allocOn(s))
		stray(t, b.Addr+size+30, 0x11, s)
		rig.Check(t, "free", p.FreeOn(b, s))
		tells(t, is(t, p.pool.Close(), poolrt.ErrCorrupt), "from its byte 70 on: 11")
	})
}

// A block that its stream reuses is a new block, even if the stream has not passed the free: damage from before is reported of the earlier block.
func TestStreamWriteBeforeReuse(t *testing.T) {
	eachStreamed(t, 0, func(t *testing.T, p streamed) {
		if p.late() {
			t.Skip("blocks are not allocated on streams")
		}
		found := corruptions(t)
		s := rig.Stream(t, 0)
		b := rig.Must(p.allocOn(s))
		stray(t, b.Addr+size, 0x11, s)
		rig.Check(t, "free", p.FreeOn(b, s))
		again := rig.Must(p.allocOn(s))
		if again.Addr != b.Addr {
			t.Error("the stream got another block")
		}
		rig.Check(t, "free", p.FreeOn(again, s))
		is(t, p.pool.Close(), poolrt.ErrCorrupt)
		if *found != 1 {
			t.Errorf("%d events", *found)
		}
	})
}

// read returns the contents of a block in the order of a stream.
func read(t *testing.T, b rig.Block, s cuda.Stream) []byte {
	t.Helper()
	got := make([]byte, size)
	rig.Check(t, "read", cuda.CopyToHostAsync(got, b.Addr, s))
	return got
}

func TestStreamPoison(t *testing.T) {
	for _, p := range streams() {
		t.Run(p.name, func(t *testing.T) {
			sim.Reset(sim.Config{Devices: 1}) // without the hazard checker, which would report the read of a free block
			poison(t, p)
		})
	}
}

func poison(t *testing.T, p streamed) {
	s := rig.Stream(t, 0)
	for range 2 {
		b := rig.Must(p.allocOn(s))
		if got := read(t, b, s); !bytes.Equal(got, bytes.Repeat([]byte{0xCD}, size)) {
			t.Errorf("a new block holds % x", got)
		}
		rig.Check(t, "write", cuda.MemsetAsync(b.Addr, 1, size, s))
		rig.Check(t, "free", p.FreeOn(b, s))
		if got := read(t, b, s); !bytes.Equal(got, bytes.Repeat([]byte{0xDD}, size)) {
			t.Errorf("a free block holds % x", got)
		}
		p.pool.Poll()
		p.pool.Poll()
	}
	rig.Check(t, "close", p.pool.Close())
}

// A block that was never used may be freed at once, or on another stream: no stream gets it before the stream that fills it has passed the fill.
func TestStreamThatFillsLate(t *testing.T) {
	for _, how := range []string{"free", "free on another stream"} {
		t.Run(how, func(t *testing.T) {
			eachStreamed(t, 0, func(t *testing.T, p streamed) {
				if p.late() {
					t.Skip("blocks are not allocated on streams")
				}
				s, other := rig.Stream(t, 0), rig.Stream(t, 0)
				before := waits()
				b := rig.Must(p.allocOn(s))
				if how == "free" {
					rig.Check(t, "free", p.Free(b))
				} else {
					rig.Check(t, "free", p.FreeOn(b, other))
					rig.Check(t, "run", sim.Run(other)) // and the work that it waits for
					p.pool.Poll()
					p.pool.Poll()
				}
				if waits() != before {
					t.Error("the host waited")
				}
				next := rig.Must(p.alloc())
				rig.Check(t, "write", cuda.MemsetAsync(next.Addr, 7, size, other))
				rig.Check(t, "wait", other.Synchronize())
				sim.RunAll()
				if got := read(t, next, other); !bytes.Equal(got, bytes.Repeat([]byte{7}, size)) {
					t.Errorf("the block of another owner was filled: % x", got)
				}
				rig.Check(t, "free", p.Free(next))
				if s := p.pool.Stats(); s.Live != 0 {
					t.Errorf("%+v", s)
				}
				rig.Check(t, "close", p.pool.Close())
			})
		})
	}
}

// Streams that were destroyed, or are being captured by another binding, get no work, and no memory is left at the end.
func TestStreamThatTakesNothing(t *testing.T) {
	eachStreamed(t, 0, func(t *testing.T, p streamed) {
		s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
		b, c, d := rig.Must(p.allocOn(s)), rig.Must(p.allocOn(s)), rig.Must(p.allocOn(s))
		rig.Check(t, "capture", sim.BeginCapture(s))
		fills := sim.Calls("cuMemsetD8Async")
		rig.Check(t, "free", p.FreeOn(b, s))
		rig.Check(t, "free", p.Free(c))
		if !p.late() {
			_ = rig.Must(p.allocOn(s))
		}
		if n := sim.Calls("cuMemsetD8Async") - fills; n > 0 && p.name[0] != 'd' { // in device memory, Free fills on the pool's own stream
			t.Errorf("%d fills", n)
		}
		rig.Check(t, "end of the capture", sim.EndCapture(s))
		rig.Check(t, "close", s.Close())
		rig.Check(t, "free", p.FreeOn(d, s))
		rig.Check(t, "close", p.pool.CloseForce())
	})
}

// A correct program gets no reports, and its blocks keep their contents, in any order of streams and frees.
func TestStreamSilence(t *testing.T) {
	for seed := range uint64(5) {
		eachStreamed(t, seed+1, func(t *testing.T, p streamed) {
			harmless(t, p, rand.New(rand.NewPCG(seed, 8)))
			rig.Check(t, "close", p.pool.Close())
		})
	}
}

// owned is a block that a stream uses.
type owned struct {
	rig.Block
	on    cuda.Stream
	value byte
	used  bool
}

// harmless runs a random program that is correct.
func harmless(t *testing.T, p streamed, r *rand.Rand) {
	streams := []cuda.Stream{rig.Stream(t, 0), rig.Stream(t, 0), rig.Stream(t, 0)}
	var blocks []owned
	for i := range 400 {
		s := streams[r.IntN(3)]
		switch k := r.IntN(5); {
		case k < 2 && len(blocks) < 60:
			o := owned{on: s, value: byte(i), used: r.IntN(4) > 0}
			if k == 0 {
				o.Block = rig.Must(p.alloc())
			} else {
				o.Block = rig.Must(p.allocOn(s))
			}
			if o.used {
				rig.Check(t, "write", cuda.MemsetAsync(o.Addr, o.value, size, s))
			}
			blocks = append(blocks, o)
		case k < 4 && len(blocks) > 0:
			at := r.IntN(len(blocks))
			o := blocks[at]
			blocks = append(blocks[:at], blocks[at+1:]...)
			end(t, p, o, streams[r.IntN(3)], r.IntN(2) == 0)
		default:
			p.pool.Poll()
		}
	}
	for _, o := range blocks {
		end(t, p, o, o.on, true)
	}
}

// end checks the contents of a block, and frees it: on its stream, or at once. A block that was not used may be freed on any stream.
func end(t *testing.T, p streamed, o owned, other cuda.Stream, on bool) {
	switch {
	case !o.used && on:
		rig.Check(t, "free", p.FreeOn(o.Block, other))
	case !o.used:
		rig.Check(t, "free", p.Free(o.Block))
	default:
		if got := read(t, o.Block, o.on); !bytes.Equal(got, bytes.Repeat([]byte{o.value}, size)) { // waits for the stream
			t.Fatalf("a block holds % x, want %x", got, o.value)
		}
		if on {
			rig.Check(t, "write", cuda.MemsetAsync(o.Addr, 0, size, o.on))
			rig.Check(t, "free", p.FreeOn(o.Block, o.on))
		} else {
			rig.Check(t, "free", p.Free(o.Block))
		}
	}
}

// A free on a stream that was destroyed queues no work on a new stream with the same handle.
func TestStreamWithAnothersHandle(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1, Recycle: true})
	p := streams()[0]
	s := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
	b := rig.Must(p.allocOn(s))
	rig.Check(t, "close", s.Close())
	other := rig.Stream(t, 0)
	if other.Handle() != s.Handle() {
		t.Fatal("the new stream has another handle")
	}
	fills := sim.Calls("cuMemsetD8Async")
	rig.Check(t, "free", p.FreeOn(b, s))
	if n := sim.Calls("cuMemsetD8Async") - fills; n != 0 {
		t.Errorf("%d fills", n)
	}
	rig.Check(t, "close", p.pool.Close())
}

// The streams have completed their work before the memory is released.
func TestStreamFillsBeforeTheEnd(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	s := rig.Stream(t, 0)
	p := new(pools.ShareablePool) // the driver does not wait when it frees this memory
	_ = rig.Must(p.AllocOn(size, s))
	rig.Check(t, "close", p.CloseForce())
	rig.Check(t, "work", s.Synchronize())
}
