package lower

import (
	"slices"

	"github.com/poolgen/poolgen/spec"
)

// imported are the suballocators whose packages the output imports, each with the fields of the struct Params of its package.
var imported = map[string]func(p *Pool, l *Literal){
	"fixed": func(p *Pool, l *Literal) {
		l.set(true, "BlockSize", p.Core.Stride)
		l.set(true, "ItemBytes", p.Item.Size.param())
		l.flag("Joins", p.joins())
		p.features(l, "Counters", "Trims", "Streams", "Handles")
	},
	"heap": heapParams,
	"binned": func(p *Pool, l *Literal) {
		p.behind(l)
		l.set(true, "Bins", p.bins())
	},
	"classes": func(p *Pool, l *Literal) {
		p.behind(l)
		l.set(true, "Bins", p.bins())
		l.set(true, "PerBin", limit(p.Spec.Cache.PerBin))
		l.set(true, "Bytes", limit(p.Spec.Cache.Bytes))
	},
	"bump": func(p *Pool, l *Literal) {
		l.set(true, "Granule", decimal(p.Granule))
		p.features(l, "Counters")
		l.flag("Shares", p.feature("Shareable"))
	},
	"direct": func(p *Pool, l *Literal) {
		p.features(l, "Counters", "Streams")
		l.flag("Shares", p.feature("Shareable"))
	},
	"ring": func(p *Pool, l *Literal) {
		l.set(true, "Granule", decimal(p.Granule))
		l.set(true, "ArenaSize", p.arena())
		p.features(l, "Counters", "Trims", "Streams")
		l.flag("Shares", p.feature("Shareable"))
	},
}

// heapParams sets the parameters of a heap.
func heapParams(p *Pool, l *Literal) {
	l.set(true, "Granule", decimal(p.Granule))
	l.set(true, "MinSplit", decimal(p.minSplit()))
	l.set(p.Spec.Fit != spec.FitGood, "Fit", fits[p.Spec.Fit])
	l.flag("PreferUsed", p.PreferUsed)
	p.features(l, "Counters", "Trims", "Streams")
	l.flag("Pages", p.Spec.Paged())
	l.flag("Shares", p.feature("Shareable"))
}

// behind sets the parameters of the heap that a suballocator stands in front of.
func (p *Pool) behind(l *Literal) {
	var of Literal
	heapParams(p, &of)
	l.set(true, "Params", of.inline("heap.Params"))
}

// bins are the sizes that requests are rounded up to.
func (p *Pool) bins() string { return slice("uint64", p.Spec.Bins, decimal) }

// limit is a bound; the largest number stands for none.
func limit(n int64) string {
	if n == spec.NoLimit {
		return "1<<64 - 1"
	}
	return decimal(n)
}

// cold names the package of the suballocator, or of the one that the suballocator stands in front of, that the output imports; "" if it imports none.
func (p *Pool) cold() string {
	root, behind := p.coreTemplates()
	if root == "strips" { // which are cut off the chunks of one
		behind = "bump"
	}
	for _, name := range []string{root, behind} {
		if imported[name] != nil {
			return name
		}
	}
	return ""
}

// params are the parameters of the package that the output imports; "" if it imports none.
func (p *Pool) params() string {
	name := p.cold()
	if name == "" {
		return ""
	}
	var l Literal
	imported[name](p, &l)
	return l.inline("&" + name + ".Params")
}

// features sets fields that have the names of parameters.
func (p *Pool) features(l *Literal, names ...string) {
	for _, name := range names {
		l.flag(name, p.feature(name))
	}
}

// feature reports whether a parameter is set that all templates share.
func (p *Pool) feature(name string) bool {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.name == name && slices.Equal(s.in, feature) })
	return settings[i].value(p) == "true"
}

// joins reports whether an address in one chunk may be computed from the start of another: tiles have no addresses, and functions of the user may return
// memory of the Go heap.
func (p *Pool) joins() bool {
	return !p.OneChunk && !p.Can.FreeAsync && (p.OnDevice() || p.Spec.Allocator == spec.Host)
}
