package property

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

// module is the module path of the generated packages.
const module = "example.com/property"

// pack is one generated package.
type pack struct {
	name string
	seed uint64
	text string // of the pool file
	plan *spec.Plan
}

// drawPool draws a pool: its number in the pool file, and the imports of items.
type drawPool func(d draw, i int, imports map[string]string) entry

// poolsPerPackage keeps the number of packages to build low.
const poolsPerPackage = 15

// newPacks draws packages with n pools or a few more. It returns the packages by name, and the files that poolgen does not generate.
func newPacks(t *testing.T, n int, one drawPool) (packs map[string]*pack, files map[string]string) {
	t.Helper()
	refused := map[spec.Code]int{}
	packs, files = map[string]*pack{}, map[string]string{}
	for _, f := range foreigns {
		files["other/"+f.dir+"/types.go"] = f.source()
	}
	for i := 0; i*poolsPerPackage < n; i++ {
		p := newPack(t, i, *seed+uint64(i), poolsPerPackage, one, refused)
		packs[p.name] = p
		maps.Copy(files, p.files())
	}
	t.Logf("%d packages from -property.seed=%d; refused: %v", len(packs), *seed, refused)
	return packs, files
}

// newPack draws a package of n pools.
func newPack(t *testing.T, i int, seed uint64, n int, one drawPool, refused map[spec.Code]int) *pack {
	t.Helper()
	p := &pack{name: fmt.Sprintf("pack%d", i), seed: seed}
	env, err := spec.ScanDir(fstest.MapFS{"types.go": {Data: []byte(p.types())}}, nil, nil)
	fatal.If(t, err)
	env.Dir = p.name
	f := &file{budgets: []string{"{name: Small, limit: 2MiB}", "{name: Large, limit: 64MiB}"}}
	p.plan = f.add(t, newDraw(seed), env, n, one, refused)
	p.text = f.yaml()
	return p
}

func (p *pack) types() string { return fmt.Sprintf(localTypes, p.name) }

// files returns the files of the package that poolgen does not generate, save the smoke test.
func (p *pack) files() map[string]string {
	return map[string]string{
		p.name + "/poolgen.yaml": p.text,
		p.name + "/types.go":     p.types(),
	}
}

// test returns the source of the package's smoke test.
func (p *pack) test() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"testing\"\n\n\t\"github.com/poolgen/poolgen/tests/property/smoke\"\n)\n\n", p.name)
	fmt.Fprintf(&b, "func TestPools(test *testing.T) {\n\tfor _, one := range []smoke.Spec{\n")
	for i := range p.plan.Pools {
		q := &p.plan.Pools[i]
		fmt.Fprintf(&b, "\t\t{Name: %q, New: func() (any, error) { return %s(%s) }, Single: %t, Order: %q, Marks: %t, Numbers: %t, Locked: %t, Counters: %t, Zero: %q,\n",
			q.Name, spec.NameOf("New", q.Name, "Pool"), choice(q), q.ItemForm(), q.Suballocator.Info().Order, q.Marks(), q.Allocator == spec.NoAllocator, q.Concurrency != spec.Unlocked, q.Stats == spec.StatsCounters, q.Zero)
		fmt.Fprintf(&b, "\t\t\tBorrows: %t, Budget: %t, Align: %d, Chunk: %d, Largest: %d, Limit: %d, Prime: %d, SoftLimit: %d, Bins: %s, Seed: %d},\n",
			borrows(q), q.Budget != "", q.Alignment, q.ChunkSize, largest(q), q.Limit, q.Prime, q.SoftLimit, list(q.Bins), p.seed)
	}
	b.WriteString("\t} {\n\t\ttest.Run(one.Name, func(test *testing.T) { smoke.Run(test, one) })\n\t}\n}\n")
	return b.String()
}

// choice is the option that chooses the last allocator of a list.
func choice(p *spec.Pool) string {
	if n := len(p.Others); n > 0 {
		return fmt.Sprintf("smoke.Chosen(%q)", p.Others[n-1])
	}
	return ""
}

func borrows(p *spec.Pool) bool {
	for _, r := range p.OnExhausted {
		if r.Kind == spec.RungPool {
			return true
		}
	}
	return false
}

// largest returns the size of a request that an empty chunk can always serve.
func largest(p *spec.Pool) int64 {
	switch {
	case p.Allocator == spec.NoAllocator:
		return 100
	case p.Suballocator.Info().Arenas:
		return p.ArenaSize &^ (max(p.Alignment, 16) - 1)
	default:
		return p.ChunkSize
	}
}

func list(sizes []int64) string {
	if len(sizes) == 0 {
		return "nil"
	}
	return "[]int64{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(sizes), " ", ", "), "[]") + "}"
}
