package facade

import (
	"fmt"
	"go/format"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// TestsPath is the import path of the tests that all pools have in common.
const TestsPath = RuntimePath + "/pooltest"

// Tests renders the test file of a pool: a smoke test, a fuzz target, a benchmark and an example. All but the last describe the pool to package pooltest.
func Tests(header string, p *Pool) ([]byte, error) {
	body := p.itemAlias() + testText + choose(p.frees(), benchText, bumpBenchText) + choose(p.HasExample(), exampleText, "")
	body = strings.NewReplacer(p.testWords()...).Replace(strings.NewReplacer(p.testParts()...).Replace(body))
	text, err := format.Source([]byte(header + "\n\npackage " + p.Package + "\n\n" + p.testImports(body) + body))
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, body)
	}
	return text, nil
}

// testParts are the texts that the pool's form decides.
func (p *Pool) testParts() []string {
	return []string{
		"$TRAITS", p.traits(),
		"$CALLS", p.calls(),
		"$STREAMS", choose(p.Ordered(), strings.Replace(streamCalls, "$ON", choose(!p.AllocsOn(), "", choose(p.ItemForm(), itemOn, spanOn)), 1), ""),
		"$BATCH", choose(p.ItemForm(), itemBatch, spanBatch),
		"$PARALLEL", choose(p.Concurrency != spec.Unlocked, parallelText, ""),
		"$BESIDE", choose(p.Concurrency != spec.Unlocked, ", and from all processors at once", ""),
		"$FIRST", choose(p.numbers(), "\tif err := pool.Track(100, 1); err != nil { // the resource behind it is the caller's\n\t\tfmt.Println(err)\n\t\treturn\n\t}\n", ""),
		"$USE", p.exampleUse(),
		"$ENDS", choose(p.numbers(), "block"+choose(p.ItemForm(), "", ".First()")+", ", "") + choose(p.frees(), "pool.Free(block)", "pool.Reset()"),
		"$OUTPUT", choose(p.runsExample(), "\t// Output: "+choose(p.numbers(), "100 ", "")+"<nil> <nil>\n", ""),
	}
}

// testWords are the words that stand for the pool.
func (p *Pool) testWords() []string {
	return []string{
		"$NAME", p.Name,
		"$PREFIX", p.Prefix,
		"$BLOCK", p.testBlock(),
		"$ARG", choose(p.ItemForm(), "", decimal(p.fewItems())),
		"$N", decimal(p.fewItems()),
		"$DEVICE", decimal(int64(p.Device.Index)),
	}
}

// traits are what pooltest has to know of the pool.
func (p *Pool) traits() string {
	var list []string
	set := func(when bool, name, value string) {
		if when {
			list = append(list, name+": "+value)
		}
	}
	set(true, "ItemBytes", p.itemBytes())
	set(true, "Most", p.mostItems())
	set(p.Alignment > 1 && !p.numbers() && !p.Tiled(), "Align", size(p.Alignment))
	set(true, "Room", p.testRoom())
	set(p.Concurrency != spec.Unlocked, "Locked", "true")
	set(p.climbs(spec.RungPool), "Spills", "true")
	set(p.Budget != "", "Shares", "true")
	set(p.climbs(spec.RungWait), "Waits", "true")
	set(p.Zero == spec.ZeroAlways && p.addressable(), "Zeroed", "true")
	return strings.Join(list, ", ")
}

func (p *Pool) climbs(kind spec.RungKind) bool {
	return slices.ContainsFunc(p.OnExhausted, func(r spec.Rung) bool { return r.Kind == kind })
}

// addressable reports whether Go code can read and write blocks.
func (p *Pool) addressable() bool { return !p.numbers() && !p.Tiled() && !p.OnDevice() }

// calls are the pool's own, beside those on streams.
func (p *Pool) calls() string {
	text := choose(p.ItemForm(), itemCalls, spanCalls)
	if p.frees() {
		text += "\t\tFree:         pool.Free,\n"
	}
	if p.resets() {
		text += "\t\tReset:        pool.Reset,\n"
	}
	if p.marks() {
		text += markCall
	}
	if p.numbers() {
		text += "\t\tTrack:        pool.Track,\n"
	}
	extent := "pooltest.MemoryExtent($MEMORY(block))"
	memory := choose(p.ItemForm(), "pooltest.ItemMemory", "pooltest.SpanMemory")
	switch {
	case p.numbers() && p.ItemForm():
		extent = "pooltest.Extent{Start: uint64(block), Length: 1}"
	case p.numbers():
		extent = "pooltest.Extent{Start: uint64(block.First()), Length: uint64(block.Len())}"
	case p.Tiled():
		extent = "pooltest.Extent{Space: block.Handle(), Start: uint64(block.Offset()), Length: uint64(block.Bytes())}"
	case p.OnDevice() && p.ItemForm():
		extent = "pooltest.Extent{Start: uint64(block.Addr()), Length: uint64(" + p.itemBytes() + ")}"
	case p.OnDevice():
		extent = "pooltest.Extent{Start: uint64(block.Addr()), Length: uint64(block.Bytes())}"
	default:
		text += "\t\tMemory:       " + memory + "[" + p.testItem(p.ItemType()) + "],\n"
	}
	return text + "\t\tExtent:       func(block $BLOCK) pooltest.Extent { return " + strings.Replace(extent, "$MEMORY", memory, 1) + " },\n"
}

// itemBytes is what an item counts for, as an expression.
func (p *Pool) itemBytes() string {
	switch {
	case p.numbers():
		return "1"
	case p.Tiled() && !p.ItemForm():
		return size(spec.TileBytes)
	case p.Item.Kind == spec.ItemBytes && p.ItemForm():
		return size(p.BlockSize)
	case p.Sized():
		return size(p.Item.Size)
	}
	return "int64(unsafe.Sizeof(*new(" + p.testItem(p.ItemType()) + ")))"
}

// largeRequest bounds what a test asks for in one call, in bytes.
const largeRequest = 64 << 10

// mostItems is how many items that is, as an expression.
func (p *Pool) mostItems() string {
	bytes := min(p.Limit, largeRequest)
	if p.ChunkSize > 0 {
		bytes = min(bytes, p.ChunkSize)
	}
	if p.ArenaSize > 0 {
		bytes = min(bytes, p.ArenaSize)
	}
	switch {
	case p.ItemForm():
		return "1"
	case p.numbers():
		return decimal(min(p.Limit, 64))
	case p.Tiled():
		return "4"
	case p.Sized():
		return size(max(1, bytes/p.Item.Size))
	}
	return "max(1, " + size(bytes) + " / int(unsafe.Sizeof(*new(" + p.testItem(p.ItemType()) + "))))"
}

// testRoom is the limit that tests set: a few MiB, or what the smallest chunk takes.
func (p *Pool) testRoom() string {
	if p.numbers() {
		return "4096"
	}
	room := max(8<<20, 2*p.Granularity, 2*p.Alignment, p.ArenaSize)
	if len(p.Bins) > 0 {
		room = max(room, min(p.Bins[0], math.MaxInt64/2)*2)
	}
	if p.ItemForm() {
		room = max(room, min(p.BlockSize, math.MaxInt64/2)*2)
	}
	if !p.Sized() {
		return "max(" + size(room) + ", 4 * " + p.itemBytes() + ")"
	}
	return size(max(room, 4*min(p.Item.Size, math.MaxInt64/4)))
}

// fewItems is how many items a benchmark and the example ask for.
func (p *Pool) fewItems() int64 {
	room := p.Limit
	for _, size := range []int64{p.ChunkSize, p.ArenaSize} {
		if size > 0 {
			room = min(room, size)
		}
	}
	if p.ItemForm() || p.numbers() || p.Tiled() || !p.Sized() || p.Item.Size > room/16 {
		return 1
	}
	return 16
}

// exampleUse is what the example does with the block.
func (p *Pool) exampleUse() string {
	switch {
	case p.addressable() && p.ItemForm():
		return "\tvar value " + p.testItem(p.ItemType()) + "\n\t*block = value // instead of what was left there\n"
	case p.addressable():
		return "\tclear(block) // of what was left there\n"
	case p.numbers():
		return ""
	case p.Tiled():
		return "\tfmt.Println(block.Len(), \"tiles\")\n"
	}
	return "\tfmt.Printf(\"%#x\\n\", block.Addr())\n"
}

// runsExample reports whether the example says the same wherever it runs: where it only takes little memory of the host.
func (p *Pool) runsExample() bool {
	few := max(p.Prime, p.ChunkSize, p.BlockSize, p.ArenaSize) <= 64<<20
	return !p.Allocator.NeedsDriver() && p.Budget == "" && few && !p.climbs(spec.RungPool)
}

// testBlock is the type of a block as the test file writes it.
func (p *Pool) testBlock() string {
	if !p.addressable() {
		return p.block().GoString()
	}
	return choose(p.ItemForm(), "*", "[]") + p.testItem(p.ItemType())
}

// testItem is a type, the item's or made of it, as the test file writes it, where the names of our own packages and variables are taken.
func (p *Pool) testItem(name string) string {
	at := strings.LastIndexByte(name, ']') + 1
	base, _, qualified := strings.Cut(name[at:], ".")
	switch {
	case !takenInTests[base]:
		return name
	case qualified:
		return name[:at] + "item" + name[at:]
	}
	return name[:at] + p.Prefix + "TestItem"
}

// itemAlias gives the item another name where its own is that of one of our variables.
func (p *Pool) itemAlias() string {
	base := p.ItemType()[strings.LastIndexByte(p.ItemType(), ']')+1:]
	if !takenInTests[base] {
		return ""
	}
	return "\n// $PREFIXTestItem is the item, whose name is that of a variable below.\ntype $PREFIXTestItem = " + base + "\n"
}

// takenInTests holds the names of parameters, variables and imports in test files.
var takenInTests = map[string]bool{
	"b": true, "block": true, "blocks": true, "context": true, "ctx": true, "cuda": true, "err": true, "f": true, "fmt": true, "i": true, "n": true,
	"mark": true, "pb": true, "pool": true, "pooltest": true, "runtime": true, "s": true, "t": true, "testing": true, "trial": true, "unsafe": true, "value": true,
}

// testImports imports the packages that a test file mentions.
func (p *Pool) testImports(body string) string {
	var std, other []string
	for _, name := range []string{"context", "fmt", "runtime", "testing", "unsafe"} {
		if mentions(body, name) {
			std = append(std, fmt.Sprintf("\t%q\n", name))
		}
	}
	if p.Item.Qualifier != "" {
		name, _, _ := strings.Cut(p.testItem(p.Item.Qualifier+".T"), ".")
		line := importLine(name, p.Item.Import)
		if strings.Contains(p.Item.Import, ".") {
			other = append(other, line)
		} else {
			std = append(std, line)
			slices.Sort(std)
		}
	}
	if mentions(body, "cuda") {
		other = append(other, importLine("cuda", CUDAPath))
	}
	other = append(other, importLine("pooltest", TestsPath))
	slices.SortFunc(other, func(a, b string) int {
		return strings.Compare(a[strings.IndexByte(a, '"'):], b[strings.IndexByte(b, '"'):])
	})
	return "import (\n" + strings.Join(std, "") + "\n" + strings.Join(other, "") + ")\n"
}

// mentions reports whether a text has something of a package.
func mentions(text, name string) bool {
	return regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(text)
}

func importLine(name, from string) string {
	if path.Base(from) == name {
		return fmt.Sprintf("\t%q\n", from)
	}
	return fmt.Sprintf("\t%s %q\n", name, from)
}

// size is a number of bytes as an expression.
func size(n int64) string { return Size(n).GoString() }

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}
