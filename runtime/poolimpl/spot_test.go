package poolimpl

import (
	"fmt"
	"os"
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// steppedCore is a core that wants chunks close together.
type steppedCore struct {
	fakeCore
	step uint64
}

func (c *steppedCore) Step() uint64 { return c.step }

// placingSource places chunks, and notes how it was asked to.
type placingSource struct {
	fakeSource
	calls []string
}

func (s *placingSource) Room(size, align int64) uint64 {
	s.calls = append(s.calls, fmt.Sprintf("room for %d", size))
	return 1 << 40
}

func (s *placingSource) AllocAt(addr uint64, size, align int64) (Chunk, error) {
	s.calls = append(s.calls, fmt.Sprintf("%d more", addr-1<<40))
	c, err := s.fakeSource.Alloc(size, align)
	delete(s.given, c.Addr)
	c.Addr = addr
	s.given[addr] = size
	return c, err
}

// Chunks follow each other at multiples of the step of their core, if that is not too far.
func TestChunksOfSteppedCoresLieClose(t *testing.T) {
	if Debug {
		t.Skip("blocks lie apart")
	}
	page := int64(os.Getpagesize())
	for _, test := range []struct {
		name  string
		step  uint64
		limit int64
		want  []string
	}{
		{"whole pages", 64, poolrt.NoLimit, []string{fmt.Sprint("room for ", int64(mostRoom)), "0 more", fmt.Sprint(2*page, " more"), fmt.Sprint(4*page, " more")}},
		{"three pages", 48, 100 * page, []string{fmt.Sprint("room for ", 100*page), "0 more", fmt.Sprint(3*page, " more"), fmt.Sprint(6*page, " more")}},
		{"too far", 80, 100 * page, []string{fmt.Sprint("room for ", 100*page), "0 more"}},
		{"no room for two", 64, 3 * page, nil},
	} {
		s := &placingSource{fakeSource: fakeSource{t: t}}
		config := Config{
			Name: "test.Stepped", Allocator: "host", Source: s, Locked: true, ChunkSize: 2 * page, Granularity: page, Alignment: 16, Limit: test.limit,
			Ladder: []Rung{{Kind: RungError}},
		}
		var e Engine
		e.Init(&config, &steppedCore{step: test.step})
		for range 3 {
			if _, err := e.Alloc(1, uint64(2*page), 1); err != nil && test.want != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(s.calls, test.want) {
			t.Errorf("%s: %q, want %q", test.name, s.calls, test.want)
		}
		if err := e.CloseForce(func() {}); err != nil {
			t.Error(err)
		}
	}
}

// The system places a chunk where it is asked to, and elsewhere if the place is taken or not aligned.
func TestSystemPlacesChunks(t *testing.T) {
	placer, ok := system.(placer)
	if !ok {
		t.Skip("the system cannot place chunks")
	}
	const size, align = 64 << 10, 4 << 20
	room := placer.Room(1<<30, align)
	if room == 0 || room%align != 0 {
		t.Fatalf("room at %#x", room)
	}
	for _, test := range []struct {
		name string
		addr uint64
		want bool
	}{{"free", room, true}, {"behind", room + align, true}, {"taken", room, false}, {"not aligned", room + 2*align + size, false}} {
		c, err := placer.AllocAt(test.addr, size, align)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := system.Free(c); err != nil {
				t.Error(err)
			}
		}()
		if got := c.Addr == test.addr; got != test.want || c.Addr%align != 0 || c.Size != size || uint64(uintptr(c.Ptr)) != c.Addr {
			t.Errorf("%s: chunk %+v for the place %#x", test.name, c, test.addr)
		}
		clear(unsafeBytes(c.Ptr, size))
	}
	if room := (hostSource{}).Room(1<<62, 1); room != 0 {
		t.Errorf("room for more than there is at %#x", room)
	}
}
