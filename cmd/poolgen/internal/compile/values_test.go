package compile

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
)

var allValues = flag.Bool("compile.values", false, "TestValues: also ranges, pairs of keys, and 32 bits")

// TestValues generates pools with each value that the tables of keys allow, on each allocator that the key applies to, and compiles them. The values come
// from the tables, so a new key or a new word is tested without a change here. Words, booleans and none must be accepted on each allocator, except for
// those of refused; values of ranges and lists may also be refused.
//
// With -compile.values it takes two minutes of CPU. Without, it leaves out the ranges and the pools of many settings.
func TestValues(t *testing.T) {
	if !*allValues {
		large.Only(t) // compiles hundreds of pools
	}
	for _, allocator := range tried() {
		t.Run(allocator, func(t *testing.T) {
			cases := alone(t, allocator)
			if *allValues {
				cases = append(cases, beside(allocator, cases)...)
			}
			compilePools(t, cases)
		})
	}
}

// tried are the values of the key allocator: each word, and lists.
func tried() (values []string) {
	for _, a := range spec.Allocators() {
		values = append(values, string(a))
	}
	return append(values, anyDevice, driverPools, "[host, custom]", "[custom, managed, pinned, host]")
}

const (
	anyDevice   = "[device, device_async, device_pool, device_virtual]"
	driverPools = "[device_async, device_pool]"
)

// has reports whether a value of the key allocator is one of some allocators, or has one of them in its list.
func has(value string, some ...spec.Allocator) bool {
	return slices.ContainsFunc(strings.Split(strings.Trim(value, "[]"), ", "), func(word string) bool { return slices.Contains(some, spec.Allocator(word)) })
}

// TestSettingsThatFailed compiles the combinations that TestValues found at fault with -compile.values.
func TestSettingsThatFailed(t *testing.T) {
	compilePools(t, []settings{
		{{"item", "'[3]Local'"}, {"block_size", "6"}}, // the size of Local is not known while poolgen generates
		{{"item", "'[3]Local'"}, {"block_size", "6"}, {"concurrency", "sharded"}},
		{{"allocator", "device_pool"}, {"suballocator", "bump"}, {"device", "each"}, {"shareable", "true"}},
	})
}

// settings are the keys of a pool other than its name. The last one is under test.
type settings []set

// finite reports whether a value is one of a few: a word, a boolean or none.
func finite(k spec.Key, value string) bool {
	return slices.Contains(k.Values, value) || value == "true" || value == "false" || value == "none" && k.None
}

// refused are words that an allocator refuses, although the table of keys allows them there.
var refused = []refusal{
	{"[host, custom]", set{"ordering", "stream"}}, {"[host, custom]", set{"ordering", "deferred"}},
	{anyDevice, set{"ordering", "driver"}}, {"[host, custom]", set{"ordering", "driver"}}, {"[custom, managed, pinned, host]", set{"ordering", "driver"}},
	{"host", set{"ordering", "stream"}}, {"host", set{"ordering", "deferred"}},
	{"custom", set{"ordering", "stream"}}, {"custom", set{"ordering", "deferred"}},
	{"none", set{"ordering", "stream"}}, {"none", set{"ordering", "deferred"}},
	{"none", set{"suballocator", "none"}}, {"device_async", set{"driver_pool", "handles: fd"}},
	{"none", set{"lookup", "index"}}, {"none", set{"lookup", "handle"}},
	{"host", set{"ordering", "driver"}}, {"pinned", set{"ordering", "driver"}}, {"managed", set{"ordering", "driver"}},
	{"device", set{"ordering", "driver"}}, {"device_virtual", set{"ordering", "driver"}}, {"texture_tile", set{"ordering", "driver"}},
	{"custom", set{"ordering", "driver"}}, {"none", set{"ordering", "driver"}},
	{"[host, custom]", set{"guard", "none"}}, {"[custom, managed, pinned, host]", set{"guard", "none"}},
}

// refusal is a key with a word that an allocator refuses.
type refusal struct {
	allocator string
	set
}

// alone returns a pool for each value of each key that applies to an allocator. The pool has few other settings.
func alone(t *testing.T, allocator string) (cases []settings) {
	n := 0
	for _, k := range spec.Keys(spec.PoolSection) {
		if k.Name == "name" || k.Name == "allocator" || k.Allocators != nil && !has(allocator, k.Allocators...) {
			continue
		}
		frames := framesFor(k, allocator)
		for _, value := range valuesOf(k, *allValues) {
			if *allValues {
				n++
			} else if !finite(k, value) && !strings.HasPrefix(value, "{") {
				continue
			}
			if i := firstAccepted(frames, set{k.Name, value}, n); i >= 0 {
				cases = append(cases, append(slices.Clip(frames[i]), set{k.Name, value}))
			}
		}
		demand(t, allocator, k, cases)
	}
	return cases
}

// demand requires that each word of a key, or of the keys of its block, is in one of the pools.
func demand(t *testing.T, allocator string, k spec.Key, cases []settings) {
	t.Helper()
	occurs := func(is func(value string) bool) bool {
		return slices.ContainsFunc(cases, func(s settings) bool { return last(s).key == k.Name && is(last(s).value) })
	}
	for _, value := range valuesOf(k, false) {
		expected := !slices.Contains(refused, refusal{allocator, set{k.Name, value}})
		if is := occurs(func(v string) bool { return v == value }); finite(k, value) && is != expected {
			t.Errorf("allocator %s, %s: %s: accepted is %t", allocator, k.Name, value, is)
		}
	}
	for _, nested := range spec.Keys(spec.Section(k.Name)) {
		for _, value := range valuesOf(nested, false) {
			text := flow(settings{{nested.Name, value}})
			never := slices.Contains(refused, refusal{allocator, set{k.Name, nested.Name + ": " + value}})
			if finite(nested, value) && !never && !occurs(func(v string) bool { return strings.Contains(v, text[1:len(text)-1]) }) {
				t.Errorf("allocator %s refuses %s: %s", allocator, k.Name, text)
			}
		}
	}
}

// firstAccepted returns the index of a frame in which a setting is accepted, beginning at a different frame for each n; -1 if there is none.
func firstAccepted(frames []settings, s set, n int) int {
	for i := range frames {
		at := (i + n) % len(frames)
		if accepted(append(slices.Clip(frames[at]), s)) {
			return at
		}
	}
	return -1
}

// needed are settings without which a key applies to no pool.
var needed = map[string]settings{
	"wait_timeout":   {{"on_exhausted", "[wait, error]"}},
	"across_streams": {{"ordering", "stream"}},
	"guarantee":      {{"budget", "Scene"}},
	"alloc":          {{"free", "give"}},
	"free":           {{"alloc", "take"}},
}

// neededBySome are settings that some values of a key need.
var neededBySome = map[string]settings{
	"driver_pool": {{"shareable", "true"}},                                             // handles: fd
	"adapters":    {{"alignment", "64"}},                                               // arrow
	"lookup":      {{"chunk_size", "32MiB"}, {"limit", "32MiB"}, {"ordering", "sync"}}, // index, handle
	"sleep":       {{"limit", "1GiB"}},                                                 // prime: true
	"exports":     {{"device", "each"}},                                                // with streams
}

// framesFor returns pools of an allocator that a key may apply to: with each suballocator, concurrency and item.
func framesFor(k spec.Key, allocator string) (frames []settings) {
	for _, sub := range spec.Suballocators() {
		for _, concurrency := range []spec.Concurrency{spec.Mutex, spec.Sharded, spec.Unlocked} {
			for _, item := range []string{"uint32", ""} {
				s := settings{{"allocator", allocator}, {"suballocator", string(sub)}, {"concurrency", string(concurrency)}, {"item", item}}
				s = append(s, needed[k.Name]...)
				if has(allocator, spec.Custom) && k.Name != "alloc" && k.Name != "free" {
					s = append(s, set{"alloc", "take"}, set{"free", "give"})
				}
				s = slices.DeleteFunc(s, func(s set) bool { return s.value == "" || s.key == k.Name })
				frames = append(frames, s)
				if more := neededBySome[k.Name]; more != nil {
					frames = append(frames, slices.Concat(s, more))
				}
			}
		}
	}
	return frames
}

// rows is the number of pools with many settings, for each allocator.
const rows = 40

// beside returns pools of an allocator that have as many of the settings as can go together. Settings that were used least are tried first.
func beside(allocator string, cases []settings) (all []settings) {
	random := rand.New(rand.NewPCG(1, uint64(len(allocator))))
	uses := map[set]int{}
	for range rows {
		order := random.Perm(len(cases))
		slices.SortStableFunc(order, func(a, b int) int { return uses[last(cases[a])] - uses[last(cases[b])] })
		row := slices.Clone(cases[order[0]])
		for _, i := range order {
			if s := last(cases[i]); !row.has(s.key) && accepted(append(slices.Clip(row), s)) {
				row = append(row, s)
			}
		}
		for _, s := range row {
			uses[s]++
		}
		all = append(all, row)
	}
	return all
}

func last(s settings) set { return s[len(s)-1] }

func (s settings) has(key string) bool {
	return slices.ContainsFunc(s, func(s set) bool { return s.key == key })
}

// pool writes the pool, and another one that it may borrow from, as entries of the list of pools.
func (s settings) pool(name string) string {
	entry := func(name string, s settings) string {
		return "  - " + flow(append(settings{{"name", name}}, s...)) + "\n"
	}
	own := slices.Clone(s)
	for i := range own {
		own[i].value = strings.ReplaceAll(own[i].value, "pool:Name", "pool:"+name+"Lender")
	}
	text := entry(name, own)
	if !slices.Equal(own, s) {
		text += entry(name+"Lender", slices.DeleteFunc(slices.Clone(s), func(s set) bool { return s.key == "on_exhausted" || s.key == "wait_timeout" }))
	}
	return text
}

// fileOf writes a pool file with the imports and the budget that its pools name.
func fileOf(pools string) string {
	text := "version: 1\npackage: main\n" // for exports
	if strings.Contains(pools, "mesh.") {
		text += "imports: {mesh: a/b}\n"
	}
	if strings.Contains(pools, "budget:") {
		text += "budgets: [{name: Scene, limit: 1TiB}]\n"
	}
	return text + "pools:\n" + pools
}

const valueTypes = "package main\n\nimport \"unsafe\"\n\ntype Local uint16\n\nfunc take(size, align int64) (p unsafe.Pointer, err error) { return }\nfunc give(unsafe.Pointer, int64) error { return nil }\n" +
	"func mapPages(size, align int64) (p unsafe.Pointer, err error) { return }\nfunc unmapPages(unsafe.Pointer, int64) error { return nil }\n"

// valueEnv is the directory of the pool files.
var valueEnv = sync.OnceValue(func() spec.Env {
	env, err := spec.ScanDir(fstest.MapFS{"byhand.go": {Data: []byte(valueTypes)}}, nil, nil)
	if err != nil {
		panic(err) // the file is well formed
	}
	return env
})

func accepted(s settings) bool {
	_, found := planOfValues(fileOf(s.pool("Foo")))
	return len(found) == 0
}

func planOfValues(text string) (*spec.Plan, spec.Diagnostics) {
	doc, found := spec.Load("poolgen.yaml", []byte(text))
	if doc == nil {
		return nil, found
	}
	return doc.Validate(valueEnv())
}

// compilePools generates packages of pools, and compiles each.
func compilePools(t *testing.T, cases []settings) {
	t.Helper()
	for some := range slices.Chunk(cases, 100) {
		var pools strings.Builder
		for i, s := range some {
			pools.WriteString(s.pool(fmt.Sprintf("P%d", i)))
		}
		text := fileOf(pools.String())
		plan, found := planOfValues(text)
		var files map[string][]byte
		if len(found) == 0 {
			files, found = Files(t.Context(), plan, "poolgen.yaml", "test", nil, nil)
		}
		if len(found) > 0 {
			t.Errorf("%s\n%s", found.Text(false), text)
			continue
		}
		files["byhand.go"] = []byte(valueTypes)
		compileFiles(t, plan, files)
	}
	t.Logf("%d pools", len(cases))
}

// hugeBlock matches what the compiler says of blocks that are larger than the addresses of a 32-bit processor.
var hugeBlock = regexp.MustCompile(`_pool\.go:.*invalid array length [0-9]+ \(untyped int constant\)|BlockTiles \(untyped int constant.*overflows`)

// compileFiles compiles a package, with -compile.values for 32 bits, too.
func compileFiles(t *testing.T, plan *spec.Plan, files map[string][]byte) {
	t.Helper()
	for arch, world := range worlds {
		if arch != "amd64" && !*allValues {
			continue
		}
		w, err := world()
		fatal.If(t, err)
		w.plan = plan
		for _, fault := range w.faults(files) {
			if arch != "386" || !hugeBlock.MatchString(fault) {
				t.Errorf("%s: %s", arch, fault)
			}
		}
	}
}
