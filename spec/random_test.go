package spec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/large"
)

// invariants checks the properties of a plan that the generator relies on.
func invariants(t *testing.T, plan *Plan) {
	t.Helper()
	wrong := func(p *Pool, what string) { t.Errorf("pool %s: %s\n%+v", p.Name, what, *p) }
	names := make(map[string]bool)
	for i := range plan.Pools {
		p := &plan.Pools[i]
		numbers, info := p.Allocator == NoAllocator, p.Suballocator.Info()
		stride := p.Stride()
		switch {
		case p.Name == "" || names[p.Name]:
			wrong(p, "name")
		case p.Granularity < 1 || p.ChunkSize%p.Granularity != 0 || (p.ChunkSize == 0) != numbers:
			wrong(p, "chunk size and granularity")
		case !numbers && (p.Limit < p.ChunkSize || stride > p.ChunkSize || p.Alignment > p.ChunkSize):
			wrong(p, "a block, a chunk and the limit")
		case p.Alignment < 0 || p.Alignment&(p.Alignment-1) != 0 || p.Item.Align > 0 && p.Alignment > 0 && p.Alignment < p.Item.Align:
			wrong(p, "alignment")
		case stride < 0 || p.BlockSize > 0 && (p.BlockSize < p.Item.Size || p.Alignment > 0 && p.BlockSize%p.Alignment != 0):
			wrong(p, "stride")
		case p.ItemForm() && stride == 0 && p.Item.Kind != ItemUser, p.ItemForm() && p.Item.Kind == ItemBytes && p.BlockSize == 0:
			wrong(p, "block of unknown size")
		case p.BlockSize > 0 && !info.OneSize, p.ArenaSize > p.ChunkSize, (p.ArenaSize > 0) != (info.Arenas && !numbers):
			wrong(p, "parts")
		case (len(p.Bins) > 0) != (info.Bins != nil), !slices.IsSorted(p.Bins), len(p.Bins) > maxBins:
			wrong(p, "bins")
		case info.binsInChunks() && !numbers && p.Bins[len(p.Bins)-1] > p.ChunkSize:
			wrong(p, "largest bin")
		case numbers != (p.Item.Kind == ItemNumber), numbers && info.Direct:
			wrong(p, "numbers")
		case p.Streams() && !p.Allocator.NeedsDriver(), p.Streams() && !p.Frees():
			wrong(p, "streams")
		case p.Prime > p.Limit || p.SoftLimit > p.Limit && p.SoftLimit != 0:
			wrong(p, "limits")
		case p.Magazine > 0 && (p.Concurrency != Sharded || !info.OneSize || p.Trim != nil), len(p.OnExhausted) == 0, len(p.Values) == 0:
			wrong(p, "concurrency, ladder or values")
		case p.Shareable && p.DriverPool != nil && p.DriverPool.Handles != "fd", (p.AllocFunc != "") != (p.Allocator == Custom):
			wrong(p, "sharing or functions")
		}
		names[p.Name] = true
	}
}

// values to try for any key, sensible or not.
var nonsense = []string{"", "0", "1", "2", "16", "64", "4KiB", "64KiB", "1MiB", "2MiB", "8MiB", "1GiB", "-1", "1.5", "none", "true", "false", "yes",
	"[]", "{}", "[1, 2]", "[64B, 256B]", "~", "Foo", "mesh.Vertex", "float32", "'[4]float64'", "string", "''", "é", "1s", "[error]", "[wait, error]",
	"['pool:P1', error]", "[trim, driver, poll, wait, error]", "{keep: 1MiB}", "{min: 64, max: 4KiB, growth: 1.5}", "{min: 16, max: 4KiB, per_doubling: 4}", "[host]", "[device, pinned]",
	"{source: custom, handles: fd}", "*a", "&a b", "!!int 3", "{a: {b: [c]}}"}

// randomFile writes a pool file from the tables: mostly keys with their examples and words, some nonsense.
func randomFile(r *rand.Rand) string {
	value := func(k Key) string {
		switch n := r.IntN(10); {
		case n < 4 && len(k.Values) > 0:
			v := k.Values[r.IntN(len(k.Values))]
			if k.Kind == ListKind {
				return "['" + v + "', " + k.Values[r.IntN(len(k.Values))] + "]"
			}
			return v
		case n < 8:
			return k.Example
		}
		return nonsense[r.IntN(len(nonsense))]
	}
	pool := func(name string, keys int) string {
		parts := []string{"name: " + name}
		if name == "" {
			parts = nil
		}
		for _, k := range r.Perm(len(poolKeys))[:keys] {
			if key := poolKeys[k]; key.Name != "name" {
				parts = append(parts, key.Name+": "+value(key))
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	var b strings.Builder
	b.WriteString("version: 1\n")
	if r.IntN(4) == 0 {
		k := fileKeys[r.IntN(len(fileKeys)-4)]
		fmt.Fprintf(&b, "%s: %s\n", k.Name, value(k))
	}
	if r.IntN(2) == 0 {
		b.WriteString("budgets: [{name: Scene, limit: " + value(*keyNamed(BudgetSection, "limit")))
		if r.IntN(4) == 0 {
			b.WriteString(", scope: " + value(*keyNamed(BudgetSection, "scope")) + ", lease: " + value(*keyNamed(BudgetSection, "lease")))
		}
		b.WriteString("}]\n")
	}
	if r.IntN(2) == 0 {
		b.WriteString("imports: {mesh: a/mesh}\n")
	}
	if r.IntN(3) == 0 {
		b.WriteString("defaults: " + pool("", 2) + "\n")
	}
	b.WriteString("pools:\n")
	for i := range 1 + r.IntN(3) {
		fmt.Fprintf(&b, "  - %s\n", pool(fmt.Sprintf("P%d", i), r.IntN(5)))
	}
	return b.String()
}

// wellPlaced compares the places of findings with the file.
func wellPlaced(t *testing.T, src string, found Diagnostics) {
	t.Helper()
	lines := strings.Split(src, "\n")
	last := Position{}
	for _, d := range found {
		if d.Pos.Line < 1 || d.Pos.Line > len(lines) || d.Pos.Column < 1 || d.Pos.Column > len([]rune(lines[d.Pos.Line-1]))+1 ||
			d.End.Line != d.Pos.Line || d.End.Column <= d.Pos.Column || d.Pos.before(last) {
			t.Errorf("misplaced: %+v", d)
		}
		if _, known := Explanation(string(d.Code)); !known || d.Message == "" || strings.HasSuffix(d.Message, ".") || strings.Contains(d.Message, "%!") || strings.Contains(d.Help, "%!") {
			t.Errorf("malformed: %+v", d)
		}
		last = d.Pos
	}
}

// Any file gives findings with a place, or a plan that the generator can rely on; and each time the same.
func TestRandomFilesGiveFindingsOrPlans(t *testing.T) {
	plans := 0
	r := rand.New(rand.NewPCG(1, 2))
	enough := large.Or(150, 50)
	for range 30 * enough {
		src := randomFile(r)
		plan, found := check(t, src, "")
		wellPlaced(t, src, found)
		if plan != nil {
			plans++
			invariants(t, plan)
		}
		if _, again := check(t, src, ""); again.Text(false) != found.Text(false) {
			t.Errorf("not deterministic")
		}
		if t.Failed() {
			t.Fatalf("file:\n%s\n%s", src, found.Text(false))
		}
	}
	if plans < enough {
		t.Errorf("only %d of the files are right: the test looks at too few plans", plans)
	}
}

// FuzzLoad checks the same for arbitrary files.
func FuzzLoad(f *testing.F) {
	for _, info := range Codes() {
		f.Add(info.Bad)
		f.Add(info.Good)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		f.Add(randomFile(r))
	}
	f.Fuzz(func(t *testing.T, src string) {
		plan, found := check(t, src, "")
		text := strings.TrimPrefix(src, "\ufeff")
		wellPlaced(t, strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), found)
		if plan != nil {
			invariants(t, plan)
		}
		_ = found.Text(true) + found.JSON() + found.GitHub() + found.SARIF()
	})
}
