package replay

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/program"
	"github.com/poolgen/poolgen/spec"
)

// adapter returns the source of a test file of the generated package that describes its pools to the harness. Its code is part of the
// package, because the loops have to reach the pool in the same way as the user's code.
func adapter(packageName, harnessPath string, plan *spec.Plan, pools []spec.Pool) []byte {
	var body strings.Builder
	body.WriteString("func TestMain(*zztesting.M) {\n\tzzos.Exit(zzharness.Main(map[string]func() zzharness.Pool{\n")
	for _, p := range pools {
		fmt.Fprintf(&body, "\t\t%q: zzReplay%s,\n", p.Name, p.Name)
	}
	driver := "zzharness.NoDriver"
	if program.AnyDriver(pools) {
		driver = "zzdriver.Name"
	}
	fmt.Fprintf(&body, "\t}, %s, zzos.Args[1:], zzos.Stderr))\n}\n", driver)
	for i := range pools {
		body.WriteString(describe(&pools[i]))
	}
	return program.Source(packageName, body.String(), plan, map[string]string{
		"zzos": "os", "zztesting": "testing", "zzunsafe": "unsafe", "zzharness": harnessPath, "zzdriver": harnessPath + "/driver",
		"zzcuda": gomod.Path + "/cuda", "zzruntime": gomod.Path + "/runtime",
	})
}

// describe writes the description of a pool for the harness, and the loops that run events through it.
func describe(p *spec.Pool) string {
	block, none := blockOf(p)
	items := "e.Items"
	if p.ItemForm() {
		items = ""
	}
	choose := ""
	text := loop("zzPlay", "", items, "", "Free", "")
	if p.Streams() {
		choose = chooseText
		if p.Ordering == spec.Deferred {
			text += loop("zzPlayOn", streamsText, items, "", "FreeAsync", "streams[e.Stream]")
		} else {
			text += loop("zzPlayOn", streamsText, items, "streams[e.Stream]", "FreeOn", "streams[e.Stream]")
		}
	}
	text = blockText + strings.Replace(poolText, "$CHOOSE", choose, 1) + text
	return strings.NewReplacer(
		"New$NAMEPool", spec.NameOf("New", p.Name, "Pool"),
		"$NAME", p.Name,
		"$ITEM", program.ItemSize(p),
		"$SINGLE", strconv.FormatBool(p.ItemForm()),
		"$BLOCK", "zzBlock"+p.Name,
		"$TYPE", block,
		"$NONE", none,
		"$DEVICE", strconv.Itoa(p.Device.Index),
	).Replace(text)
}

// blockOf returns the type of a block, and the condition that b is not a block.
func blockOf(p *spec.Pool) (block, none string) {
	none = "b == nil"
	if p.Allocator.Memory() == spec.DeviceSpans {
		none = map[bool]string{true: "b == 0", false: "b.Len() == 0"}[p.ItemForm()]
	}
	return lower.BlockOf(p, lower.ItemOf(p).Plain), none
}

// loop writes a function that runs events. streams, with a leading comma, is an additional parameter; the calls on streams have an additional
// argument.
func loop(name, streams, items, allocOn, free, freeOn string) string {
	alloc := "Alloc"
	if allocOn != "" {
		alloc = "AllocOn"
	}
	return strings.NewReplacer("$PLAY", name, "$STREAMS", streams,
		"$ALLOC", "pool."+alloc+"("+program.Arguments(items, allocOn)+")", "$FREE", "pool."+free+"("+program.Arguments("b", freeOn)+")").Replace(loopText)
}
