package residual

import (
	"slices"

	"github.com/poolgen/poolgen/spec"
)

// subject is a template package whose tests are run on its residuals.
type subject struct {
	name   string
	pkg    string // last element of its path
	params []param
	// legal reports whether a pool file can lead to a tuple; nil: all are legal.
	legal func(tuple) bool
	// derive returns the values that follow from the others; nil: none.
	derive func(tuple) map[string]string
	// replace names the replacements of packages that pkg imports, as package compile chooses them.
	replace map[string]string
	// skip returns the test files that do not fit a tuple; nil: none.
	skip func(tuple) []string
}

var (
	yesNo    = []string{"true", "false"}
	locked   = param{"feature.Locked", yesNo}
	counters = param{"feature.Counters", yesNo}
	trims    = param{"feature.Trims", yesNo}
	zeroes   = param{"feature.ZeroAlways", yesNo}
	streams  = param{"feature.Streams", []string{"false", "true"}}
	allocsOn = param{"feature.AllocsOn", []string{"false", "true"}}
	handles  = param{"feature.Handles", []string{"false", "true"}}
	sampled  = param{"feature.Sampled", []string{"false", "true"}}
	sleeps   = param{"feature.Sleeps", []string{"false", "true"}}
	captures = param{"feature.Captures", []string{"false", "true"}}
	magazine = param{"feature.Magazines", []string{"false", "true"}}
	owns     = param{"feature.Owns", []string{"false", "true"}}
)

// These are fields of the configuration alone.
var (
	single = param{"config.single", yesNo}
	ranged = param{"config.ranged", yesNo}
)

// subjects returns the template packages with their parameters: those that are listed, and suballocators in their shell.
var subjects = slices.Concat(listed, []subject{
	item("item", "hostmem"), item("itemNumbers", "numbers"), item("itemDevice", "devmem"), item("itemTiles", "tilemem"),
	sharded(item("itemStrict", "hostmem")), sharded(item("itemStrictNumbers", "numbers")), magazines(sharded(item("itemMagazines", "hostmem"))),
	owners(sharded(item("itemOwned", "hostmem"))), owners(sharded(item("itemOwnedDevice", "devmem"))),
	span("heap", "numbers"), span("heap", "devmem"), span("heap", "tilemem"), span("shards", "hostmem"), span("slabs", "hostmem"),
}, spans())

// listed returns template packages with parameters that no other has. The first value of each is near the usual one; among the others are
// the smallest, odd and large ones.
var listed = []subject{
	{name: "fixed", pkg: "fixed", params: []param{
		trims, handles,
		{"feature.Indexed", yesNo},
		{"fixed.blockSize", []string{"64", "1", "24", "65544", "1 << 20"}},
		{"fixed.itemBytes", []string{"blockSize", "1", "(blockSize + 1) / 2"}},
	}},
	{name: "strict", pkg: "strict", legal: func(t tuple) bool { return mayTrim(t) && mayOwn(t) }, params: []param{
		counters, trims, streams, sampled, magazine, owns,
		{"feature.Indexed", yesNo},
		{"strict.blockSize", []string{"64", "1", "24", "65544", "1 << 20"}},
		{"strict.itemBytes", []string{"blockSize", "1", "(blockSize + 1) / 2"}},
	}, derive: perWord},
}

// core is a suballocator of a template: alone, or for many goroutines.
type core struct {
	spec.SuballocatorInfo
	template string
	shared   bool
}

func (c core) frees() bool { return c.Order != spec.AllAtOnce }

// cores returns the cores of the table.
func cores() (list []core) {
	for _, s := range spec.Suballocators() {
		info := s.Info()
		list = append(list, core{info, info.Template, false})
		if info.Sharded != "" {
			list = append(list, core{info, info.Sharded, true})
		}
	}
	return list
}

// coreOf returns the suballocator with a template. Suballocators in front of others accept requests of any length, and frees in any order.
func coreOf(template string) core {
	for _, c := range cores() {
		if c.template == template {
			return c
		}
	}
	return core{spec.SuballocatorInfo{Order: spec.AnyOrder, Large: true}, template, true}
}

// spans returns the suballocators of many sizes in their shell.
func spans() (list []subject) {
	for _, c := range cores() {
		if !c.OneSize {
			list = append(list, span(c.template, "hostmem"))
		}
	}
	return list
}

// perWord leaves room in the words of strict for pending blocks.
func perWord(t tuple) map[string]string {
	if t[streams.key] == "true" {
		return map[string]string{"strict.perWord": "16"}
	}
	return map[string]string{"strict.perWord": "32"}
}
