package lower

import (
	"slices"

	"github.com/poolgen/poolgen/spec"
)

// params are the parameters of the suballocator, if it is in a package that the output imports, or if it stands in front of such a one; "" for others.
func (p *Pool) params() string {
	var l Literal
	features := func(names ...string) { // fields that have the names of parameters
		for _, name := range names {
			l.flag(name, p.feature(name))
		}
	}
	switch root, _ := p.coreTemplates(); {
	case root == "fixed":
		l.set(true, "BlockSize", p.Core.Stride)
		l.set(true, "ItemBytes", p.Item.Size.param())
		l.flag("Ranged", p.Spec.Ranged() && !p.OneChunk)
		features("Counters", "Trims", "Streams", "Handles")
		return l.inline("&fixed.Params")
	case p.Spec.Suballocator.Info().Heap && !p.Spec.ByDriver():
		l.set(true, "Granule", decimal(p.Granule))
		l.set(true, "MinSplit", decimal(p.minSplit()))
		l.set(p.Spec.Fit != spec.FitGood, "Fit", fits[p.Spec.Fit])
		l.flag("PreferUsed", p.PreferUsed)
		features("Counters", "Trims", "Streams", "Pages")
		l.flag("Shares", p.feature("Shareable"))
		return l.inline("&heap.Params")
	}
	return ""
}

// feature reports whether a parameter is set that all templates share.
func (p *Pool) feature(name string) bool {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.name == name && slices.Equal(s.in, feature) })
	return settings[i].value(p) == "true"
}
