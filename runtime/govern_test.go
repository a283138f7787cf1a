package poolrt_test

import (
	"errors"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"io/fs"

	"github.com/poolgen/poolgen/generated_examples/memorylimit"
	"github.com/poolgen/poolgen/generated_examples/quickstart"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// group is the control group of a process, as files that a test changes.
type group struct {
	mu    sync.Mutex
	files fstest.MapFS
}

func newGroup(limit, used int64) *group {
	g := &group{files: fstest.MapFS{}}
	g.write("proc/self/mountinfo", "31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
	g.write("proc/self/cgroup", "0::/a")
	g.set("memory.max", limit)
	g.set("memory.current", used)
	return g
}

func (g *group) Open(name string) (fs.File, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.files.Open(name)
}

func (g *group) write(name, text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.files[name] = &fstest.MapFile{Data: []byte(text)}
}

func (g *group) set(name string, n int64) { g.write("sys/fs/cgroup/a/"+name, strconv.FormatInt(n, 10)) }

func (g *group) stalled(total time.Duration) {
	g.write("sys/fs/cgroup/a/memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total="+strconv.FormatInt(total.Microseconds(), 10))
}

// govern calls GovernMemory until the test ends.
func govern(t *testing.T, files fs.FS) (stop func()) {
	t.Helper()
	stop, err := poolrt.GovernMemory(poolrt.GovernOptions{Files: files, Every: time.Millisecond})
	fatal.If(t, err)
	t.Cleanup(stop)
	return stop
}

// goLimit is the limit of Go's garbage collector.
func goLimit() int64 { return debug.SetMemoryLimit(-1) }

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatal("it never comes that ", what)
		}
	}
}

// Go's limit is that of the control group, less what pools hold and 5 %. It follows the pools and the limit, and stop restores what the program has set.
func TestGovern(t *testing.T) {
	before := goLimit()
	if before != math.MaxInt64 {
		t.Skip("a memory limit is set")
	}
	g := newGroup(10<<30, 1<<30)
	stop := govern(t, g)
	if got := goLimit(); got >= 10<<30-10<<30/21 || got < 9<<30 {
		t.Errorf("Go's limit is %d", got)
	}
	was := goLimit()
	c, err := memorylimit.NewCache(poolrt.WithPrime(1 << 30))
	fatal.If(t, err)
	until(t, "the pool is noticed", func() bool {
		i, _ := poolrt.Governing()
		return i.Pools >= 1<<30 && goLimit() < was-1<<30+was/50 // changes below 1 % are left
	})
	if i, ok := poolrt.Governing(); !ok || i.Limit != 10<<30 || i.GoLimit != goLimit() || i.Pools < 1<<30 || i.Adjusted < 2 || i.Pressed != 0 {
		t.Errorf("GovernInfo is %+v, %v", i, ok)
	}
	fatal.If(t, c.Close())
	until(t, "the pool is gone", func() bool { return goLimit() > was-was/50 })
	g.set("memory.high", 1<<30)
	until(t, "the limit falls", func() bool { return goLimit() < 1<<30 })
	g.set("memory.max", 10<<20)
	until(t, "the least limit is set", func() bool { return goLimit() == 64<<20 })
	stop()
	stop()
	if goLimit() != before {
		t.Errorf("Go's limit is %d after stop", goLimit())
	}
	if _, ok := poolrt.Governing(); ok {
		t.Error("it is at work after stop")
	}
}

// What the program sets itself is the highest limit, also while GovernMemory is at work, and stays when it ends.
func TestGovernOwnLimit(t *testing.T) {
	before := debug.SetMemoryLimit(2 << 30)
	defer debug.SetMemoryLimit(before)
	g := newGroup(10<<30, 1<<30)
	stop := govern(t, g)
	if i, _ := poolrt.Governing(); i.Limit != 2<<30 || goLimit() >= 2<<30-2<<30/21 {
		t.Errorf("the limit is %d, and Go's %d", i.Limit, goLimit())
	}
	debug.SetMemoryLimit(3 << 30)
	until(t, "the new limit is seen", func() bool { i, _ := poolrt.Governing(); return i.Limit == 3<<30 })
	stop()
	if goLimit() != 3<<30 {
		t.Errorf("Go's limit is %d after stop", goLimit())
	}
	debug.SetMemoryLimit(2 << 30)
	stop = govern(t, fstest.MapFS{}) // GOMEMLIMIT alone
	if goLimit() >= 2<<30-2<<30/21 {
		t.Errorf("without a control group, Go's limit is %d", goLimit())
	}
	debug.SetMemoryLimit(1 << 30)
	stop() // perhaps before the governor has looked
	if goLimit() != 1<<30 {
		t.Errorf("Go's limit is %d after stop, and the program has set another one", goLimit())
	}
}

// Without a limit there is nothing to keep to, and one governor is enough.
func TestGovernRefused(t *testing.T) {
	if goLimit() != math.MaxInt64 {
		t.Skip("a memory limit is set")
	}
	for what, files := range map[string]fs.FS{"no group": fstest.MapFS{}, "no limit": newGroup(math.MaxInt64, 0)} {
		if stop, err := poolrt.GovernMemory(poolrt.GovernOptions{Files: files}); !errors.Is(err, poolrt.ErrUnsupported) || stop != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	g := newGroup(10<<30, 0)
	govern(t, g)
	if _, err := poolrt.GovernMemory(poolrt.GovernOptions{Files: g}); !errors.Is(err, poolrt.ErrUnsupported) || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second one: %v", err)
	}
}

// When memory is short, pools give back what is empty, the lowest priority first; then they are asked to free something. Pools without a lock are left alone.
func TestGovernPressure(t *testing.T) {
	if goLimit() != math.MaxInt64 {
		t.Skip("a memory limit is set")
	}
	var given []poolrt.Event
	var mu sync.Mutex
	defer poolrt.OnEvent(func(e poolrt.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == poolrt.EventReclaim {
			given = append(given, e)
		}
	})()
	vertices, err := quickstart.NewVertexPool(poolrt.WithPrime(64 << 10)) // of the usual priority
	fatal.If(t, err)
	defer vertices.Close()
	c, err := memorylimit.NewCache(poolrt.WithPrime(8 << 20))
	fatal.If(t, err)
	defer c.Close()
	for range 4 {
		if _, err := c.Add(1 << 20); err != nil {
			t.Fatal(err)
		}
	}
	g := newGroup(10<<30, 1<<30)
	g.stalled(0)
	govern(t, g)
	g.set("memory.current", 20<<30) // so much more than the limit that the garbage of this test does not matter
	until(t, "pages go, and what is empty", func() bool { return c.Bytes() < 4<<20 && vertices.Stats().Reserved == 0 })
	g.set("memory.current", 1<<30)
	fatal.If(t, vertices.Prime(64<<10))
	mu.Lock()
	if e := given[0]; !strings.HasSuffix(e.Pool, ".Page") || e.For != "the memory limit" || e.Bytes == 0 {
		t.Errorf("the first event is %+v", e)
	}
	mu.Unlock()
	var total atomic.Int64
	until(t, "a stall is noticed", func() bool {
		g.stalled(time.Duration(total.Add(int64(50 * time.Millisecond))))
		return vertices.Stats().Reserved == 0
	})
	if i, _ := poolrt.Governing(); i.Pressed == 0 || i.Given == 0 {
		t.Errorf("GovernInfo is %+v", i)
	}
}
