package facade

import (
	"fmt"
	"go/format"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// testsPath is the import path of the tests that all pools have in common.
const testsPath = lower.RuntimePath + "/pooltest"

// Tests renders the test file of a pool: a smoke test, a fuzz target, a benchmark and an example. All but the example describe the pool to package
// pooltest.
func Tests(header string, pkg *lower.Package, of *lower.Pool) ([]byte, error) {
	p := &pool{Pool: of, pkg: pkg}
	body := p.itemAlias() + testText + choose(p.Can.Free, benchText, bumpBenchText) + choose(p.Spec.HasExample(), exampleText, "")
	body = strings.NewReplacer(p.testWords()...).Replace(strings.NewReplacer(p.testParts()...).Replace(body))
	text, err := format.Source([]byte(header + "\n\npackage " + pkg.Plan.Package + "\n\n" + p.testImports(body) + body))
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, body)
	}
	return text, nil
}

// testParts are the texts that depend on the pool's form.
func (p *pool) testParts() []string {
	return []string{
		"$TRAITS", p.traits(),
		"$CALLS", p.calls(),
		"$STREAMS", choose(p.Can.FreeAsync, strings.Replace(streamCalls, "$ON", choose(!p.Can.OnStream, "", choose(p.Spec.ItemForm(), itemOn, spanOn)), 1), ""),
		"$BATCH", choose(p.Spec.ItemForm(), itemBatch, spanBatch),
		"$PARALLEL", choose(p.Spec.Concurrency != spec.Unlocked, parallelText, ""),
		"$BESIDE", choose(p.Spec.Concurrency != spec.Unlocked, ", and from all processors at once", ""),
		"$FIRST", choose(p.Numbers(), "\tif err := pool.Track(100, 1); err != nil { // the resource behind it is the caller's\n\t\tfmt.Println(err)\n\t\treturn\n\t}\n", ""),
		"$USE", p.exampleUse(),
		"$ENDS", choose(p.Numbers(), "block"+choose(p.Spec.ItemForm(), "", ".First()")+", ", "") + choose(p.Can.Free, "pool.Free(block)", "pool.Reset()"),
		"$OUTPUT", choose(p.Trial.RunsExample, "\t// Output: "+choose(p.Numbers(), "100 ", "")+"<nil> <nil>\n", ""),
	}
}

// testWords maps the words in test texts to what they stand for.
func (p *pool) testWords() []string {
	return []string{
		"Poolgen$NAME", spec.NameOf("Poolgen", p.Spec.Name, ""),
		"Example$NAMEPool", spec.NameOf("Example", p.Spec.Name, "Pool"),
		"$NAME", p.Spec.Name,
		"$PREFIX", p.Names.Prefix,
		"$BLOCK", lower.BlockOf(p.Spec, p.Item.Tests),
		"$ARG", choose(p.Spec.ItemForm(), "", decimal(p.Trial.Few)),
		"$N", decimal(p.Trial.Few),
		"$DEVICE", decimal(int64(p.Spec.Device.Index)),
	}
}

// traits describe the pool to pooltest.
func (p *pool) traits() string {
	var list []string
	set := func(when bool, name, value string) {
		if when {
			list = append(list, name+": "+value)
		}
	}
	set(true, "ItemBytes", p.Trial.ItemBytes)
	set(true, "Most", p.Trial.Most)
	set(p.Spec.Alignment > 1 && !p.Numbers() && !p.Tiled(), "Align", lower.Bytes(p.Spec.Alignment))
	set(true, "Room", p.Trial.Room)
	set(p.Spec.Concurrency != spec.Unlocked, "Locked", "true")
	set(p.Spec.HasRung(spec.RungPool), "Borrows", "true")
	set(p.Budget != nil, "Shares", "true")
	set(p.Spec.HasRung(spec.RungDrain) || p.Spec.HasRung(spec.RungWait), "Waits", "true")
	set(p.Spec.Zero == spec.ZeroAlways && p.OnHost(), "Zeroed", "true")
	set(p.Can.Drop, "Drops", "true")
	return strings.Join(list, ", ")
}

// calls are the calls that only some pools have, except those on streams.
func (p *pool) calls() string {
	text := choose(p.Spec.ItemForm(), itemCalls, spanCalls)
	if p.Can.Free {
		text += "\t\tFree:         pool.Free,\n"
	}
	if p.Can.Reset {
		text += "\t\tReset:        pool.Reset,\n"
	}
	if p.Can.Mark {
		text += markCall
	}
	if p.Numbers() {
		text += "\t\tTrack:        pool.Track,\n"
	}
	extent := "pooltest.MemoryExtent($MEMORY(block))"
	memory := choose(p.Spec.ItemForm(), "pooltest.ItemMemory", "pooltest.SpanMemory")
	switch {
	case p.Numbers() && p.Spec.ItemForm():
		extent = "pooltest.Extent{Start: uint64(block), Length: 1}"
	case p.Numbers():
		extent = "pooltest.Extent{Start: uint64(block.First()), Length: uint64(block.Len())}"
	case p.Tiled():
		extent = "pooltest.Extent{Space: block.Handle(), Start: uint64(block.Offset()), Length: uint64(block.Bytes())}"
	case p.OnDevice() && p.Spec.ItemForm():
		extent = "pooltest.Extent{Start: uint64(block.Addr()), Length: uint64(" + p.Trial.ItemBytes + ")}"
	case p.OnDevice():
		extent = "pooltest.Extent{Start: uint64(block.Addr()), Length: uint64(block.Bytes())}"
	default:
		text += "\t\tMemory:       " + memory + "[" + p.Item.Tests.String() + "],\n"
	}
	return text + "\t\tExtent:       func(block $BLOCK) pooltest.Extent { return " + strings.Replace(extent, "$MEMORY", memory, 1) + " },\n"
}

// exampleUse is what the example does with the block.
func (p *pool) exampleUse() string {
	switch {
	case p.OnHost() && p.Spec.ItemForm():
		return "\t*block = *new(" + p.Item.Tests.String() + ") // instead of what was left there\n"
	case p.OnHost():
		return "\tclear(block) // of what was left there\n"
	case p.Numbers():
		return ""
	case p.Tiled():
		return "\tfmt.Println(block.Len(), \"tiles\")\n"
	}
	return "\tfmt.Printf(\"%#x\\n\", block.Addr())\n"
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}
