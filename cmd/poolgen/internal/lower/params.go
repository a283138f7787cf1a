package lower

import "github.com/poolgen/poolgen/spec"

// params are the parameters of a suballocator whose package the output imports; "" if the output has all of the suballocator.
func (p *Pool) params() string {
	if !p.Core.Imported {
		return ""
	}
	var l Literal
	l.set(true, "BlockSize", p.Core.Stride)
	l.set(true, "ItemBytes", p.unit().expr("uint64"))
	l.flag("Joins", p.joins())
	l.flag("Counters", p.Spec.Stats == spec.StatsCounters)
	l.flag("Trims", p.Spec.TrimsOnFree())
	l.flag("Streams", p.Can.FreeAsync)
	l.flag("Handles", p.Can.Handle)
	return l.inline("&fixed.Params")
}

// joins reports whether an address in one chunk may be computed from the start of another: tiles have no addresses, and functions of the user may return
// memory of the Go heap.
func (p *Pool) joins() bool {
	return !p.OneChunk && !p.Can.FreeAsync && (p.OnDevice() || p.Spec.Allocator == spec.Host)
}
