//go:build cudasim

package sleep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// Blocks have their places and bytes after waking, whatever the pool; those freed asleep are free.
func TestContents(t *testing.T) {
	sizes := []int{100, 3000, page / 2, 70000, page + 5, 256, page}
	kinds(t, func(t *testing.T, p rig.Subject) {
		machine(t)
		defer func() { rig.Check(t, "close", p.Do("Close")) }()
		var live []any
		for i, n := range sizes {
			b := rig.Must(p.Take("Alloc", n))
			written(t, b.(span), uint64(i))
			live = append(live, b)
		}
		rig.Check(t, "free", p.Do("Free", live[2]))
		for range 3 {
			rig.Check(t, "sleep", p.Do("Sleep", ctx))
			if s := p.Stats(); s.Asleep != 1 || s.Reserved != 0 || s.Chunks != 0 || s.LargestFree != 0 || s.Backing == 0 {
				t.Errorf("asleep: %v", s)
			}
			rig.Refused(t, "alloc", rig.Second(p.Take("Alloc", 256)), poolrt.ErrAsleep)
			rig.Check(t, "wake", p.Do("Wake", ctx))
			if s := p.Stats(); s.Asleep != 0 || s.Reserved == 0 {
				t.Errorf("awake: %v", s)
			}
			for i, b := range live {
				if i != 2 {
					holds(t, b.(span), uint64(i))
				}
			}
		}
		rig.Check(t, "sleep", p.Do("Sleep", ctx))
		rig.Check(t, "free asleep", p.Do("Free", live[4]))
		rig.Refused(t, "second free asleep", p.Do("Free", live[4]), poolrt.ErrInvalidFree)
		rig.Check(t, "wake", p.Do("Wake", ctx))
		live[4] = rig.Must(p.Take("Alloc", sizes[4]))
		written(t, live[4].(span), 4)
		for i, b := range live {
			if i != 2 {
				holds(t, b.(span), uint64(i))
				rig.Check(t, "free", p.Do("Free", b))
			}
		}
	})
}

// A pool asleep has no memory of the device, and serves nothing. Whatever is refused changes nothing.
func TestAsleep(t *testing.T) {
	machine(t)
	p := new(FlowPool)
	rig.Closing(t, p)
	s := rig.Stream(t, 0)
	b := rig.Must(p.Alloc(3 * page))
	rig.Check(t, "free", p.Free(rig.Must(p.Alloc(page))))
	rig.Check(t, "sleep", p.Sleep(ctx))
	is(t, p, 1, 0, 3)
	if n := sim.Live()[sim.KindMapping]; n != 0 {
		t.Errorf("%d pages are mapped", n)
	}
	if err := cuda.Memset(b.Addr(), 1, 1); err == nil {
		t.Error("there is memory asleep")
	}
	_, ok := p.TryAlloc(1)
	if ok {
		t.Error("TryAlloc served")
	}
	for what, err := range map[string]error{
		"alloc": rig.Second(p.Alloc(256)), "on a stream": rig.Second(p.AllocOn(256, s)), "aligned": rig.Second(p.AllocAligned(256, 512)),
		"sleep": p.Sleep(ctx), "prime": p.Prime(page), "large": rig.Second(p.Alloc(page)),
	} {
		rig.Refused(t, what, err, poolrt.ErrAsleep)
	}
	if n := rig.Must(p.Trim(0)); n != 0 {
		t.Errorf("Trim returned %d bytes", n)
	}
	if n := p.Poll(); n != 0 {
		t.Errorf("Poll reclaimed %d", n)
	}
	if snap := p.Snapshot(); snap == nil {
		t.Error("no snapshot")
	}
	is(t, p, 1, 0, 3)
	rig.Check(t, "wake", p.Wake(ctx))
	rig.Check(t, "wake", p.Wake(ctx))
	is(t, p, 0, 3, 3)
	rig.Check(t, "free", p.Free(b))
}

// Frees on streams asleep need no stream to go on, and the blocks are free at once after waking.
func TestFreesOfStreams(t *testing.T) {
	machine(t)
	p := new(FlowPool)
	rig.Closing(t, p)
	s, other := rig.Stream(t, 0), rig.Stream(t, 0)
	a, b, c := rig.Must(p.AllocOn(page, s)), rig.Must(p.AllocOn(page, s)), rig.Must(p.AllocOn(page, s))
	written(t, c, 3)
	rig.Check(t, "work", sim.Work(s))
	rig.Check(t, "free", p.FreeOn(a, s))
	rig.Check(t, "sleep", p.Sleep(ctx)) // waits for the work
	if st := p.Stats(); st.Pending != 0 || st.Live != 2 {
		t.Errorf("asleep: %v", st)
	}
	rig.Check(t, "work", sim.Work(s))
	calls := sim.Calls("")
	rig.Check(t, "free asleep", p.FreeOn(b, s))
	rig.Refused(t, "second free", p.FreeOn(b, other), poolrt.ErrDoubleFree)
	if n := sim.Calls("") - calls; n != 0 {
		t.Errorf("the frees made %d calls of the driver", n)
	}
	if st := p.Stats(); st.Pending != 0 || st.Live != 1 {
		t.Errorf("after a free asleep: %v", st)
	}
	rig.Check(t, "wake", p.Wake(ctx))
	is(t, p, 0, 1, 2)
	holds(t, c, 3)
	rig.Check(t, "free", p.FreeOn(c, other))
	rig.Check(t, "free", p.Free(rig.Must(p.AllocOn(page, other))))
}

// With AfterStreams other streams may be at work on other memory.
func TestAfterStreams(t *testing.T) {
	machine(t)
	sim.Schedule(0)
	p := new(PlainPool)
	rig.Closing(t, p)
	mine, other := rig.Stream(t, 0), rig.Stream(t, 0)
	b := rig.Must(p.Alloc(page))
	rig.Check(t, "write", cuda.MemsetAsync(b.Addr(), 9, b.Bytes(), mine))
	rig.Check(t, "work", sim.Work(other))
	rig.Check(t, "sleep", p.Sleep(ctx, cuda.AfterStreams(mine)))
	if done, err := other.Query(); done || err != nil {
		t.Errorf("Sleep has waited for another stream: %v", err)
	}
	rig.Check(t, "wake", p.Wake(ctx))
	var back [1]byte
	if rig.Check(t, "read", cuda.CopyToHost(back[:], b.Addr())); back[0] != 9 {
		t.Errorf("Sleep did not wait for the stream: %d", back[0])
	}
	rig.Check(t, "free", p.Free(b))
}

// A waiter is served by Wake, or ends with its context.
func TestWaiting(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	rig.Closing(t, p)
	rig.Check(t, "sleep", p.Sleep(ctx))
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	err := rig.Second(p.AllocContext(short, 1))
	rig.Refused(t, "wait", err, poolrt.ErrAsleep)
	rig.Refused(t, "wait", err, context.DeadlineExceeded)
	served := make(chan error)
	go func() {
		b, err := p.AllocContext(ctx, page)
		if err == nil {
			err = p.Free(b)
		}
		served <- err
	}()
	time.Sleep(5 * time.Millisecond) // so that it waits, as a rule
	rig.Check(t, "wake", p.Wake(ctx))
	rig.Check(t, "waiter", <-served)
}

// The context ends a sleep or a wake between two steps; nothing is lost.
func TestContextEnds(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	rig.Closing(t, p)
	b := written(t, rig.Must(p.Alloc(2*page)), 1)
	over, cancel := context.WithCancel(ctx)
	cancel()
	rig.Refused(t, "sleep", p.Sleep(over), context.Canceled)
	is(t, p, 0, 2, 0)
	holds(t, b, 1)
	rig.Check(t, "sleep", p.Sleep(ctx))
	rig.Refused(t, "wake", p.Wake(over), context.Canceled)
	is(t, p, 1, 0, 2)
	rig.Check(t, "wake", p.Wake(ctx))
	holds(t, b, 1)
	rig.Check(t, "free", p.Free(b))
}

// Asleep, the budget and the limit have their bytes back; a pool that finds no room sleeps on.
func TestLimits(t *testing.T) {
	machine(t)
	p, q := new(LeftPool), new(RightPool)
	rig.Closing(t, p)
	rig.Closing(t, q)
	b := written(t, rig.Must(p.Alloc(4*page)), 1)
	rig.Refused(t, "other", rig.Second(q.Alloc(4*page)), poolrt.ErrLimit)
	rig.Check(t, "sleep", p.Sleep(ctx))
	c := rig.Must(q.Alloc(4 * page))
	explained(t, p.Wake(ctx), poolrt.ErrLimit, `a budget "Both" of 16777216`, `4194304 less in the other pools of budget "Both", where Trim gives back what is empty`)
	is(t, p, 1, 0, 4)
	rig.Check(t, "free", q.Free(c))
	rig.Must(q.Trim(0))
	rig.Check(t, "limit", p.SetLimit(3*page))
	explained(t, p.Wake(ctx), poolrt.ErrLimit, "a limit of 8388608, which leaves room for 8388608 more in pages of 2097152 (SetLimit sets it)")
	rig.Check(t, "limit", p.SetLimit(4*page))
	rig.Check(t, "wake", p.Wake(ctx))
	holds(t, b, 1)
	rig.Refused(t, "limit", p.SetLimit(3*page), poolrt.ErrLive)

	rig.Check(t, "sleep", p.Sleep(ctx))
	rig.Check(t, "free", p.Free(b)) // its pages have no memory that the other could have
	rig.Check(t, "free", q.Free(rig.Must(q.Alloc(6*page))))
	is(t, p, 1, 0, 4)
	e := rig.Must(q.Alloc(4 * page))
	rig.Refused(t, "other", rig.Second(q.Alloc(4*page)), poolrt.ErrLimit)
	is(t, p, 1, 0, 4)
	rig.Check(t, "free", q.Free(e))
	rig.Check(t, "wake", p.Wake(ctx))
}

// If others have taken the memory of the device meanwhile, the pool sleeps on until they return it.
func TestOutOfMemory(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	rig.Closing(t, p)
	b := written(t, rig.Must(p.Alloc(8*page)), 1)
	rig.Check(t, "sleep", p.Sleep(ctx))
	taken := rig.Must(cuda.Device(0).Alloc(28 * page))
	explained(t, p.Wake(ctx), poolrt.ErrOutOfMemory, "16777216 more bytes from the allocator")
	is(t, p, 1, 0, 8)
	rig.Check(t, "free", cuda.Device(0).Free(taken))
	rig.Check(t, "wake", p.Wake(ctx))
	holds(t, b, 1)
	rig.Check(t, "free", p.Free(b))
}

// A pool that cannot wake names the pools that hold memory of the device empty. Once they have returned it,
// the pool wakes.
func TestOthersHoldMemory(t *testing.T) {
	machine(t)
	p, q := new(PlainPool), new(FlowPool)
	rig.Closing(t, p)
	rig.Closing(t, q)
	b := written(t, rig.Must(p.Alloc(8*page)), 1)
	rig.Check(t, "sleep", p.Sleep(ctx))
	taken := rig.Must(cuda.Device(0).Alloc(16 * page))
	rig.Check(t, "free", q.Free(rig.Must(q.Alloc(12*page))))
	explained(t, p.Wake(ctx), poolrt.ErrOutOfMemory, "16777216 more bytes from the allocator",
		"the 25165824 bytes that sleep.Flow holds empty on device 0, which Trim returns, and TrimAll of a group",
		"a budget of these pools, no larger than what device 0 has, as they then give to each other")
	rig.Must(poolrt.NewGroup("all", p, q).TrimAll(0))
	rig.Check(t, "wake", p.Wake(ctx))
	holds(t, b, 1)
	rig.Check(t, "free", p.Free(b))
	rig.Check(t, "free", cuda.Device(0).Free(taken))
}

// explained checks that the error of Wake has an account, and these remedies. The pool has 8 MiB asleep or
// more.
func explained(t *testing.T, err, want error, remedies ...string) {
	t.Helper()
	rig.Refused(t, "wake", err, want)
	p := rig.As[*poolrt.PoolError](t, err)
	if a := p.Account; a == nil || a.Blocks != 1 || a.Free != 0 || a.Addresses == 0 || p.Request < 4*page ||
		p.LargestFree != 0 || !slices.Equal(p.Remedies, remedies) {
		t.Errorf("%d bytes, account %+v, remedies %q", p.Request, a, p.Remedies)
	}
	if text := p.Explain(); !strings.HasPrefix(text, fmt.Sprintf("Pool %s could not wake, which takes %d bytes: %v", p.Pool, p.Request, p.Err)) {
		t.Error(text)
	}
}

// With discard nothing is copied; blocks handed out later are clear if memory has to be.
func TestDiscard(t *testing.T) {
	machine(t)
	p := new(LostPool)
	rig.Closing(t, p)
	b := written(t, rig.Must(p.Alloc(2*page-5)), 1) // its last bytes are a red zone with the tag pooldebug
	rig.Check(t, "sleep", p.Sleep(ctx))
	is(t, p, 1, 0, 0)
	rig.Check(t, "wake", p.Wake(ctx))
	if n := sim.Calls("cuMemcpyDtoHAsync") + sim.Calls("cuMemHostRegister"); n != 0 {
		t.Errorf("%d calls to save", n)
	}
	rig.Check(t, "sleep", p.Sleep(ctx, poolrt.Contents(poolrt.Keep)))
	is(t, p, 1, 0, 2)
	rig.Check(t, "wake", p.Wake(ctx))
	rig.Refused(t, "contents", p.Sleep(ctx, poolrt.Contents(9)), poolrt.ErrUnsupported)
	is(t, p, 0, 2, 2)
	rig.Check(t, "free", p.Free(b))

	q := new(ClearPool)
	rig.Closing(t, q)
	x, y := rig.Must(q.Alloc(256)), rig.Must(q.Alloc(256))
	rig.Check(t, "write", cuda.Memset(y.Addr(), 7, 256))
	rig.Check(t, "sleep", q.Sleep(ctx))
	rig.Check(t, "free", q.Free(x))
	rig.Check(t, "wake", q.Wake(ctx))
	z := rig.Must(q.Alloc(page - 512)) // memory that no block had before
	back := make([]byte, z.Bytes())
	rig.Check(t, "read", cuda.CopyToHost(back, z.Addr()))
	for _, v := range back {
		if v != 0 {
			t.Fatal("new memory is not clear")
		}
	}
	rig.Check(t, "free", q.Free(z))
	rig.Check(t, "free", q.Free(y))
}

// Backing stays or goes as the pool file says; Trim returns what holds no contents of a live block.
func TestBacking(t *testing.T) {
	machine(t)
	p, q := new(PlainPool), new(LoosePool)
	rig.Closing(t, p)
	rig.Closing(t, q)
	b, c := written(t, rig.Must(p.Alloc(3*page)), 1), rig.Must(q.Alloc(page))
	rig.Check(t, "sleep", p.Sleep(ctx))
	rig.Check(t, "wake", p.Wake(ctx))
	is(t, p, 0, 3, 3)
	locks := sim.Calls("cuMemHostRegister")
	rig.Check(t, "sleep", p.Sleep(ctx))
	if n := sim.Calls("cuMemHostRegister") - locks; n != 0 {
		t.Errorf("the second sleep has obtained backing %d times", n)
	}
	rig.Must(p.Trim(0))
	is(t, p, 1, 0, 3)
	rig.Check(t, "wake", p.Wake(ctx))
	holds(t, b, 1)
	rig.Must(p.Trim(0))
	is(t, p, 0, 3, 0)
	rig.Check(t, "sleep", p.Sleep(ctx))
	rig.Check(t, "free", p.Free(b))
	rig.Must(p.Trim(0))
	is(t, p, 1, 0, 0)
	rig.Check(t, "wake", p.Wake(ctx))

	rig.Check(t, "sleep", q.Sleep(ctx))
	is(t, q, 1, 0, 1)
	rig.Check(t, "wake", q.Wake(ctx))
	is(t, q, 0, 1, 0)
	rig.Check(t, "free", q.Free(c))
}

// Ranges of addresses are saved in any order, and restored in parts.
func TestOrderOfRanges(t *testing.T) {
	for _, how := range []poolimpl.SleepPolicy{{}, {Staged: true, Batch: 2 * page}} {
		t.Run(fmt.Sprint(how.Staged), func(t *testing.T) { orderOfRanges(t, &how) })
	}
}

func orderOfRanges(t *testing.T, how *poolimpl.SleepPolicy) {
	machine(t)
	ask := poolimpl.Binding{Device: poolimpl.NoDevice, Limit: 8 * page, Chunk: page, Paged: true, Sleep: how}
	at := rig.Must(cuda.Allocator{Name: "device_virtual", Kinds: []cuda.Kind{cuda.VirtualMemory{}}}.Bind(ask))
	pages := at.Pages.(poolimpl.Pages)
	s, base := pages.Sleeper, pages.First.Addr
	low, high := poolimpl.Extent{Addr: base, Size: 2 * page}, poolimpl.Extent{Addr: base + 5*page, Size: 2 * page}
	rows := []poolimpl.Extent{low, high}
	rig.Check(t, "map", pages.Map(rows))
	for i, x := range rows {
		rig.Check(t, "write", cuda.CopyToDevice(cuda.DevicePtr(x.Addr), pattern(2*page, uint64(i))))
	}
	rig.Check(t, "reserve", s.Reserve(ctx, 4*page))
	rig.Check(t, "save", errors.Join(s.Save(high), s.Save(low), s.Saved()))
	for i, x := range rows {
		rig.Check(t, "spoil", cuda.Memset(cuda.DevicePtr(x.Addr), 1, 2*page))
		first, second := poolimpl.Extent{Addr: x.Addr, Size: page}, poolimpl.Extent{Addr: x.Addr + page, Size: page}
		rig.Check(t, "restore", errors.Join(s.Restore(second), s.Restore(first), s.Restored()))
		back := make([]byte, 2*page)
		if err := cuda.CopyToHost(back, cuda.DevicePtr(x.Addr)); err != nil || string(back) != string(pattern(2*page, uint64(i))) {
			t.Errorf("range %d has not its bytes: %v", i, err)
		}
		rig.Check(t, "free", at.Source.Free(poolimpl.Chunk{Addr: x.Addr, Size: 2 * page}))
	}
	if err := s.Restore(poolimpl.Extent{Addr: base + 4*page, Size: 2 * page}); err == nil {
		t.Error("bytes that were not saved were restored")
	}
	rig.Check(t, "close", errors.Join(s.Restored(), at.Close()))
}

// A pool is closed asleep as awake.
func TestClose(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	b := rig.Must(p.Alloc(page))
	rig.Check(t, "sleep", p.Sleep(ctx))
	rig.Refused(t, "close", p.Close(), poolrt.ErrLive)
	rig.Check(t, "free", p.Free(b))
	rig.Check(t, "close", p.Close())
	rig.Refused(t, "sleep", p.Sleep(ctx), poolrt.ErrClosed)
	rig.Refused(t, "wake", p.Wake(ctx), poolrt.ErrClosed)
	q := new(FlowPool)
	rig.Must(q.Alloc(page))
	rig.Check(t, "sleep", q.Sleep(ctx))
	rig.Check(t, "close", q.CloseForce())
	is(t, p, 0, 0, 0)
	is(t, q, 0, 0, 0)
	rig.Refused(t, "alloc", rig.Second(q.Alloc(1)), poolrt.ErrClosed)
}

// Reset frees the blocks of a pool asleep, too.
func TestReset(t *testing.T) {
	machine(t)
	p := new(FlowPool)
	rig.Closing(t, p)
	rig.Must(p.Alloc(2 * page))
	rig.Check(t, "sleep", p.Sleep(ctx))
	rig.Check(t, "reset", p.Reset())
	rig.Refused(t, "alloc", rig.Second(p.Alloc(1)), poolrt.ErrAsleep)
	rig.Check(t, "wake", p.Wake(ctx))
	is(t, p, 0, 0, 2)
	rig.Check(t, "free", p.Free(rig.Must(p.Alloc(page))))
}

// An allocator whose addresses go with the memory is refused.
func TestOtherAllocator(t *testing.T) {
	machine(t)
	p := rig.Must(NewChoicePool(poolrt.WithAllocator("device")))
	rig.Closing(t, p)
	b := rig.Must(p.Alloc(1))
	rig.Refused(t, "sleep", p.Sleep(ctx), poolrt.ErrUnsupported)
	rig.Check(t, "free", p.Free(rig.Must(p.Alloc(1))))
	rig.Check(t, "free", p.Free(b))
}

// While a stream is being captured Sleep is refused, as its wait would end the capture.
func TestCapture(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	rig.Closing(t, p)
	b := rig.Must(p.Alloc(1))
	s := rig.Stream(t, 0)
	rig.Check(t, "capture", s.BeginCapture())
	rig.Refused(t, "sleep", p.Sleep(ctx), poolrt.ErrUnsupported)
	rig.Check(t, "memset", cuda.MemsetAsync(b.Addr(), 5, 1, s))
	graph := rig.Must(s.EndCapture())
	defer graph.Close()
	exec := rig.Must(graph.Instantiate())
	defer exec.Close()
	rig.Check(t, "sleep", p.Sleep(ctx))
	rig.Check(t, "wake", p.Wake(ctx))
	rig.Check(t, "launch", exec.Launch(s)) // at the same addresses
	rig.Check(t, "wait", s.Synchronize())
	var back [1]byte
	if rig.Check(t, "read", cuda.CopyToHost(back[:], b.Addr())); back[0] != 5 {
		t.Errorf("the graph wrote %d", back[0])
	}
	rig.Check(t, "free", p.Free(b))
}

// Events say when a pool sleeps and wakes, and tell each byte once: those that came less those that went are those that the pool has.
func TestEvents(t *testing.T) {
	machine(t)
	p := new(PlainPool)
	rig.Closing(t, p)
	var got []string
	held := int64(0)
	defer poolrt.OnEvent(func(e poolrt.Event) {
		got = append(got, fmt.Sprintf("%v %d", e.Kind, e.Bytes/page))
		switch e.Kind {
		case poolrt.EventGrowth, poolrt.EventWake:
			held += e.Bytes
		case poolrt.EventTrim, poolrt.EventSleep:
			held -= e.Bytes
		}
		if held != e.Reserved {
			t.Errorf("%v: events tell of %d bytes, and the pool has %d", e.Kind, held, e.Reserved)
		}
	})()
	b, c := rig.Must(p.Alloc(page)), rig.Must(p.Alloc(2*page))
	rig.Check(t, "free", p.Free(c))
	rig.Check(t, "sleep", errors.Join(p.Sleep(ctx), p.Wake(ctx)))
	rig.Check(t, "free", p.Free(b))
	rig.Must(p.Trim(0))
	rig.Check(t, "sleep", errors.Join(p.Sleep(ctx), p.Wake(ctx)))
	if want := []string{"growth 1", "growth 2", "trim 2", "sleep 1", "wake 1", "trim 1", "sleep 0", "wake 0"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
