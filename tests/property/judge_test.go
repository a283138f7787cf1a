package property

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
)

// judge reads a pool file as the command does. A file that is refused comes with findings, each of which must point into the text.
func judge(text string, env spec.Env) (*spec.Plan, spec.Diagnostics) {
	doc, found := spec.Load("poolgen.yaml", []byte(text))
	if doc == nil {
		return nil, found
	}
	return doc.Validate(env)
}

// misplaced returns an error for a finding without a place in the text, a message or a code.
func misplaced(found spec.Diagnostics, text string) error {
	lines := strings.Split(text, "\n")
	for _, d := range found {
		switch {
		case d.Pos.Line < 1 || d.Pos.Line > len(lines), d.Pos.Column < 1 || d.Pos.Column > len([]rune(lines[d.Pos.Line-1]))+1:
			return fmt.Errorf("no place in the file: %v", d)
		case d.Code == spec.CodeFault || !strings.HasPrefix(string(d.Code), "PG"), d.Message == "", strings.Contains(d.Message, "\n"):
			return fmt.Errorf("no finding about the file: %v", d)
		}
	}
	return nil
}

// add draws pools until the file has n, and returns its plan. Pools that are refused are left out, and counted.
func (f *file) add(t *testing.T, d draw, env spec.Env, n int, one drawPool, refused map[spec.Code]int) *spec.Plan {
	t.Helper()
	var plan *spec.Plan
	imports := map[string]string{}
	for i := 0; len(f.pools) < n; i++ {
		wanted := map[string]string{}
		for q, path := range imports {
			wanted[q] = path
		}
		e := one(d, i, wanted)
		next := *f
		next.pools = append(slices.Clone(f.pools), f.point(d, e))
		next.imports = used(wanted, next.pools)
		text := next.yaml()
		p, found := judge(text, env)
		if len(found) > 0 {
			if err := misplaced(found, text); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			refused[found[0].Code]++
			continue
		}
		if !fits(&p.Pools[len(p.Pools)-1]) {
			refused["by Go"]++
			continue
		}
		*f, plan, imports = next, p, wanted
	}
	return plan
}

// fits reports whether an item of the output package fits the sizes in the pool file. If not, only the Go compiler refuses it.
func fits(p *spec.Pool) bool {
	room := p.Limit
	if p.ChunkSet {
		room = min(room, p.ChunkSize)
	}
	if p.ArenaSize > 0 {
		room = min(room, p.ArenaSize)
	}
	return wide[p.Item.Type] <= room
}

// point sets another pool of the file, if there is one, in the ladder of a pool.
func (f *file) point(d draw, e entry) entry {
	ladder := e.get("on_exhausted")
	if !strings.Contains(ladder, "OTHER") {
		return e
	}
	e = e.without("on_exhausted")
	var others []string
	for _, p := range f.pools {
		if p.get("item") == e.get("item") && p.get("concurrency") == e.get("concurrency") {
			others = append(others, p.get("name"))
		}
	}
	if len(others) > 0 {
		e.set("on_exhausted", strings.ReplaceAll(ladder, "OTHER", pick(d, others...)))
		return e
	}
	return e.without("wait_timeout")
}

// used returns the imports that the items of the pools use.
func used(imports map[string]string, pools []entry) (list []setting) {
	for q, path := range imports {
		for _, p := range pools {
			item := strings.Trim(p.get("item"), "'")
			if strings.HasPrefix(item[strings.LastIndex(item, "]")+1:], q+".") {
				list = append(list, setting{q, path})
				break
			}
		}
	}
	slices.SortFunc(list, func(a, b setting) int { return strings.Compare(a.key, b.key) })
	return list
}
