package residual

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/templates"
)

// subject is a template package whose tests are run on its residuals.
type subject struct {
	name   string
	pkg    string // last element of its path
	params []param
	// legal refuses tuples that no pool file leads to; nil: all are legal.
	legal func(tuple) bool
	// derive adds values that follow from the others; nil: none.
	derive func(tuple) map[string]string
	// replace names the package that takes the place of one that pkg imports, as compile chooses it.
	replace map[string]string
	// skip names test files that do not fit a tuple; nil: none.
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
	pages    = param{"feature.Pages", []string{"false", "true"}}
	fits     = param{"heap.fit", []string{"fitGood", "fitFirst", "fitBest"}}
	granules = param{"heap.granule", []string{"16", "1", "256"}}
)

// subjects are the template packages with their parameters. The first value of each is near the usual one; among the others are
// the smallest, odd and large ones.
var subjects = []subject{
	{name: "tally", pkg: "tally", params: []param{counters, streams}},
	{name: "locate", pkg: "locate"},
	{name: "fixed", pkg: "fixed", skip: absent, params: []param{
		counters, trims, streams,
		{"fixed.blockSize", []string{"64", "1", "24", "65544", "1 << 20"}},
		{"fixed.itemBytes", []string{"blockSize", "1", "(blockSize + 1) / 2"}},
		{"fixed.single", yesNo},
		{"fixed.index", []string{"uint32", "uint16"}},
	}},
	{name: "strict", pkg: "strict", skip: absent, params: []param{
		counters, trims, streams,
		{"strict.blockSize", []string{"64", "1", "24", "65544", "1 << 20"}},
		{"strict.itemBytes", []string{"blockSize", "1", "(blockSize + 1) / 2"}},
		{"strict.maxHints", []string{"64", "1", "3"}},
	}, derive: perWord},
	{name: "magazines", pkg: "strict", skip: absent, params: []param{
		counters, streams,
		{"strict.blockSize", []string{"64", "1", "24"}},
		{"strict.maxHints", []string{"64", "1", "2"}},
		{"strict.magazineSize", []string{"32", "5", "1"}},
		{"strict.patience", []string{"1 << 16", "3", "100"}},
	}, derive: func(t tuple) map[string]string {
		b := kept(t)
		b["strict.itemBytes"] = "blockSize"
		return b
	}},
	{name: "heap", pkg: "heap", skip: absent, params: []param{
		counters, trims, streams, pages, granules, fits,
		{"heap.minSplit", []string{"granule", "1", "4096", "1000"}},
		{"heap.choosy", []string{"false", "true"}},
	}, legal: func(t tuple) bool {
		return t["heap.choosy"] != "true" || t["feature.Pages"] != "true" && t["feature.Trims"] != "true"
	}},
	{name: "binned", pkg: "binned", skip: absent, params: []param{
		counters, trims, streams, pages, granules, fits,
		{"heap.minSplit", []string{"granule", "4096"}},
		{"binned.bins", []string{
			"[...]uint64{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}",
			"[...]uint64{24}",
			"[...]uint64{1, 2, 3, 100, 1000}",
			"[...]uint64{256, 384, 576, 864, 1296, 1944, 2916, 4374, 6561, 9842}",
		}},
	}},
	{name: "classes", pkg: "classes", skip: absent, params: []param{
		counters, trims, streams, pages, granules,
		{"classes.bins", []string{
			"[...]uint64{512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576}",
			"[...]uint64{1000}",
			"[...]uint64{1, 2, 3, 100, 1000}",
			"[...]uint64{256, 384, 576, 864, 1296, 1944, 2916, 4374, 6561, 9842}",
		}},
		{"classes.cachePerBin", []string{"1<<63 - 1", "0", "3"}},
		{"classes.cacheBytes", []string{"1<<63 - 1", "0", "10000"}},
	}},
	{name: "ring", pkg: "ring", skip: absent, params: []param{
		counters, trims, streams,
		{"ring.granule", []string{"16", "1", "256"}},
		{"ring.arenaSize", []string{"1 << 20", "4096", "16 * granule", "65536 + 3*granule"}},
	}},
	{name: "bump", pkg: "bump", params: []param{
		counters,
		{"bump.granule", []string{"16", "1", "256", "1 << 16"}},
		{"bump.marks", yesNo},
		{"bump.stripped", yesNo},
	}, skip: func(t tuple) []string {
		if t["bump.marks"] == "false" {
			return []string{"marks_test.go"}
		}
		return nil
	}},
	{name: "strips", pkg: "strips", params: []param{
		counters,
		{"bump.granule", []string{"16", "1", "256", "1 << 16"}},
		{"strips.maxLanes", []string{"256", "1", "2"}},
	}, derive: func(tuple) map[string]string {
		return map[string]string{"bump.marks": "false", "bump.stripped": "true"}
	}},
	{name: "shards", pkg: "shards", skip: absent, params: []param{
		counters, trims, streams,
		{"shards.maxShards", []string{"64", "1", "4"}},
		{"shards.fronted", yesNo},
	}},
	slabs("classes"), slabs("heap", fits, param{"heap.minSplit", []string{"granule", "4096"}}), slabs("binned"),
	{name: "direct", pkg: "direct", skip: absent, params: []param{counters, trims, streams}},
	item("item", "hostmem"), item("itemNumbers", "numbers"), item("itemDevice", "devmem"), item("itemTiles", "tilemem"),
	sharded(item("itemStrict", "hostmem")), sharded(item("itemStrictNumbers", "numbers")), magazines(sharded(item("itemMagazines", "hostmem"))),
	span("heap", "hostmem"), span("heap", "numbers"), span("heap", "devmem"), span("heap", "tilemem"), span("binned", "hostmem"), span("classes", "hostmem"),
	span("ring", "hostmem"), span("bump", "hostmem"), span("strips", "hostmem"), span("shards", "hostmem"), span("slabs", "hostmem"), span("direct", "hostmem"),
}

// slabs is slabs in front of several of a core.
func slabs(core string, of ...param) subject {
	return subject{
		name: "slabs" + strings.ToUpper(core[:1]) + core[1:], pkg: "slabs", replace: map[string]string{"classes": core},
		params: append([]param{
			counters,
			{"slabs.maxDesks", []string{"64", "1", "4"}},
			{"slabs.leastBlocks", []string{"8", "16", "1"}},
			{"slabs.bins", []string{
				"[...]uint64{16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 4096, 5120, 65536}",
				"[...]uint64{48}",
				"[...]uint64{256, 384, 576, 864, 1296, 1952, 2928, 4384, 6576, 9856}",
				"[...]uint64{16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}",
			}},
		}, of...),
		derive: func(tuple) map[string]string {
			return map[string]string{"feature.Trims": "false", "shards.fronted": "true"}
		},
	}
}

// absent lists the tests of a suballocator that do not compile where blocks cannot be parked, or memory does not come by pages.
func absent(t tuple) (files []string) {
	if t[streams.key] == "false" {
		files = append(files, "park_test.go")
	}
	if t[pages.key] == "false" {
		files = append(files, "pages_test.go")
	}
	if t["strict.magazineSize"] == "" {
		files = append(files, "magazine_test.go")
	}
	return files
}

// config is the engine's description of a shell's pool. It is locked as the pool is, and goes to its limit soon.
const config = `runtime.Config{
	Name:        "residual",
	Allocator:   "host",
	Source:      %s,
	Locked:      %s,
	ChunkSize:   %d,
	Granularity: 4096,
	Alignment:   256,
	Limit:       %d,
	Oversize:    %t,
	Exact:       %t,
	OnePiece:    %t,
	Uncounted:   %t,
	Ladder:      []runtime.Rung{{Kind: runtime.RungTrim}, {Kind: runtime.RungError}},
	Trim:        %s,
}`

// shellConfig writes the config of a tuple.
func shellConfig(t tuple, mem string, chunk, limit int64, oversize, exact, single, uncounted bool) string {
	source, trim := "runtime.Host()", "nil"
	if mem == "numbers" {
		source, limit = "nil", 1<<62
	}
	if t[trims.key] == "true" {
		trim = "&runtime.TrimPolicy{}"
	}
	return fmt.Sprintf(config, source, t[locked.key], chunk, limit, oversize, exact, single, uncounted, trim)
}

// allocsBehind refuses allocations on streams where there are no frees on them.
func allocsBehind(t tuple) bool {
	return t[allocsOn.key] != "true" || t[streams.key] == "true"
}

// item is the shell of single blocks over a memory.
func item(name, mem string) subject {
	s := subject{name: name, pkg: "item", replace: map[string]string{"hostmem": mem}, legal: allocsBehind}
	s.skip = func(t tuple) []string { return unspilled("item", t) }
	s.params = append([]param{locked, counters, trims, streams, allocsOn, {"fixed.single", yesNo}}, memories[mem].params...)
	s.legal = onStreams
	types := mem + ".Item"
	switch mem {
	case "hostmem", "devmem":
		s.params = append(s.params, param{types, []string{"[8]uint64", "byte", "[3]float32", "[65544]byte"}})
	case "tilemem":
		s.params = append(s.params, param{"tilemem.blockTiles", []string{"1", "4", "3"}})
	}
	if memories[mem].lends {
		s.params = append(s.params, param{"item.spilled", yesNo})
	}
	s.derive = func(t tuple) map[string]string {
		size := int64(1)
		switch mem {
		case "hostmem", "devmem":
			size = map[string]int64{"[8]uint64": 64, "byte": 1, "[3]float32": 12, "[65544]byte": 65544}[t[types]]
		case "tilemem":
			n, _ := strconv.ParseInt(t["tilemem.blockTiles"], 10, 64)
			size = n << 16
		}
		chunk := (20*size + 4095) / 4096 * 4096
		limit := 4 * chunk
		if t["fixed.single"] == "true" {
			limit = chunk
		}
		b := map[string]string{
			"fixed.blockSize": strconv.FormatInt(size, 10), "fixed.itemBytes": strconv.FormatInt(size, 10),
			"item.config": shellConfig(t, mem, chunk, limit, false, false, t["fixed.single"] == "true", false),
		}
		if !memories[mem].lends {
			b["item.spilled"] = "false"
		}
		return b
	}
	return s
}

// sharded makes the shell of single blocks that of pools whose suballocator orders its callers itself.
func sharded(s subject) subject {
	s.replace = maps.Clone(s.replace)
	s.replace["fixed"] = "strict"
	s.params = slices.DeleteFunc(s.params, func(p param) bool { return p.key == locked.key || p.key == "fixed.single" })
	derive := s.derive
	s.derive = func(t tuple) map[string]string {
		t = maps.Clone(t)
		t[locked.key] = "true"
		b := derive(t)
		for _, key := range []string{"blockSize", "itemBytes"} {
			b["strict."+key] = b["fixed."+key]
			delete(b, "fixed."+key)
		}
		b[locked.key], b["feature.Sharded"] = "true", "true"
		maps.Copy(b, perWord(t))
		return b
	}
	return s
}

// perWord leaves room in the words of strict for blocks that are parked.
func perWord(t tuple) map[string]string {
	if t[streams.key] == "true" {
		return map[string]string{"strict.perWord": "16"}
	}
	return map[string]string{"strict.perWord": "32"}
}

// kept makes strict one with magazines. Such pools do not give empty chunks back by themselves.
func kept(t tuple) map[string]string {
	b := map[string]string{trims.key: "false", "feature.Magazines": "true", "strict.once": "1 << 33"}
	maps.Copy(b, perWord(t))
	return b
}

// magazines makes the shell of a shared pool that of one with magazines.
func magazines(s subject) subject {
	s.params = slices.DeleteFunc(s.params, func(p param) bool { return p.key == trims.key })
	derive := s.derive
	s.derive = func(t tuple) map[string]string {
		b := derive(t)
		maps.Copy(b, kept(t))
		return b
	}
	return s
}

// memories tells of each memory what else varies with it, and whether other pools can borrow from such pools.
var memories = map[string]struct {
	params []param
	lends  bool
}{
	"hostmem": {[]param{zeroes}, true},
	"numbers": {nil, true},
	"devmem":  {[]param{{"devmem.Apart", []string{"runtime.Spread", "1"}}}, false},
	"tilemem": {nil, false},
}

// onStreams refuses allocations on streams where there are no frees on them.
func onStreams(t tuple) bool { return t[streams.key] == "true" || t[allocsOn.key] == "false" }

// unspilled lists the tests of a shell that do not compile where no other pool's ladder names it.
func unspilled(shell string, t tuple) []string {
	if t[shell+".spilled"] != "true" {
		return []string{"spill_test.go"}
	}
	return nil
}

// span is the shell of rows of items over a core and a memory.
func span(core, mem string) subject {
	s := subject{name: "span" + strings.ToUpper(core[:1]) + core[1:], pkg: "span", replace: map[string]string{"heap": core, "hostmem": mem}, legal: allocsBehind}
	frees := core != "bump" && core != "strips"
	s.params = append([]param{locked, counters, trims}, memories[mem].params...)
	if core == "slabs" { // of pools that neither trim by themselves nor have streams
		s.params[2] = param{trims.key, []string{"false"}}
	}
	if frees && core != "slabs" { // blocks that are not freed one by one are not freed on streams
		s.params = append(s.params, streams, allocsOn)
		s.legal = onStreams
	}
	switch {
	case core == "strips" || core == "shards" || core == "slabs":
		s.params = append(s.params[1:], param{locked.key, []string{"true"}}, param{"feature.Sharded", []string{"true"}})
	case !frees:
		s.params = append(s.params, param{"bump.marks", yesNo})
	case memories[mem].lends:
		s.params = append(s.params, param{"span.spilled", yesNo})
	}
	switch mem {
	case "hostmem", "devmem":
		s.params = append(s.params, param{mem + ".Item", []string{"uint64", "byte", "[3]float32", "[300]byte"}})
	}
	s.name += map[string]string{"numbers": "Numbers", "devmem": "Device", "tilemem": "Tiles"}[mem]
	s.derive = func(t tuple) map[string]string {
		oversize := core != "ring" && frees
		b := map[string]string{
			"span.frees":  strconv.FormatBool(frees),
			"span.config": shellConfig(t, mem, 64<<10, 256<<10, oversize, core == "direct", false, !frees),
		}
		if mem == "tilemem" {
			b["span.config"] = shellConfig(t, mem, 2<<20, 64<<20, oversize, core == "direct", false, !frees)
		}
		if !frees || !memories[mem].lends {
			b["span.spilled"] = "false"
		}
		if core == "strips" {
			b["bump.marks"], b["bump.stripped"] = "false", "true"
		}
		if core == "ring" {
			b["ring.arenaSize"] = "32768"
		}
		return b
	}
	s.skip = func(t tuple) []string {
		if !frees {
			return []string{"free_test.go", "spill_test.go"}
		}
		return unspilled("span", t)
	}
	return s
}

// elsewhere are the parameters of pools on a device, whose tests need a driver, and of debug builds, with the generated pools that vary them.
var elsewhere = map[string]string{
	"feature.Shareable":  "../sharing",
	"feature.ZeroDevice": "../devices",
	"span.granule":       "../debugging/pools",
}

// TestEveryParameter demands that the matrix varies every parameter of every template.
func TestEveryParameter(t *testing.T) {
	varied := map[string]bool{}
	for _, s := range subjects {
		for _, p := range s.params {
			varied[p.key] = true
		}
		if s.derive != nil {
			for key := range s.derive(tuple{}) {
				varied[key] = true
			}
		}
	}
	for path, files := range templates.Library() {
		pkg := path[len(templates.Path)+1:]
		for _, name := range parameters(t, files) {
			if folder := elsewhere[pkg+"."+name]; folder != "" {
				if _, err := os.Stat(filepath.Join(folder, "poolgen.yaml")); err != nil {
					t.Errorf("%s.%s: %v", pkg, name, err)
				}
			} else if !varied[pkg+"."+name] {
				t.Errorf("the matrix does not vary the parameter %s.%s", pkg, name)
			}
		}
	}
}
