package poolimpl

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
)

// A stream can reuse the blocks that it freed at once, without a call of the driver: blocks of the same size, and at the limit of other sizes too.
func TestSameStreamReuse(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.Limit = 100; c.Ladder = []Rung{ErrorRung{}} })
	a := must1(t, must2(p.allocOn(s1, 50)), nil)
	p.line.use(s1)
	fatal.If(t, p.freeOn(a, s1))
	if b := must1(t, must2(p.allocOn(s1, 50)), nil); b != a || p.line.records != 0 {
		t.Errorf("got %v with %d records, want %v without", b, p.line.records, a)
	}
	fatal.If(t, p.freeOn(a, s1))
	// The stream has completed nothing, but it can get the whole pool in blocks of other sizes.
	if _, err := p.allocOn(s1, 100); err != nil {
		t.Errorf("the stream's own memory: %v", err)
	}
	if _, err := p.allocOn(s2, 1); !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("another stream got %v", err)
	}
}

func must2(b block, err error) block {
	if err != nil {
		panic(err)
	}
	return b
}

// While a block is pending, every further free of it is refused.
func TestPendingIsFree(t *testing.T) {
	p := newStreamRig(t, nil)
	a := must2(p.allocOn(s1, 50))
	fatal.If(t, p.freeOn(a, s1))
	wantErr(t, "FreeOn", p.freeOn(a, s2), poolrt.ErrDoubleFree)
	if s := p.ready().Stats(); s.Pending != 1 || s.Live != 0 {
		t.Errorf("%+v", s)
	}
	p.line.complete(s1, 10)
	if n := p.ready().Poll(); n != 1 {
		t.Errorf("Poll reclaimed %d", n)
	}
	if s := p.ready().Stats(); s.Pending != 0 {
		t.Errorf("%+v", s)
	}
}

// At the limit, AllocOn makes the stream wait for another stream's frees. An allocation without a stream has to wait itself.
func TestOtherStreamWaits(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.Limit = 100; c.WaitTimeout = 20e6 })
	a := must2(p.allocOn(s1, 100))
	at := p.line.use(s1)
	fatal.If(t, p.freeOn(a, s1))
	_, err := p.alloc(10)
	wantErr(t, "plain alloc", err, poolrt.ErrLimit)
	b := must2(p.allocOn(s2, 60))
	if !p.line.ordered(s1, at, &s2) {
		t.Error("the stream does not wait")
	}
	if p.line.ordered(s1, at, nil) {
		t.Error("the host waited")
	}
	_, err = p.alloc(10) // the rest is still in flight
	wantErr(t, "plain alloc", err, poolrt.ErrLimit)
	p.line.complete(s1, at)
	if _, err := p.alloc(10); err != nil {
		t.Error(err)
	}
	if err := p.freeOn(b, s2); err != nil {
		t.Error(err)
	}
}

// A stream's completed frees do not wait for those of another stream.
func TestNoStreamWaitsForAnother(t *testing.T) {
	p := newStreamRig(t, nil)
	a, b := must2(p.allocOn(s1, 50)), must2(p.allocOn(s2, 50))
	at := p.line.use(s2)
	p.line.use(s1)
	_ = p.freeOn(a, s1)
	_ = p.freeOn(b, s2)
	p.line.complete(s2, at)
	if n := p.ready().Poll(); n != 1 {
		t.Errorf("Poll reclaimed %d", n)
	}
}

// Many frees share a fence, and all fences are released.
func TestManyFreesShareAFence(t *testing.T) {
	p := newStreamRig(t, nil)
	var blocks []block
	for range 1000 {
		blocks = append(blocks, must2(p.allocOn(s1, 10)))
	}
	for _, b := range blocks {
		fatal.If(t, p.freeOn(b, s1))
	}
	if n := p.line.records; n > 1000/epochSize {
		t.Errorf("%d fences for 1000 frees", n)
	}
	fatal.If(t, p.close())
	if p.line.free != len(p.line.fences)-1 || p.source.held() != 0 {
		t.Errorf("%d of %d fences released, %d bytes", p.line.free, len(p.line.fences)-1, p.source.held())
	}
}

// Streams without work share a fence, of which nothing is kept: not while a caller uses it, and not for any of the epochs.
func TestStreamsWithoutWork(t *testing.T) {
	p := newSharedRig(t, nil)
	p.line.passes = true
	e := p.ready()
	e.streams.fences.pin(Passed)
	for range 3 {
		p.deferFree(s1, 10)
		p.deferFree(s2, 20)
		p.line.completeAll()
		if n := e.Poll(); n != 2 {
			t.Errorf("reclaimed %d frees of streams without work, want 2", n)
		}
	}
	if f := &e.streams.fences; len(f.inUse)+len(f.dropped)+len(f.unreturned) > 0 || len(p.line.fences) > 1 {
		t.Errorf("fences in use %v, dropped %v, unreturned %v, made %d", f.inUse, f.dropped, f.unreturned, len(p.line.fences)-1)
	}
	e.streams.fences.unpin(Passed)
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// Close ends all epochs of all streams that have the fence of a stream without work.
func TestCloseWithoutWork(t *testing.T) {
	p := newSharedRig(t, nil)
	p.line.passes = true
	e := p.ready()
	for _, s := range []Stream{s1, s1, s2, s2} {
		p.deferFree(s, 10)
		p.line.completeAll()
		_, err := e.streams.driver().unlocked().seal(e.streams.queues.find(s))
		wantErr(t, "seal", err, nil)
	}
	p.line.before = func(call string) error {
		t.Errorf("the driver was called for %s", call)
		return nil
	}
	wantErr(t, "Close", p.close(), nil)
	p.ended()
}

// If the driver fails to record a fence, no free is lost: a later fence covers it.
func TestFreesOfAStreamThatCannotBeFenced(t *testing.T) {
	p := newStreamRig(t, nil)
	_ = p.freeOn(must2(p.allocOn(s1, 50)), s1)
	p.line.fail = errors.New("no events left")
	if n := p.ready().Poll(); n != 0 {
		t.Errorf("reclaimed %d without a fence", n)
	}
	p.line.complete(s1, 10)
	if n := p.ready().Poll(); n != 1 {
		t.Errorf("reclaimed %d", n)
	}
}

// In random programs, each use of a block is ordered after every earlier use of its bytes.
func TestOrderProperty(t *testing.T) {
	seeds := large.Or[uint64](300, 50)
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { playOrder(t, newStreamRig, rand.New(rand.NewPCG(seed, 7)), 400) })
		if seed >= 100 {
			continue
		}
		t.Run(fmt.Sprint(seed, ", shared core"), func(t *testing.T) { playOrder(t, newSharedRig, rand.New(rand.NewPCG(seed, 7)), 400) })
	}
}

type heldBlock struct {
	block
	on *Stream
}

func playOrder(t *testing.T, rig func(testing.TB, func(*Config)) *streamRig, r *rand.Rand, steps int) {
	limit := []int64{100, 300, poolrt.NoLimit}[r.IntN(3)]
	p := rig(t, func(c *Config) {
		c.Limit = limit
		c.WaitTimeout = 1
		if r.IntN(2) == 0 {
			c.Trim = &TrimPolicy{}
		}
	})
	p.line.passes = r.IntN(2) == 0
	track := trackOrder(p)
	var held []heldBlock
	streams := []Stream{{ID: 1}, {ID: 2}, {ID: 3}}
	handed := func(b block, on *Stream) {
		track.handed(b, on)
		held = append(held, heldBlock{b, on})
	}
	for range steps {
		s := streams[r.IntN(len(streams))]
		bytes := uint64(1 + r.IntN(40))
		switch k := r.IntN(12); {
		case k < 4:
			if b, err := p.allocOn(s, bytes); err == nil {
				handed(b, &s)
				track.use(b, s)
			}
		case k == 4:
			if b, err := p.alloc(bytes); err == nil {
				handed(b, nil)
			}
		case k < 9 && len(held) > 0:
			i := r.IntN(len(held))
			h := held[i]
			held = append(held[:i], held[i+1:]...)
			if h.on == nil {
				fatal.If(t, p.free(h.block))
				continue
			}
			fatal.If(t, p.freeOn(h.block, *h.on))
		case k == 9:
			p.line.complete(s, uint64(r.IntN(int(p.line.at[s])+1)))
		case k == 10:
			p.ready().Poll()
		default:
			if _, err := p.ready().Trim(0); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.line.completeAll() // plain frees are correct only without pending work
	for _, h := range held {
		fatal.If(t, p.free(h.block))
	}
	fatal.If(t, p.close())
	p.ended()
}
