package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// setting is a parameter of templates, with its value for a pool. The table below holds all of them; specialize.Reduce drops those that an
// instance does not mention.
type setting struct {
	name  string             // "blockSize"
	in    []string           // templates that declare it, or may: those of the table of suballocators use one name for one thing
	value func(*Pool) string // as Go code; "" leaves the template its own
	typ   bool               // it is a type
	keys  string             // of the pool file, that decide it, the most important first; "" if many keys do
}

// settings are by subject.
var settings = []setting{
	// Blocks of one size.
	{name: "itemBytes", in: cores, keys: "item", value: func(p *Pool) string { return p.Item.Size.param() }},
	{name: "blockSize", in: cores, keys: "block_size item alignment", value: func(p *Pool) string { return p.Stride.param() }},
	{name: "perWord", in: in("strict"), keys: "ordering", value: func(p *Pool) string { return decimal(int64(p.PerWord)) }},

	// Blocks of many sizes.
	flag("marks", in("bump"), func(p *Pool) bool { return p.Can.Mark }).by("suballocator concurrency"),

	// What all templates share.
	flag("Locked", feature, (*Pool).Locked).by("concurrency ordering"),
	flag("Sharded", feature, func(p *Pool) bool { return p.Spec.Shared() }).by("concurrency"),
	flag("Magazines", feature, func(p *Pool) bool { return p.Spec.Magazine > 0 }).by("magazine"),
	flag("Owns", feature, (*Pool).owns).by("concurrency trim magazine ordering zero guard profile"),
	flag("Counters", feature, func(p *Pool) bool { return p.Spec.Stats == spec.StatsCounters }).by("stats"),
	flag("Trims", feature, func(p *Pool) bool { return p.Spec.TrimsOnFree() }).by("trim"),
	flag("ZeroAlways", feature, func(p *Pool) bool { return p.Spec.Zero == spec.ZeroAlways && !p.OnDevice() }).by("zero allocator"),
	flag("ZeroDevice", feature, (*Pool).ClearsOnDevice).by("zero allocator ordering"),
	flag("Streams", feature, func(p *Pool) bool { return p.Can.FreeAsync }).by("ordering suballocator"),
	flag("AllocsOn", feature, func(p *Pool) bool { return p.Can.OnStream }).by("ordering suballocator"),
	flag("ByDriver", feature, func(p *Pool) bool { return p.Spec.ByDriver() }).by("ordering"),
	flag("Rounds", feature, func(p *Pool) bool { return p.Can.OnStream && len(p.Slabs) > 0 }).by("ordering suballocator concurrency trim"),
	flag("Shareable", feature, func(p *Pool) bool { return p.Can.Share }).by("shareable"),
	flag("Sampled", feature, (*Pool).samples).by("guard profile"),
	{name: "SampleBlock", in: feature, keys: "guard profile", value: func(p *Pool) string { return decimal(p.sampling().perBlock) }},
	{name: "SampleByte", in: feature, keys: "profile guard", value: func(p *Pool) string { return decimal(p.sampling().perByte) }},
	flag("Sleeps", feature, func(p *Pool) bool { return p.Spec.Sleep != nil }).by("sleep"),
	flag("Captures", feature, func(p *Pool) bool { return p.Spec.Capture == spec.CapturePrivate }).by("capture"),
	flag("Finds", feature, func(p *Pool) bool { return p.Can.Find }).by("lookup"),
	flag("Resizes", feature, func(p *Pool) bool { return p.Can.Find && p.Can.Free && p.OnHost() && !p.Spec.ItemForm() }).by("lookup allocator suballocator"),
	flag("Indexed", feature, func(p *Pool) bool { return p.Can.Index }).by("lookup"),
	flag("Handles", feature, func(p *Pool) bool { return p.Can.Handle }).by("lookup"),

	// Shells, and the form of blocks.
	{name: "config", in: in("item span"), value: func(p *Pool) string { return p.Config.lines("poolimpl.Config") }},
	flag("bytes", in("span"), func(p *Pool) bool { return p.Spec.Item.Kind == spec.ItemBytes }).by("item"),
	flag("frees", in("span"), func(p *Pool) bool { return p.Can.Free }).by("suballocator"),
	{name: "Item", in: in("hostmem devmem"), keys: "item", typ: true, value: func(p *Pool) string { return p.Item.Core.String() }},
	{name: "Spacing", in: in("devmem"), keys: "shareable allocator", value: (*Pool).spacing},
	{name: "blockTiles", in: in("tilemem"), keys: "block_size", value: func(p *Pool) string { return decimal(max(p.Spec.BlockSize/spec.TileBytes, 1)) }},
}

// KeyOf names the key of the pool file that decides a parameter such as "fixed.blockSize": the most important of several, or "" if none does.
func KeyOf(param string) string {
	key, _, _ := strings.Cut(keysOf(param), " ")
	return key
}

// keysOf names all keys that decide a parameter.
func keysOf(param string) string {
	template, name, _ := strings.Cut(param, ".")
	for _, s := range settings {
		if s.name == name && slices.Contains(s.in, template) {
			return s.keys
		}
	}
	return ""
}

// cores are the templates of suballocators.
var cores = templatesOf(spec.Suballocators())

func templatesOf(list []spec.Suballocator) (names []string) {
	for _, s := range list {
		for _, name := range []string{s.Info().Template, s.Info().Sharded, s.Info().ByDriver} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// feature holds the settings that are on or off in all templates of a pool.
var feature = in("feature")

func in(templates string) []string { return strings.Fields(templates) }

// by names the keys of the pool file that decide a setting.
func (s setting) by(keys string) setting {
	s.keys = keys
	return s
}

// flag is a setting that is on or off.
func flag(name string, in []string, on func(*Pool) bool) setting {
	return setting{name: name, in: in, value: func(p *Pool) string { return fmt.Sprint(on(p)) }}
}

// fits are the constants of package heap for the values of the key fit.
var fits = map[spec.Fit]string{spec.FitFirst: "heap.FirstFit", spec.FitBest: "heap.BestFit"}

func (p *Pool) minSplit() int64 { return max(p.Spec.MinSplit, p.Granule) }

// arena returns the size of the parts that a ring reuses. A range of numbers is one part.
func (p *Pool) arena() string {
	if p.Numbers() {
		return "1<<63 - 1"
	}
	return decimal(roundUp(p.Spec.ArenaSize, p.Granule))
}
