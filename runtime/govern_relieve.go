package poolrt

import (
	"cmp"
	"math"
	gometrics "runtime/metrics"
	"slices"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// relieve has pools give memory back if it is short.
func (g *governor) relieve() {
	short := g.short()
	if short <= 0 {
		return
	}
	given := giveHost(short)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.info.Pressed++
	g.info.Given += given
}

// short returns how many bytes are in use, and cannot be collected, beyond 90 % of a limit; or a twentieth of the limit if processes wait for memory.
func (g *governor) short() (bytes int64) {
	g.mu.Lock()
	own, limit := g.own, g.info.Limit
	pools := g.info.Pools
	g.mu.Unlock()
	total, garbage := goMemory()
	if own < math.MaxInt64 {
		bytes = total - garbage + pools - own/10*9
	}
	for _, l := range g.group.Levels() {
		bytes = max(bytes, l.Used-garbage-l.Limit/10*9)
	}
	if g.stalled(time.Now()) {
		bytes = max(bytes, limit/20)
	}
	return bytes
}

// stalled reports whether processes of the group have waited for memory for too long within the last second. What it has reported counts no more.
func (g *governor) stalled(now time.Time) bool {
	total := g.group.Stalled()
	g.stalls = slices.DeleteFunc(g.stalls, func(s stall) bool { return now.Sub(s.at) > stallWindow })
	long := len(g.stalls) > 0 && total-g.stalls[0].total >= mostStalled
	if long {
		g.stalls = nil
	}
	g.stalls = append(g.stalls, stall{now, total})
	return long
}

// goMemory returns what the Go runtime has of the system, and how much of that the garbage collector could free.
func goMemory() (total, garbage int64) {
	s := []gometrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/gc/heap/live:bytes"}}
	gometrics.Read(s)
	v := func(i int) int64 { return int64(s[i].Value.Uint64()) }
	return v(0) - v(1), max(v(2)+v(3)+v(4)-v(5), 0)
}

// hostPool is the part of an engine that a governor uses.
type hostPool interface {
	pool
	// GiveEmpty returns empty chunks of so many bytes or, if the pool has less that it may give, all. to names who needs them.
	GiveEmpty(bytes int64, to string) int64
	// CallHooks calls the functions of OnReclaim, and returns the bytes that went back meanwhile.
	CallHooks(bytes int64, to string) int64
}

// onHost reports whether the memory of a pool is the host's.
func onHost(i *PoolInfo) bool {
	return i.Unit == "bytes" && (i.Allocator == "host" || i.Allocator == "pinned")
}

// hostBytes returns what pools of host and pinned memory hold, and the backings of others.
func hostBytes() (n int64) {
	for _, p := range allPools() {
		i := p.Info()
		if n += i.Stats.Backing; onHost(&i) {
			n += i.Stats.Reserved
		}
	}
	return n
}

// governed is who needs what pools give for the memory limit.
const governed = "the memory limit"

// giveHost has pools of host and pinned memory give back so many bytes: empty chunks first, then what their functions free. The lowest priority comes first.
func giveHost(bytes int64) (given int64) {
	type ranked struct {
		hostPool
		priority int
	}
	var all []ranked
	for _, p := range registry.All[hostPool]() {
		if i := p.Info(); onHost(&i) {
			all = append(all, ranked{p, i.Priority})
		}
	}
	slices.SortStableFunc(all, func(x, y ranked) int { return cmp.Compare(x.priority, y.priority) })
	for _, hooks := range []bool{false, true} {
		for _, p := range all {
			if given >= bytes {
				return given
			}
			if hooks {
				given += p.CallHooks(bytes-given, governed)
			}
			if given < bytes {
				given += p.GiveEmpty(bytes-given, governed)
			}
		}
	}
	return given
}
