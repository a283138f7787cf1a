package poolimpl

import (
	"slices"
	"strings"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// onDevice returns a pool on a device of which no other test leaves a pool.
func onDevice(t *testing.T, device int, change func(*Config)) *streamRig {
	p := newStreamRig(t, func(c *Config) {
		c.Ladder = nil
		change(c)
	})
	wantErr(t, "open", p.ready().Open(poolrt.OnDevice(device)), nil)
	t.Cleanup(func() { wantErr(t, "close", p.closeForce(), nil) })
	return p
}

func called(name string) func(*Config) { return func(c *Config) { c.Name = name } }

// empties leaves chunks of a pool empty.
func empties(p *streamRig, chunks int) {
	var blocks []block
	for range chunks {
		blocks = append(blocks, must2(p.alloc(100)))
	}
	for _, b := range blocks {
		wantErr(p.t, "free", p.free(b), nil)
	}
}

var lacksMemory = func(int) error { return &causedBy{poolrt.ErrOutOfMemory, errNoMemory} }

// A request for which a device has no memory names the pools that hold some empty there, those with the most first, and no other pools.
func TestOthersHoldMemory(t *testing.T) {
	const device = 98
	needy := onDevice(t, device, called("test.Needy"))
	a, b := onDevice(t, device, called("test.A")), onDevice(t, device, called("test.B"))
	alone := onDevice(t, device, func(c *Config) { c.Name, c.Locked = "test.Alone", false })
	empties(needy, 1)
	empties(a, 1)
	empties(b, 2)
	empties(alone, 3)
	alone.ready().Stats() // shows its figures to others
	empties(onDevice(t, device+1, called("test.ElsewhereDevice")), 1)
	host := newRig(t, func(c *Config) { c.Name, c.Allocator = "test.Host", "host" })
	host.mustFree(host.mustAlloc(100))
	must2(onDevice(t, device, called("test.Live")).alloc(60))
	pending := onDevice(t, device, called("test.Pending"))
	x := must2(pending.alloc(100))
	pending.line.use(s1)
	wantErr(t, "free", pending.freeOn(x, s1), nil)
	closed := newStreamRig(t, called("test.Closed"))
	wantErr(t, "open", closed.ready().Open(poolrt.OnDevice(device)), nil)
	empties(closed, 1)
	wantErr(t, "close", closed.close(), nil)

	must2(needy.alloc(100))
	needy.source.onAlloc = lacksMemory
	var events []poolrt.Event
	stop := poolrt.OnEvent(func(e poolrt.Event) {
		if e.Kind == poolrt.EventFailure {
			events = append(events, e)
		}
		a.ready().Stats()
	})
	_, err := needy.alloc(80)
	stop()
	wantErr(t, "alloc", err, poolrt.ErrOutOfMemory)
	want := []string{
		"80 more bytes from the allocator",
		"the 600 bytes that other pools hold empty on device 98, which Trim returns, and TrimAll of a group: test.Alone 300, test.B 200, test.A 100",
		"a budget of these pools, no larger than what device 98 has, as they then give to each other",
	}
	if got := remediesOf(t, err); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if len(events) != 1 || events[0].Err != err {
		t.Errorf("%+v", events)
	}
	if s := a.ready().Stats(); s.Reserved != 100 || s.Failures != 0 {
		t.Errorf("the other pool has changed: %+v", s)
	}

	for _, p := range []*streamRig{alone, b} {
		wantErr(t, "trim", second(p.ready().Trim(0)), nil)
	}
	_, err = needy.alloc(80)
	want[1] = "the 100 bytes that test.A holds empty on device 98, which Trim returns, and TrimAll of a group"
	if got := remediesOf(t, err); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	needy.config.Oversize = true
	_, err = needy.alloc(150)
	want = []string{"150 more bytes from the allocator", want[1] + ", and 50 more"}
	if got := remediesOf(t, err); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A pool that reserves memory says the same.
func TestOthersHoldWhatIsReserved(t *testing.T) {
	const device = 96
	other := onDevice(t, device, called("test.Other"))
	empties(other, 3)
	p := newStreamRig(t, called("test.Needy"))
	p.source.onAlloc = func(call int) error {
		if p.source.held() == 200 {
			return lacksMemory(call)
		}
		return nil
	}
	want := []string{
		"150 more bytes from the allocator",
		"the 300 bytes that test.Other holds empty on device 96, which Trim returns, and TrimAll of a group",
		"a budget of these pools, no larger than what device 96 has, as they then give to each other",
	}
	check := func(err error) {
		t.Helper()
		wantErr(t, "reserve", err, poolrt.ErrOutOfMemory)
		if got := remediesOf(t, err); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		if text := poolrt.Explain(err); !strings.HasPrefix(text, "Pool test.Needy could not reserve 150 bytes: out of memory (no memory left). It holds 200 bytes of no limit") {
			t.Error(text)
		}
		if n := p.Stats().Reserved; n != 0 {
			t.Errorf("%d bytes are left", n)
		}
	}
	check(p.ready().Open(poolrt.OnDevice(device), poolrt.WithPrime(350))) // although 200 bytes are free
	wantErr(t, "open", p.ready().Open(poolrt.OnDevice(device)), nil)
	check(p.ready().Prime(350))
	wantErr(t, "close", p.close(), nil)
}

func second[T any](_ T, err error) error { return err }

// Host and pinned memory are one. What functions of the program supply may be anything.
func TestOthersOnTheHost(t *testing.T) {
	for allocator, told := range map[string]bool{"host": true, "pinned": true, "custom": false} {
		p := newRig(t, func(c *Config) { c.Name, c.Allocator, c.Ladder = "test.Needy", allocator, nil })
		q := newRig(t, func(c *Config) { c.Name, c.Allocator = "test.Giver", "pinned" })
		q.mustFree(q.mustAlloc(70))
		p.source.onAlloc = lacksMemory
		_, err := p.alloc(70)
		if got := strings.Join(remediesOf(t, err), "; "); strings.Contains(got, "empty on the host") != told {
			t.Errorf("%s: %s", allocator, got)
		}
		for _, r := range []*rig{p, q} {
			wantErr(t, "close", r.close(), nil)
		}
	}
}

// Pools that lack memory at the same time ask each other.
func TestOthersLackMemoryToo(t *testing.T) {
	const device = 97
	var all sync.WaitGroup
	for range 4 {
		p := onDevice(t, device, called("test.Needy"))
		must2(p.alloc(100))
		p.source.onAlloc = lacksMemory
		all.Go(func() {
			for range 200 {
				if _, err := p.ready().Alloc(1, 100, 1); err == nil {
					t.Error("no error")
				}
			}
		})
	}
	defer poolrt.OnEvent(func(poolrt.Event) {})() // half of the errors are written before others see them
	all.Wait()
}
