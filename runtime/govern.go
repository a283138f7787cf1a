package poolrt

import (
	"cmp"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/cgroup"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// GovernOptions are the options of [GovernMemory]. The zero value is what programs need.
type GovernOptions struct {
	Every time.Duration // how often the limits and what is in use are read; 0: every 100 ms
	Files fs.FS         // the files of the system from its root, for tests; nil: those of this system
}

// GovernMemory keeps the program within its memory limit, until stop is called. The limit is the least of GOMEMLIMIT, or what debug.SetMemoryLimit has set, and of
// memory.max and memory.high of the control groups of the process; memory.limit_in_bytes in version 1. Without any the error is [ErrUnsupported].
//
// Go's garbage collector does not know of memory beside the Go heap, nor of control groups. So GovernMemory sets its limit: to the limit of the program, less what pools of
// host and pinned memory and the backings of pools asleep hold, less 5 %; never above what the program has set itself, nor below 64 MiB. It does so whenever that changes
// by 1 %.
//
// If more than 90 % of a limit is in use that the garbage collector cannot free, or if processes of the control group have waited for memory for 150 ms of a second, pools
// of host and pinned memory give back empty chunks, those of the lowest priority first and none below its guarantee; then the functions of their OnReclaim are called.
// Pools without a lock give nothing, as only their user may call them.
//
// GovernMemory starts one goroutine, which ends with stop. stop restores the limit that the program has set, and can be called again. A second GovernMemory before
// that is refused with [ErrUnsupported]. No package calls GovernMemory: it is for main.
func GovernMemory(o GovernOptions) (stop func(), err error) {
	if o.Files == nil {
		o.Files = os.DirFS("/")
	}
	g := &governor{group: cgroup.Find(o.Files), kick: make(chan struct{}, 1), done: make(chan struct{})}
	g.own = debug.SetMemoryLimit(-1)
	g.set = g.own
	if g.limit() == math.MaxInt64 {
		return nil, governError("neither GOMEMLIMIT nor a control group limits the memory of this process")
	}
	if !governing.CompareAndSwap(nil, g) {
		return nil, governError("GovernMemory is at work already")
	}
	forget := OnEvent(func(e Event) { g.hear(e.Kind) })
	g.adjust()
	go g.run(cmp.Or(max(o.Every, 0), 100*time.Millisecond))
	return sync.OnceFunc(func() {
		forget()
		g.stop()
	}), nil
}

func governError(detail string) error {
	return &PoolError{Pool: "memory limit", Op: "govern", Err: ErrUnsupported, Unit: "none", Detail: detail}
}

// GovernInfo is what [GovernMemory] has found and done.
type GovernInfo struct {
	Limit    int64 `json:"limit"`    // of the program: the least of GOMEMLIMIT and of its control groups
	Pools    int64 `json:"pools"`    // what pools of host and pinned memory hold, and backings
	GoLimit  int64 `json:"go_limit"` // what Go's garbage collector keeps to
	Adjusted int64 `json:"adjusted"` // how often GoLimit was set so far
	Pressed  int64 `json:"pressed"`  // how often pools had to give memory back so far
	Given    int64 `json:"given"`    // bytes that pools have given back so far
}

// Governing returns what [GovernMemory] has found and done so far; false if it is not at work. Safe for concurrent use.
func Governing() (GovernInfo, bool) {
	g := governing.Load()
	if g == nil {
		return GovernInfo{}, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.info, true
}

// governing is the governor at work, or nil.
var governing atomic.Pointer[governor]

// governor keeps the program within its memory limit.
type governor struct {
	group cgroup.Group
	kick  chan struct{} // holds an element: pools have got memory or given some back
	done  chan struct{} // closed by stop

	mu      sync.Mutex
	stopped bool
	own     int64 // the limit of the garbage collector that the program has set
	set     int64 // what the governor has made of it
	info    GovernInfo

	// Of run alone.
	stalls []stall // of the last second
}

// stall is how long processes of the group had waited at a time.
type stall struct {
	at    time.Time
	total time.Duration
}

const (
	leastGoLimit = 64 << 20
	stallWindow  = time.Second
	mostStalled  = 150 * time.Millisecond
)

// limit returns the least limit of the program.
func (g *governor) limit() int64 {
	least := g.own
	for _, l := range g.group.Levels() {
		least = min(least, l.Limit)
	}
	return least
}

// hear notes the events after which pools hold more or less.
func (g *governor) hear(kind EventKind) {
	switch kind {
	case EventGrowth, EventTrim, EventSleep, EventWake:
		select {
		case g.kick <- struct{}{}:
		default:
		}
	}
}

// run looks at the limits until stop is called.
func (g *governor) run(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-g.done:
			return
		case <-g.kick:
			g.adjust()
		case <-tick.C:
			g.adjust()
			g.relieve()
		}
	}
}

// stop ends run, and restores the limit of the garbage collector.
func (g *governor) stop() {
	close(g.done)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
	if debug.SetMemoryLimit(-1) == g.set { // else the program has set another one since
		debug.SetMemoryLimit(g.own)
	}
	governing.Store(nil)
}

// adjust sets the limit of the garbage collector, if it has to change by 1 % or more.
func (g *governor) adjust() {
	pools := hostBytes()
	g.mu.Lock()
	changed := g.adjustTo(pools)
	limit := g.set
	g.mu.Unlock()
	if changed {
		registry.Send([]Event{{Kind: EventMemoryLimit, Bytes: limit, Reserved: pools}})
	}
}

func (g *governor) adjustTo(pools int64) (changed bool) {
	if g.stopped {
		return false
	}
	if now := debug.SetMemoryLimit(-1); now != g.set {
		g.own, g.set = now, now // the program has set it
	}
	limit := g.limit()
	g.info.Limit, g.info.Pools, g.info.GoLimit = limit, pools, g.set
	if limit == math.MaxInt64 { // it was taken away
		return false
	}
	next := min(max(limit-pools-limit/20, leastGoLimit), g.own)
	if diff := max(next-g.set, g.set-next); diff == 0 || diff < g.set/100 {
		return false
	}
	debug.SetMemoryLimit(next)
	g.set = next
	g.info.GoLimit = next
	g.info.Adjusted++
	return true
}
