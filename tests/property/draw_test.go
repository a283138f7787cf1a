package property

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// draw is a source of random choices.
type draw struct{ *rand.Rand }

func newDraw(seed uint64) draw { return draw{rand.New(rand.NewPCG(seed, 0x706f6f6c))} }

// chance returns true with the given probability, in percent.
func (d draw) chance(percent int) bool { return d.IntN(100) < percent }

// pick chooses one of the values.
func pick[T any](d draw, values ...T) T { return values[d.IntN(len(values))] }

// setting is one key of a pool with its value as YAML.
type setting struct{ key, value string }

// entry is one pool of a pool file.
type entry []setting

func (e *entry) set(key, value string) { *e = append(*e, setting{key, value}) }

// maybe sets a key with the given probability, in percent.
func (e *entry) maybe(d draw, percent int, key string, values ...string) {
	if d.chance(percent) {
		e.set(key, pick(d, values...))
	}
}

func (e entry) get(key string) string {
	for _, s := range e {
		if s.key == key {
			return s.value
		}
	}
	return ""
}

// without returns a copy of the entry without a key.
func (e entry) without(key string) (rest entry) {
	for _, s := range e {
		if s.key != key {
			rest = append(rest, s)
		}
	}
	return rest
}

// yaml is the entry as an item of the list of pools.
func (e entry) yaml() string {
	var b strings.Builder
	for i, s := range e {
		lead := "    "
		if i == 0 {
			lead = "  - "
		}
		fmt.Fprintf(&b, "%s%s: %s\n", lead, s.key, s.value)
	}
	return b.String()
}

// quoted writes a text as a YAML scalar in double quotes, whose escapes are those of Go.
func quoted(text string) string {
	q := strconv.QuoteToASCII(text)
	return strings.ReplaceAll(q, `\x7f`, `\u007f`)
}

// file is a pool file under construction.
type file struct {
	pkg     string
	imports []setting // qualifier, path
	budgets []string
	pools   []entry
}

func (f file) yaml() string {
	var b strings.Builder
	b.WriteString("version: 1\n")
	if f.pkg != "" {
		fmt.Fprintf(&b, "package: %s\n", f.pkg)
	}
	if len(f.imports) > 0 {
		b.WriteString("imports:\n")
		for _, i := range f.imports {
			fmt.Fprintf(&b, "  %s: %s\n", i.key, i.value)
		}
	}
	if len(f.budgets) > 0 {
		b.WriteString("budgets:\n")
		for _, line := range f.budgets {
			fmt.Fprintf(&b, "  - %s\n", line)
		}
	}
	b.WriteString("pools:\n")
	for _, p := range f.pools {
		b.WriteString(p.yaml())
	}
	return b.String()
}
