package lower

import (
	"slices"

	"github.com/poolgen/poolgen/spec"
)

// imported are the suballocators whose packages the output imports, each with the fields of the struct Params of its package. behind are the parameters of
// the suballocator that one stands in front of.
var imported = map[string]func(p *Pool, l *Literal, behind string){
	"fixed": func(p *Pool, l *Literal, behind string) {
		l.set(true, "BlockSize", p.Core.Stride)
		l.set(true, "ItemBytes", p.Item.Size.param())
		l.flag("Ranged", p.Spec.Ranged() && !p.OneChunk)
		p.features(l, "Counters", "Trims", "Streams", "Handles")
	},
	"strict": func(p *Pool, l *Literal, _ string) {
		l.set(true, "BlockSize", p.Core.Stride)
		l.set(true, "ItemBytes", p.Item.Size.param())
		l.set(true, "PerWord", decimal(int64(p.PerWord)))
		l.set(p.Spec.Magazine > 0, "Magazine", decimal(int64(p.Spec.Magazine)))
		p.features(l, "Counters", "Trims", "Streams", "AllocsOn", "Sampled", "Owns")
	},
	"heap":   heapParams,
	"binned": func(p *Pool, l *Literal, _ string) { p.binParams(l) },
	"classes": func(p *Pool, l *Literal, _ string) {
		p.binParams(l)
		l.set(true, "PerBin", limit(p.Spec.Cache.PerBin))
		l.set(true, "Bytes", limit(p.Spec.Cache.Bytes))
	},
	"bump": bumpParams,
	"strips": func(p *Pool, l *Literal, _ string) {
		var of Literal
		bumpParams(p, &of, "")
		l.set(true, "Params", of.inline("bump.Params"))
		p.samplesParam(l)
	},
	"direct": func(p *Pool, l *Literal, _ string) { p.features(l, "Counters", "Streams", "Shareable") },
	"ring": func(p *Pool, l *Literal, _ string) {
		l.set(true, "Granule", decimal(p.Granule))
		l.set(true, "ArenaSize", p.arena())
		p.features(l, "Counters", "Trims", "Streams", "Shareable")
	},
	"shards": shardsParams,
	"slabs": func(p *Pool, l *Literal, behind string) {
		var of Literal
		shardsParams(p, &of, behind)
		l.set(true, "Shards", of.inline("shards.Params"))
		l.set(true, "Bins", slice("uint64", p.Slabs, decimal))
		if p.Spec.Suballocator.Info().Bins == nil { // blocks have many sizes, and memory matters
			l.set(true, "LeastBlocks", "8")
			l.flag("Crowds", true)
		} else {
			l.set(true, "LeastBlocks", "16")
		}
		p.features(l, "Counters", "AllocsOn")
	},
}

// bumpParams sets the parameters of what allocates blocks one behind the other.
func bumpParams(p *Pool, l *Literal, _ string) {
	l.set(true, "Granule", decimal(p.Granule))
	p.features(l, "Counters", "Shareable")
}

// heapParams sets the parameters of a heap.
func heapParams(p *Pool, l *Literal, _ string) {
	l.set(true, "Granule", decimal(p.Granule))
	l.set(true, "MinSplit", decimal(p.minSplit()))
	l.set(p.Spec.Fit != spec.FitGood, "Fit", fits[p.Spec.Fit])
	l.flag("PreferUsed", p.PreferUsed)
	p.features(l, "Counters", "Trims", "Streams", "Shareable")
	l.flag("Pages", p.Spec.Paged())
}

// binParams sets the parameters of a heap that has bins in front.
func (p *Pool) binParams(l *Literal) {
	var of Literal
	heapParams(p, &of, "")
	l.set(true, "Params", of.inline("heap.Params"))
	l.set(true, "Bins", slice("uint64", p.Spec.Bins, decimal))
}

// limit is a bound; the largest number stands for none.
func limit(n int64) string {
	if n == spec.NoLimit {
		return "1<<64 - 1"
	}
	return decimal(n)
}

// shardsParams sets the parameters of the suballocators of all processors.
func shardsParams(p *Pool, l *Literal, behind string) {
	l.set(behind != "", "Behind", behind)
	p.features(l, "Streams", "Shareable")
	p.samplesParam(l)
}

// samplesParam sets the parameter of a suballocator that counts requests.
func (p *Pool) samplesParam(l *Literal) { l.set(p.samples(), "Samples", p.weights()) }

// params are the parameters of the suballocator, if the output imports its package; else "".
func (p *Pool) params() string {
	root, behind := p.coreTemplates()
	return p.paramsOf(root, p.paramsOf(behind, ""))
}

// paramsOf are the parameters of the package with a name, if the output imports it; else "".
func (p *Pool) paramsOf(name, behind string) string {
	if imported[name] == nil {
		return ""
	}
	var l Literal
	imported[name](p, &l, behind)
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
