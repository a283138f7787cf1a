package lower

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/tests/fatal"
)

// made parses the templates once for all tests.
var made = newMakeup()

// planOf checks the pool file of a single pool; nil where it has findings.
func planOf(t *testing.T, keys string) *spec.Plan {
	t.Helper()
	doc, found := spec.Load("poolgen.yaml", []byte("version: 1\npools: [{name: A, "+keys+"}]\n"))
	if doc == nil {
		t.Fatalf("%s: %s", keys, found.Text(false))
	}
	plan, found := doc.Validate(spec.Env{Dir: "pools"})
	if len(found) > 0 {
		return nil
	}
	return plan
}

// madeOf lists the templates of the only pool of a plan.
func madeOf(t *testing.T, plan *spec.Plan) []Template {
	t.Helper()
	lists, err := made.all(plan, []*spec.Pool{&plan.Pools[0]})
	if err != nil || len(lists) != 1 {
		t.Fatalf("%d lists, %v", len(lists), err)
	}
	return lists[0]
}

// TestTemplates checks the templates of a pool and their roles.
func TestTemplates(t *testing.T) {
	for keys, want := range map[string]string{
		"item: uint64":                                             "shell item, core fixed, memory hostmem",
		"item: uint64, concurrency: sharded":                       "shell item, core strict, memory hostmem",
		"item: uint64, allocator: device":                          "shell item, core fixed, memory devmem",
		"suballocator: binned":                                     "shell span, core binned, memory hostmem",
		"suballocator: heap, concurrency: sharded":                 "shell span, core slabs, core heap, memory hostmem",
		"suballocator: ring, concurrency: sharded":                 "shell span, core shards, core ring, memory hostmem",
		"suballocator: heap, allocator: none, limit: 64":           "shell span, core heap, memory numbers",
		"suballocator: heap, allocator: texture_tile, limit: 4MiB": "shell span, core heap, memory tilemem",
	} {
		var got []string
		for _, m := range madeOf(t, planOf(t, keys)) {
			if m.Role != "shared" {
				got = append(got, m.Role+" "+m.Name)
			}
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: got %s, want %s", keys, text, want)
		}
	}
}

// TestTemplatesOfAll checks what is left of each template of pools of all kinds: no directives, and as many lines as reported.
func TestTemplatesOfAll(t *testing.T) {
	seen := map[string]bool{}
	for _, sub := range spec.Suballocators() {
		for _, allocator := range spec.Allocators() {
			for _, concurrency := range []string{"none", "mutex", "sharded"} {
				if allocator != spec.Host && concurrency != "mutex" {
					continue
				}
				for _, other := range []string{"ordering: driver, limit: 4MiB", "item: T", "limit: 4MiB", "limit: 64"} {
					plan := planOf(t, fmt.Sprintf("suballocator: %s, allocator: %s, concurrency: %s, %s", sub, allocator, concurrency, other))
					if plan == nil {
						continue
					}
					for _, m := range madeOf(t, plan) {
						seen[m.Name] = true
						judgeLeft(t, m)
					}
					break
				}
			}
		}
	}
	for _, at := range templates.List() {
		if name := at[len(templates.Path)+1:]; !seen[name] {
			t.Errorf("no pool is made of %s", name)
		}
	}
}

func judgeLeft(t *testing.T, m Template) {
	t.Helper()
	left := 0
	for name, text := range m.Files {
		left += strings.Count(text, "\n")
		if strings.Contains(text, "//poolgen:") {
			t.Errorf("%s/%s: a directive is left", m.Name, name)
		}
	}
	if left == 0 || left != m.Left || m.Lines < 5 {
		t.Errorf("%s: %d lines are left, not %d of %d", m.Name, left, m.Left, m.Lines)
	}
}

// TestKeysDecide changes one key of a pool file after the other. Each parameter that changes must name the key among those that decide it.
func TestKeysDecide(t *testing.T) {
	changes := []string{
		"concurrency: none", "concurrency: sharded", "stats: off", "zero: always", "trim: {keep: 1MiB}", "limit: 8MiB", "chunk_size: 64KiB", "growth: double",
		"block_size: 128", "alignment: 128", "ordering: deferred", "bins: [64B, 128B]", "fit: best", "min_split: 256B", "cache: {per_bin: 8}", "arena_size: 64KiB",
		"magazine: 8", "on_exhausted: [trim, error]", "soft_limit: 1MiB", "prime: 1MiB",
	}
	decided := map[string]bool{}
	for _, base := range []string{
		"item: uint64", "item: uint64, concurrency: sharded", "suballocator: heap", "suballocator: heap, concurrency: sharded", "suballocator: binned",
		"suballocator: classes", "suballocator: ring", "suballocator: bump", "suballocator: heap, allocator: device",
	} {
		before := valuesOf(t, planOf(t, base))
		for _, change := range changes {
			key, _, _ := strings.Cut(change, ":")
			if strings.Contains(base, key+":") {
				continue
			}
			for name, value := range valuesOf(t, planOf(t, base+", "+change)) {
				old, both := before[name]
				keys := strings.Fields(keysOf(name))
				if !both || old == value || len(keys) == 0 {
					continue
				}
				decided[key] = true
				if !slices.Contains(keys, key) {
					t.Errorf("%s: %s makes %s of %s = %s, which %s are said to decide", base, change, value, name, old, keys)
				}
			}
		}
	}
	if len(decided) < 8 {
		t.Errorf("only %d keys change parameters", len(decided))
	}
}

// valuesOf returns the parameters of the only pool of a plan; none without a plan.
func valuesOf(t *testing.T, plan *spec.Plan) map[string]string {
	t.Helper()
	if plan == nil {
		return nil
	}
	pkg, err := Plan(plan)
	fatal.If(t, err)
	_, values, err := made.linked(pkg.Pools[0])
	fatal.If(t, err)
	return values
}
