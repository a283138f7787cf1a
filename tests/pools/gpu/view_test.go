package gpu

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/gpu/pools"
)

// sourceOfTakers has one kernel, whose threads allocate from a view of a pool of words, each a few times, with the function of the C header. They
// add the allocations to a table for own and inspect. The tally counts rows and failures.
const sourceOfTakers = `
.version 6.0
.target sm_50
.address_size 64

.visible .entry take(.param .u64 view, .param .u64 table, .param .u64 capacity, .param .u64 tally, .param .u32 rounds)
{
	.reg .pred %p;
	.reg .b32 %t<4>, %i, %m;
	.reg .b64 %v, %e, %c, %k, %n, %bytes, %size, %room, %o, %b, %r;
	ld.param.u64 %v, [view];
	ld.param.u64 %e, [table];
	ld.param.u64 %c, [capacity];
	ld.param.u64 %k, [tally];
	ld.param.u32 %m, [rounds];
	cvta.to.global.u64 %v, %v;
	cvta.to.global.u64 %e, %e;
	cvta.to.global.u64 %k, %k;
	mov.u32 %t0, %ctaid.x;
	mov.u32 %t1, %ntid.x;
	mov.u32 %t2, %tid.x;
	mad.lo.u32 %t0, %t0, %t1, %t2;
	mul.lo.u32 %t0, %t0, 7;
	mov.u32 %i, 0;
next:
	setp.ge.u32 %p, %i, %m;
	@%p ret;
	add.u32 %t3, %t0, %i;
	rem.u32 %t3, %t3, 5;
	add.u32 %t3, %t3, 1;
	add.u32 %i, %i, 1;
	cvt.u64.u32 %n, %t3;
	shl.b64 %bytes, %n, 3;
	add.u64 %bytes, %bytes, 15;
	and.b64 %bytes, %bytes, -16;
	ld.global.u64 %size, [%v+8];
	setp.gt.u64 %p, %bytes, %size;
	@%p bra none;
	sub.u64 %room, %size, %bytes;
	ld.volatile.global.u64 %o, [%v+16];
	setp.gt.u64 %p, %o, %room;
	@%p bra none;
	atom.global.add.u64 %o, [%v+16], %bytes;
	setp.gt.u64 %p, %o, %room;
	@%p bra none;
	ld.global.u64 %b, [%v];
	add.u64 %b, %b, %o;
	atom.global.add.u64 %r, [%k], 1;
	setp.ge.u64 %p, %r, %c;
	@%p bra next;
	shl.b64 %r, %r, 4;
	add.u64 %r, %r, %e;
	st.global.u64 [%r], %b;
	st.global.u64 [%r+8], %n;
	bra next;
none:
	red.global.add.u64 [%k+8], 1;
	bra next;
}
`

// viewLab has kernels that allocate, and the table of their allocations.
type viewLab struct {
	*lab
	take        cuda.Kernel
	table       cuda.DevicePtr
	tally       cuda.DevicePtr
	capacity    int
	grid, block uint32
	pool        *pools.ArenaPool
	stream      cuda.Stream
}

// newViewLab loads the kernel take of a module, for grid times block threads.
func newViewLab(t *testing.T, grid, block, capacity int, module []byte, kernel string) *viewLab {
	l := &viewLab{lab: newLab(t, 0), capacity: capacity, grid: uint32(grid), block: uint32(block)}
	m, err := l.device.LoadModule(module)
	l.ok("load", err)
	l.take, err = m.Kernel(kernel)
	l.ok(kernel, err)
	l.table, err = l.device.Alloc(int64(16 * capacity))
	l.ok("alloc", err)
	l.tally, err = l.device.Alloc(16)
	l.ok("alloc", err)
	l.stream = l.streams(1)[0]
	l.pool, err = pools.NewArenaPool()
	l.ok("pool", err)
	t.Cleanup(func() {
		l.ok("synchronize", l.device.Synchronize())
		l.ok("close", errors.Join(l.pool.Close(), l.device.Free(l.table), l.device.Free(l.tally), m.Close()))
	})
	return l
}

// launch has kernels allocate in rounds, waits for them, and returns the allocations and the number of failures.
func (l *viewLab) launch(v pools.ArenaView, rounds int, more ...any) (got []piece, failures uint64) {
	l.Helper()
	l.ok("memset", cuda.MemsetAsync(l.tally, 0, 16, l.stream))
	shape := cuda.Config{Grid: [3]uint32{l.grid}, Block: [3]uint32{l.block}, Stream: l.stream}
	args := append([]any{v.Addr(), l.table, uint64(l.capacity), l.tally, uint32(rounds)}, more...)
	l.ok("take", l.take.Launch(shape, args...))
	l.ok("synchronize", l.stream.Synchronize())
	tally, table := make([]byte, 16), make([]byte, 16*l.capacity)
	l.ok("copy", errors.Join(cuda.CopyToHost(tally, l.tally), cuda.CopyToHost(table, l.table)))
	rows := binary.LittleEndian.Uint64(tally)
	if rows > uint64(l.capacity) {
		l.Fatalf("%d rows in a table for %d", rows, l.capacity)
	}
	for i := range rows {
		row := table[16*i:]
		got = append(got, piece{cuda.DevicePtr(binary.LittleEndian.Uint64(row)), 8 * int64(binary.LittleEndian.Uint64(row[8:]))})
	}
	return got, binary.LittleEndian.Uint64(tally[8:])
}

// check checks that the pieces lie in the view, are aligned, and overlap neither each other nor blocks of the host.
func (l *viewLab) check(v pools.ArenaView, got []piece, host ...pools.ArenaSpan) {
	l.Helper()
	for _, p := range got {
		if p.at < v.Base() || p.at.Add(p.bytes) > v.Base().Add(v.Bytes()) || p.at%16 != 0 {
			l.Fatalf("%d bytes at %v in a view of %d at %v", p.bytes, p.at, v.Bytes(), v.Base())
		}
	}
	for _, b := range host {
		got = append(got, piece{b.Addr(), b.Bytes()})
	}
	apart(l.lab, got)
}

// Threads that allocate concurrently from a view get disjoint pieces, and the host gets other memory: before the view, after it, and meanwhile.
func TestViewRace(t *testing.T) {
	l := newViewLab(t, 64, 128, 1<<16, []byte(sourceOfTakers), "take")
	var host []pools.ArenaSpan
	alloc := func() {
		b, err := l.pool.Alloc(1000)
		l.ok("alloc", err)
		host = append(host, b)
	}
	alloc()
	v, err := l.pool.View(1<<19, l.stream)
	l.ok("view", err)
	alloc()
	other, err := l.pool.View(1<<10, l.stream)
	l.ok("view", err)
	alloc()

	const rounds = 5
	got, failures := l.launch(v, rounds)
	threads := int(l.grid * l.block)
	if len(got) != threads*rounds || failures != 0 {
		t.Errorf("%d pieces and %d failures of %d", len(got), failures, threads*rounds)
	}
	// Of five rounds in a row, each takes another of 1 to 5 words: 16, 16, 32, 32 and 48 bytes.
	if used, err := v.Used(l.stream); err != nil || used != int64(threads*144) {
		t.Errorf("%d bytes used, %v", used, err)
	}
	if used, err := other.Used(l.stream); err != nil || used != 0 {
		t.Errorf("%d bytes of another view used, %v", used, err)
	}
	more, _ := l.launch(v, rounds) // continues where the last launch ended
	l.check(v, append(got, more...), host...)
	if used, err := v.Used(l.stream); err != nil || used != int64(2*threads*144) {
		t.Errorf("%d bytes used after two launches, %v", used, err)
	}
}

// Threads that find no room fail without an effect on other threads, however many and however often. After Reset, the view is empty again.
func TestViewOverflow(t *testing.T) {
	l := newViewLab(t, 64, 128, 1<<16, []byte(sourceOfTakers), "take")
	before, err := l.pool.Alloc(1000)
	l.ok("alloc", err)
	v, err := l.pool.View(10_001, l.stream)
	l.ok("view", err)
	if v.Bytes() != 80_016 {
		t.Errorf("a view of %d bytes", v.Bytes())
	}
	behind, err := l.pool.Alloc(1000)
	l.ok("alloc", err)
	for range 3 {
		got, failures := l.launch(v, 50)
		if n := uint64(l.grid * l.block * 50); uint64(len(got))+failures != n || failures == 0 {
			t.Errorf("%d pieces and %d failures of %d", len(got), failures, n)
		}
		used := int64(0)
		for _, p := range got {
			used += (p.bytes + 15) &^ 15
		}
		if used > v.Bytes() || used < v.Bytes()-16*1024 {
			t.Errorf("%d bytes of %d were handed out", used, v.Bytes())
		}
		l.check(v, got, before, behind)
		if got, err := v.Used(l.stream); err != nil || got < used || got > v.Bytes() {
			t.Errorf("%d bytes used, %d handed out, %v", got, used, err)
		}
		if got, _ := l.launch(v, 0); len(got) != 0 {
			t.Errorf("%d pieces in no round", len(got))
		}
		l.ok("reset", v.Reset(l.stream))
		if got, err := v.Used(l.stream); err != nil || got != 0 {
			t.Errorf("%d bytes used after Reset, %v", got, err)
		}
	}
}

// Misuse is refused.
func TestViewMisuse(t *testing.T) {
	l := newViewLab(t, 1, 32, 1<<10, []byte(sourceOfTakers), "take")
	for n, want := range map[int]error{0: poolrt.ErrBadSize, -1: poolrt.ErrBadSize, math.MinInt: poolrt.ErrBadSize,
		math.MaxInt: poolrt.ErrBadSize, math.MaxInt / 8: poolrt.ErrBadSize, math.MaxInt / 16: poolrt.ErrTooLarge, 8 << 20: poolrt.ErrTooLarge, 1 << 20: poolrt.ErrTooLarge} {
		if v, err := l.pool.View(n, l.stream); !errors.Is(err, want) || v != (pools.ArenaView{}) {
			t.Errorf("View(%d): %v, %v, want %v", n, v, err, want)
		}
	}
	if _, err := l.pool.View(1<<20-4, l.stream); err != nil { // the chunk has 32 bytes before the view
		t.Errorf("the largest view: %v", err)
	}
	_, err := pools.ArenaView{}.Used(l.stream)
	for what, err := range map[string]error{"Used": err, "Reset": pools.ArenaView{}.Reset(l.stream)} {
		if !errors.Is(err, poolrt.ErrForeign) {
			t.Errorf("%s of no view: %v", what, err)
		}
	}
	// After a Reset of the pool, the memory has another owner, whose data is not mistaken for a view.
	l.ok("reset", l.pool.Reset())
	v, err := l.pool.View(100, l.stream)
	l.ok("view", err)
	l.ok("reset", l.pool.Reset())
	b, err := l.pool.Alloc(100)
	l.ok("alloc", err)
	l.ok("zero", b.Zero(l.stream))
	if _, err := v.Used(l.stream); !errors.Is(err, poolrt.ErrForeign) {
		t.Errorf("Used of a view that has ended: %v", err)
	}
	// Work of a captured stream runs later, perhaps several times. A view cannot be made on it, and nothing was allocated.
	before := l.pool.Stats().LiveBytes
	l.ok("capture", l.stream.BeginCapture())
	if _, err := l.pool.View(100, l.stream); err == nil {
		t.Error("a view was made on a captured stream")
	}
	g, err := l.stream.EndCapture()
	l.ok("end capture", err)
	l.ok("close", g.Close())
	if now := l.pool.Stats().LiveBytes; now != before {
		t.Errorf("%d bytes live, and %d before", now, before)
	}
	// Close ends views, as it ends all blocks.
	_, err = l.pool.View(100, l.stream)
	l.ok("view", err)
	l.ok("close", l.pool.Close())
	if _, err := l.pool.View(100, l.stream); !errors.Is(err, poolrt.ErrClosed) {
		t.Errorf("View of a closed pool: %v", err)
	}
}

// Kernels that were launched by kernels allocate from the same view. Their module is built from testdata/view.cu, which states how, and named by POOLGEN_VIEW_CUBIN.
func TestViewDynamicParallelism(t *testing.T) {
	name := os.Getenv("POOLGEN_VIEW_CUBIN")
	if name == "" {
		t.Skip("POOLGEN_VIEW_CUBIN names no module: see testdata/view.cu")
	}
	module, err := os.ReadFile(name)
	fatal.If(t, err)
	const children, rounds = 8, 5
	l := newViewLab(t, 16, 128, 1<<18, module, "parent")
	host, err := l.pool.Alloc(1000)
	l.ok("alloc", err)
	v, err := l.pool.View(1<<19, l.stream)
	l.ok("view", err)
	got, failures := l.launch(v, rounds, uint32(children))
	threads := int(l.grid*l.block) * (1 + children)
	if len(got) != threads*rounds || failures != 0 {
		t.Errorf("%d pieces and %d failures of %d", len(got), failures, threads*rounds)
	}
	l.check(v, got, host)
	if used, err := v.Used(l.stream); err != nil || used != int64(threads*144) {
		t.Errorf("%d bytes used, %v", used, err)
	}
}
