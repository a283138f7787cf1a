package lower

import "github.com/poolgen/poolgen/spec"

// params are the parameters of the suballocator, if it is in a package that the output imports, or if it stands in front of such a one; "" for others.
func (p *Pool) params() string {
	var l Literal
	flags := func() {
		l.flag("Counters", p.Spec.Stats == spec.StatsCounters)
		l.flag("Trims", p.Spec.TrimsOnFree())
		l.flag("Streams", p.Can.FreeAsync)
	}
	switch root, _ := p.coreTemplates(); {
	case root == "fixed":
		l.set(true, "BlockSize", p.Core.Stride)
		l.set(true, "ItemBytes", p.Item.Size.param())
		l.flag("Joins", p.joins())
		flags()
		l.flag("Handles", p.Can.Handle)
		return l.inline("&fixed.Params")
	case p.Spec.Suballocator.Info().Heap && !p.Spec.ByDriver():
		l.set(true, "Granule", decimal(p.Granule))
		l.set(true, "MinSplit", decimal(p.minSplit()))
		l.set(p.Spec.Fit != spec.FitGood, "Fit", fits[p.Spec.Fit])
		l.flag("PreferUsed", p.PreferUsed)
		flags()
		l.flag("Pages", p.Spec.Paged())
		l.flag("Shares", p.Can.Share)
		return l.inline("&heap.Params")
	}
	return ""
}

// joins reports whether an address in one chunk may be computed from the start of another: tiles have no addresses, and functions of the user may return
// memory of the Go heap.
func (p *Pool) joins() bool {
	return !p.OneChunk && !p.Can.FreeAsync && (p.OnDevice() || p.Spec.Allocator == spec.Host)
}
