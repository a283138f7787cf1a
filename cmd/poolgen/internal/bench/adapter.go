package bench

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/program"
	"github.com/poolgen/poolgen/spec"
)

// adapter returns the source of a test file of the generated package that describes its pools to the harness. The loops are part of
// the package because they have to reach the pool in the same way as the user's code.
func adapter(packageName, harnessPath string, plan *spec.Plan, pools []spec.Pool) []byte {
	var body strings.Builder
	body.WriteString("func TestMain(*zztesting.M) {\n\tzzos.Exit(zzharness.Main(map[string]func() zzharness.Pool{\n")
	for _, p := range pools {
		fmt.Fprintf(&body, "\t\t%q: zzBench%s,\n", p.Name, p.Name)
	}
	fmt.Fprintf(&body, "\t}, %s, zzos.Args[1:], zzos.Stderr))\n}\n", choose(program.AnyDriver(pools), "zzdriver.Name", "zzharness.NoDriver"))
	for i := range pools {
		body.WriteString(describe(plan, &pools[i]))
	}
	return program.Source(packageName, body.String(), plan, map[string]string{
		"zzos": "os", "zztesting": "testing", "zzunsafe": "unsafe", "zzharness": harnessPath, "zzdriver": harnessPath + "/driver",
	})
}

// describe writes the description of a pool for the harness, and the pool's loops.
func describe(plan *spec.Plan, p *spec.Pool) string {
	head := strings.NewReplacer("$TRACK", choose(p.Allocator == spec.NoAllocator, trackText, ""), "$WORKON", choose(streams(p), onField, "")).Replace(poolText)
	text := head + workText
	switch {
	case !p.Frees():
		text = head + bumpText
	case p.ItemForm():
		text += itemBatches + calls{p, "Alloc", "Free", "", ""}.churn()
	default:
		text += spanBatches + calls{p, "Alloc", "Free", "", ""}.churn()
	}
	if streams(p) {
		c := calls{p, "AllocOn", "FreeOn", "stream", "stream"}
		if p.Ordering == spec.Deferred {
			c = calls{p, "Alloc", "FreeAsync", "", "stream"}
		}
		text += onText + c.churn()
	}
	return strings.NewReplacer(
		"New$NAMEPool", spec.NameOf("New", p.Name, "Pool"),
		"$NAME", p.Name,
		"$ITEM", program.ItemSize(p),
		"$GRANULE", strconv.FormatInt(granule(p), 10),
		"$CHUNK", strconv.FormatInt(p.ChunkSize, 10),
		"$LIMIT", strconv.FormatInt(limit(plan, p), 10),
		"$SINGLE", strconv.FormatBool(p.ItemForm()),
		"$ORDER", orders[p.Suballocator.Info().Order],
		"$ALONE", strconv.FormatBool(p.Concurrency == spec.Unlocked),
		"$STREAMS", strconv.FormatBool(streams(p)),
		"$MALLOC", strconv.FormatBool(program.ItemType(p) != ""),
		"$PEERS", strings.Join(peers(p), ", "),
		"$ONE", choose(p.ItemForm(), "", "1"),
		"$KIND", choose(p.ItemForm(), "Items", "Spans"),
		"$DEVICE", strconv.Itoa(p.Device.Index),
	).Replace(text)
}

// orders maps the order of frees to its name in the harness.
var orders = map[spec.FreeOrder]string{spec.AnyOrder: "AnyOrder", spec.InOrder: "InOrder", spec.AllAtOnce: "AllAtOnce"}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// streams reports whether blocks of the pool can be freed on a stream.
func streams(p *spec.Pool) bool { return p.Streams() && p.Frees() }

// mostNumbers is the limit of a pool of numbers in a benchmark.
const mostNumbers = 1 << 20

// limit is what bounds the pool: its own limit or its budget's.
func limit(plan *spec.Plan, p *spec.Pool) int64 {
	least := p.Limit
	for _, b := range plan.Budgets {
		if b.Name == p.Budget {
			least = min(least, b.Limit)
		}
	}
	if p.Allocator == spec.NoAllocator {
		least = min(least, mostNumbers)
	}
	return least
}

// granule is what blocks of the pool are rounded up to.
func granule(p *spec.Pool) int64 {
	switch {
	case p.ItemForm():
		return max(p.Alignment, 1)
	case p.Suballocator.Info().Direct:
		return p.Granularity
	}
	return p.Granule()
}

// peers lists the ways to get memory that the pool is compared with.
func peers(p *spec.Pool) (list []string) {
	if t := program.ItemType(p); t != "" {
		list = append(list, choose(p.ItemForm(), "zzharness.New[", "zzharness.Make[")+t+"]")
	}
	if p.Allocator.NeedsDriver() {
		list = append(list, fmt.Sprintf("zzdriver.Peers(%q, %d)", p.Allocator, p.Device.Index))
	}
	return list
}

// calls are the calls that allocate and free a pool's blocks.
type calls struct {
	pool                 *spec.Pool
	alloc, free          string
	allocStream, freedOn string // arguments; "" for none
}

// churn writes the loop that replaces live blocks.
func (c calls) churn() string {
	alloc := func(items string) string {
		return "pool." + c.alloc + "(" + program.Arguments(choose(c.pool.ItemForm(), "", items), c.allocStream) + ")"
	}
	return strings.NewReplacer("$FIRST", alloc("l.Next().Items"), "$ALLOC", alloc("s.Items"),
		"$FREE", "pool."+c.free+"("+program.Arguments("blocks[s.Slot]", c.freedOn)+")").Replace(churnText)
}
