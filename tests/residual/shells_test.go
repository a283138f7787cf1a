package residual

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// config is the engine's configuration of a shell's pool. It has the lock of the pool, and a small limit.
const config = `poolimpl.Config{
	Name:        "residual",
	Allocator:   "host",
	Source:      %s,
	Core:        %s,
	Locked:      %s,
	ChunkSize:   %d,
	Granularity: 4096,
	Alignment:   256,
	Limit:       %d,
	Oversize:    %t,
	Direct:      %t,
	SingleChunk: %t,
	Uncounted:   %t,
	Ladder:      []poolimpl.Rung{poolimpl.TrimRung{}, poolimpl.ErrorRung{}},
	Trim:        %s,
	ZeroAlways:  %s,
	Sampling:    %s,
	Order:       %s,
}`

// shellConfig writes the config of a tuple.
func shellConfig(t tuple, mem, core string, chunk, limit int64, oversize, direct, single, uncounted bool) string {
	source, trim, zero, sampling, order := "poolimpl.Host()", "nil", "false", "nil", "nil"
	if t[sampled.key] == "true" { // one block in five, of those of 8 bytes
		sampling = "&poolimpl.Sampling{Weights: poolimpl.Weights{PerBlock: 8, PerByte: 1}, Mean: 80}"
	}
	if mem == "numbers" {
		source, limit = "nil", 1<<62
	}
	if t[trims.key] == "true" {
		trim = "&poolimpl.TrimPolicy{}"
	}
	if t[zeroes.key] == "true" {
		zero = "true"
	}
	if t[streams.key] == "true" {
		order = "poolimpl.OnStreams{}"
	}
	return fmt.Sprintf(config, source, core, t[locked.key], chunk, limit, oversize, direct, single, uncounted, trim, zero, sampling, order)
}

// weights are those of the sampling in a config.
var weights = map[string]string{"feature.SampleBlock": "8", "feature.SampleByte": "1"}

// allocsBehind reports whether a tuple is legal: one with allocations on streams has frees on streams too.
func allocsBehind(t tuple) bool {
	return t[allocsOn.key] != "true" || t[streams.key] == "true"
}

// mayHandle reports whether a tuple is legal: blocks with generations lie in one chunk, and are never pending.
func mayHandle(t tuple) bool {
	return t[handles.key] != "true" || t[single.key] == "true" && t[streams.key] != "true"
}

// mayRange reports whether a tuple is legal: several chunks lie in a range, whose blocks are never pending, and which frees need not tell to be empty.
func mayRange(t tuple) bool {
	return t[ranged.key] != "true" || t[single.key] != "true" && t[streams.key] != "true" && t[trims.key] != "true"
}

// mayTrim reports whether a tuple is legal: pools with magazines do not release empty chunks by themselves.
func mayTrim(t tuple) bool { return t[magazine.key] != "true" || t[trims.key] != "true" }

// mayOwn reports whether a tuple is legal: processors own words only where the fast path does no more than to hand out and free blocks.
func mayOwn(t tuple) bool {
	return t[owns.key] != "true" || !slices.ContainsFunc(notOwned, func(p param) bool { return t[p.key] == "true" })
}

// notOwned are what pools with owners do not have.
var notOwned = []param{trims, streams, allocsOn, sampled, zeroes, magazine}

// owners turns the shell of a sharded pool into that of one whose processors own words.
func owners(s subject) subject {
	s.params = slices.DeleteFunc(s.params, func(p param) bool {
		return slices.ContainsFunc(notOwned, func(not param) bool { return not.key == p.key })
	})
	derive := s.derive
	s.derive = func(t tuple) map[string]string {
		t = maps.Clone(t)
		t[owns.key] = "true"
		b := derive(t)
		b[owns.key] = "true"
		for _, p := range notOwned {
			b[p.key] = "false"
		}
		return b
	}
	return s
}

// fixedParams writes the parameters of the suballocator of a shell of single blocks.
func fixedParams(t tuple, size int64) string {
	if t["feature.Sharded"] == "true" {
		of := fmt.Sprintf("&strict.Params{BlockSize: %d, ItemBytes: %d, PerWord: %s", size, size, perWord(t)["strict.perWord"])
		if t[magazine.key] == "true" {
			of += ", Magazine: 32"
		}
		return of + flags(t, counters, trims, streams, allocsOn, sampled, owns) + "}"
	}
	return fmt.Sprintf("&fixed.Params{BlockSize: %d, ItemBytes: %d", size, size) + flags(t, ranged, counters, trims, streams, handles) + "}"
}

// heapParams writes the parameters of the suballocator of a shell of rows of items.
func heapParams(t tuple, template string) string {
	heap := "heap.Params{Granule: 16, MinSplit: 16" + flags(t, counters, trims, streams) + "}"
	switch template {
	case "heap":
		return "&" + heap
	case "binned":
		return "&binned.Params{Params: " + heap + ", Bins: []uint64{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}}"
	case "classes":
		return "&classes.Params{Params: " + heap + ", Bins: []uint64{512, 1024, 2048, 4096, 8192, 16384, 32768}, PerBin: 1<<64 - 1, Bytes: 1<<64 - 1}"
	case "bump":
		return "&bump.Params{Granule: 16" + flags(t, counters) + "}"
	case "strips":
		return "&strips.Params{Params: " + heapParams(t, "bump")[1:] + samples(t) + "}"
	case "direct":
		return "&direct.Params{" + strings.TrimPrefix(flags(t, counters, streams), ", ") + "}"
	case "shards":
		return "&shards.Params{Behind: " + heapParams(t, "classes") + flags(t, streams) + samples(t) + "}"
	case "slabs":
		return "&slabs.Params{Shards: " + heapParams(t, "shards")[1:] + ", Bins: []uint64{16, 32, 48, 64, 512, 4096, 65536}, LeastBlocks: 8, Crowds: true" + flags(t, counters, allocsOn) + "}"
	case "ring":
		return "&ring.Params{Granule: 16, ArenaSize: 32768" + flags(t, counters, trims, streams) + "}"
	}
	return "nil"
}

// samples writes the field of what requests count on the way to the next sample.
func samples(t tuple) string {
	if t[sampled.key] != "true" {
		return ""
	}
	return ", Samples: poolimpl.Weights{PerBlock: " + weights["feature.SampleBlock"] + ", PerByte: " + weights["feature.SampleByte"] + "}"
}

// flags writes the fields of parameters that are set. The name of a field is that of the parameter.
func flags(t tuple, params ...param) (fields string) {
	for _, p := range params {
		if t[p.key] == "true" {
			_, name, _ := strings.Cut(p.key, ".")
			fields += ", " + strings.ToUpper(name[:1]) + name[1:] + ": true"
		}
	}
	return fields
}

// item returns the shell of single blocks with a kind of memory.
func item(name, mem string) subject {
	s := subject{name: name, pkg: "item", replace: map[string]string{"hostmem": mem}, legal: func(t tuple) bool { return allocsBehind(t) && mayHandle(t) && mayRange(t) }}
	s.params = append([]param{locked, counters, trims, streams, allocsOn, sampled, single}, memories[mem]...)
	if mem == "hostmem" || mem == "devmem" {
		s.params = append(s.params, ranged, handles, param{"feature.Indexed", yesNo}, param{"feature.Finds", yesNo})
	}
	types := mem + ".Item"
	switch mem {
	case "hostmem", "devmem":
		s.params = append(s.params, param{types, []string{"[8]uint64", "byte", "[3]float32", "[65544]byte"}})
	case "tilemem":
		s.params = append(s.params, param{"tilemem.blockTiles", []string{"1", "4", "3"}})
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
		if t[single.key] == "true" {
			limit = chunk
		}
		b := map[string]string{
			"fixed.blockSize": strconv.FormatInt(size, 10), "fixed.itemBytes": strconv.FormatInt(size, 10),
			"item.config": shellConfig(t, mem, fixedParams(t, size), chunk, limit, false, false, t[single.key] == "true", false),
		}
		maps.Copy(b, weights)
		return b
	}
	return s
}

// sharded turns the shell of single blocks into that of pools whose suballocator needs no lock of the pool.
func sharded(s subject) subject {
	s.replace = maps.Clone(s.replace)
	s.replace["fixed"] = "strict"
	s.params = slices.DeleteFunc(s.params, func(p param) bool {
		return p.key == locked.key || p.key == single.key || p.key == ranged.key || p.key == handles.key
	})
	derive := s.derive
	s.derive = func(t tuple) map[string]string {
		t = maps.Clone(t)
		t[locked.key], t["feature.Sharded"] = "true", "true"
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

// magazines turns the shell of a sharded pool into that of one with magazines.
func magazines(s subject) subject {
	s.params = slices.DeleteFunc(s.params, func(p param) bool { return p.key == trims.key })
	derive := s.derive
	s.derive = func(t tuple) map[string]string {
		t = maps.Clone(t)
		t[trims.key], t[magazine.key] = "false", "true"
		b := derive(t)
		b[trims.key], b[magazine.key] = "false", "true"
		return b
	}
	return s
}

// memories lists the other parameters of each kind of memory.
var memories = map[string][]param{
	"hostmem": {zeroes},
	"numbers": nil,
	"devmem":  {{"devmem.Spacing", []string{"poolimpl.Spacing", "1"}}},
	"tilemem": nil,
}

// span returns the shell of rows of items with the templates of a suballocator and a kind of memory.
func span(template, mem string) subject {
	s := subject{name: "span" + strings.ToUpper(template[:1]) + template[1:], pkg: "span", replace: map[string]string{"heap": template, "hostmem": mem}, legal: allocsBehind}
	c := coreOf(template)
	frees := c.frees()
	s.params = append([]param{locked, counters, trims, sampled}, memories[mem]...)
	if template == "slabs" { // its pools do not trim by themselves
		s.params[2] = param{trims.key, []string{"false"}}
	}
	if frees { // blocks that are not freed one by one are not freed on streams
		s.params = append(s.params, streams, allocsOn)
	}
	if frees && mem == "hostmem" {
		s.params = append(s.params, param{"feature.Finds", yesNo}, param{"feature.Resizes", yesNo})
	}
	if c.shared {
		s.params = append(s.params[1:], param{locked.key, []string{"true"}}, param{"feature.Sharded", []string{"true"}})
	}
	if c.Marks && !c.shared {
		s.params = append(s.params, param{template + ".marks", yesNo})
	}
	if mem == "devmem" && !c.shared {
		s.params = append(s.params, sleeps)
	}
	if mem == "devmem" && frees {
		s.params = append(s.params, captures)
	}
	switch mem {
	case "hostmem", "devmem":
		s.params = append(s.params, param{mem + ".Item", []string{"uint64", "byte", "[3]float32", "[300]byte"}})
	}
	s.name += map[string]string{"numbers": "Numbers", "devmem": "Device", "tilemem": "Tiles"}[mem]
	s.derive = func(t tuple) map[string]string {
		b := map[string]string{
			"span.frees":  strconv.FormatBool(frees),
			"span.config": shellConfig(t, mem, heapParams(t, template), 64<<10, 256<<10, c.Large, c.Direct, false, !frees),
		}
		if mem == "tilemem" {
			b["span.config"] = shellConfig(t, mem, heapParams(t, template), 2<<20, 64<<20, c.Large, c.Direct, false, !frees)
		}
		if template == "slabs" {
			b["feature.Rounds"] = t[allocsOn.key]
		}
		maps.Copy(b, weights)
		return b
	}
	s.skip = func(t tuple) []string {
		if !frees {
			return []string{"free_test.go"}
		}
		return nil
	}
	return s
}
