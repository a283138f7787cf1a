package gpu

import (
	"bufio"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/gpu/pools"
)

var (
	sleeps = flag.Int("gpu.sleep", 8, "cycles of TestSleep")
	asleep = flag.Int("gpu.asleep", 64, "MiB that sleep in TestSleep")
)

// sleepers has the methods of pools that sleep, and resting those of their blocks.
type sleepers[S resting] interface {
	Alloc(int) (S, error)
	Free(S) error
	Sleep(context.Context, ...poolrt.SleepOption) error
	Wake(context.Context) error
	Stats() poolrt.Stats
	Close() error
}

type resting interface {
	Addr() cuda.DevicePtr
	Bytes() int64
}

// dormitory is a pool full of blocks, and two captured graphs: one writes every word of them, the other verifies them.
type dormitory[S resting] struct {
	*lab
	sleepers[S]
	stream         cuda.Stream
	table          cuda.DevicePtr
	write, inspect cuda.GraphExec
	blocks         []S
}

func newDormitory[S resting](l *lab, p sleepers[S], bytes int) *dormitory[S] {
	d := &dormitory[S]{lab: l, sleepers: p, stream: l.streams(1)[0]}
	var rows []byte
	for i := 0; bytes > 0; i++ {
		n := min(bytes, 1<<10*(1+i*37%1500)) / 8 * 8 // no multiple of a page
		b, err := d.Alloc(n)
		l.ok("alloc", err)
		d.blocks = append(d.blocks, b)
		rows = binary.LittleEndian.AppendUint64(rows, uint64(b.Addr()))
		rows = binary.LittleEndian.AppendUint64(rows, uint64(b.Bytes()/8))
		bytes -= n
	}
	var err error
	d.table, err = l.device.Alloc(int64(len(rows)))
	l.ok("table", err)
	l.ok("copy", cuda.CopyToDevice(d.table, rows))
	shape := cuda.Config{Grid: [3]uint32{uint32(min(len(d.blocks), 4096))}, Block: [3]uint32{256}, Stream: d.stream}
	d.write = d.capture(func() error { return l.own.Launch(shape, d.table, uint32(len(d.blocks))) })
	d.inspect = d.capture(func() error { return l.inspect.Launch(shape, d.table, uint32(len(d.blocks)), l.wrong) })
	return d
}

// capture makes a graph of work.
func (d *dormitory[S]) capture(work func() error) cuda.GraphExec {
	d.ok("begin", d.stream.BeginCapture())
	d.ok("work", work())
	g, err := d.stream.EndCapture()
	d.ok("end", err)
	exec, err := g.Instantiate()
	d.ok("instantiate", err)
	d.ok("close graph", g.Close())
	return exec
}

// run launches a graph and waits.
func (d *dormitory[S]) run(g cuda.GraphExec) {
	d.Helper()
	d.ok("launch", g.Launch(d.stream))
	d.ok("wait", d.stream.Synchronize())
}

// cycle puts the pool to sleep and wakes it.
func (d *dormitory[S]) cycle(o ...poolrt.SleepOption) (asleep, awake time.Duration) {
	d.Helper()
	ctx, begin := context.Background(), time.Now()
	d.ok("sleep", d.Sleep(ctx, o...))
	slept := time.Now()
	if s := d.Stats(); s.Asleep != 1 || s.Reserved != 0 {
		d.Errorf("asleep: %v", s)
	}
	woke := time.Now()
	d.ok("wake", d.Wake(ctx))
	return slept.Sub(begin), time.Since(woke)
}

func (d *dormitory[S]) end() {
	for _, b := range d.blocks {
		d.ok("free", d.Free(b))
	}
	d.ok("close", d.Close())
	d.ok("close graph", d.write.Close())
	d.ok("close graph", d.inspect.Close())
	d.ok("free", d.device.Free(d.table))
}

// Every word of a pool is the same after each of many sleeps, which graphs verify that were captured before the first. Neither the device nor the host loses
// memory.
func TestSleep(t *testing.T) {
	t.Run("kept", func(t *testing.T) { sleepAgain(t, new(pools.SleeperPool), new(pools.SleeperPool)) })
	t.Run("staged", func(t *testing.T) { sleepAgain(t, new(pools.StagerPool), new(pools.StagerPool)) })
}

func sleepAgain[S resting](t *testing.T, small, p sleepers[S]) {
	l := newLab(t, 0)
	first := newDormitory(l, small, 1<<20) // the driver obtains what it needs for graphs and kernels
	first.run(first.write)
	first.run(first.inspect)
	first.end()
	before := l.free()
	d := newDormitory(l, p, *asleep<<20)
	d.run(d.write)
	var device, host int64
	var down, up time.Duration
	for i := range *sleeps {
		a, b := d.cycle()
		down, up = down+a, up+b
		d.run(d.inspect)
		if n := l.errors(); n != 0 {
			t.Fatalf("cycle %d: %d words are wrong", i, n)
		}
		if i == 1 {
			device, host = l.free(), resident(t)
		}
	}
	if *sleeps > 2 {
		if n := l.free(); n != device {
			t.Errorf("%d bytes of the device are free, %d after the second cycle", n, device)
		}
		if n := resident(t); n > host+64<<20 {
			t.Errorf("%d bytes of the host are resident, %d after the second cycle", n, host)
		}
	}
	t.Logf("%d MiB in %d blocks: on average asleep in %v, awake in %v; %v", *asleep, len(d.blocks), down/time.Duration(*sleeps), up/time.Duration(*sleeps), d.Stats())
	d.cycle(poolrt.Contents(poolrt.Discard))
	d.run(d.write) // at the same addresses
	d.run(d.inspect)
	if n := l.errors(); n != 0 {
		t.Errorf("%d words are wrong after the graph has written them again", n)
	}
	l.ok("spoil", cuda.MemsetAsync(d.blocks[len(d.blocks)/2].Addr(), 0xFF, 8, d.stream))
	d.run(d.inspect)
	if n := l.errors(); n != 1 {
		t.Errorf("%d words are wrong, want the one that was spoilt", n)
	}
	l.ok("reset", cuda.MemsetAsync(l.wrong, 0, 4, d.stream))
	d.end()
	if n := l.free(); n < before {
		t.Errorf("%d bytes of the device are free, %d before", n, before)
	}
}

// resident returns the bytes of the process in memory, 0 where the system does not say.
func resident(t *testing.T) int64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			var kib int64
			if _, err := fmt.Sscan(text, &kib); err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	return 0
}
