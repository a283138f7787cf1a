package cheader

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// Headers generates the headers of the pools of a plan that have one. head is the first line of each. Items that C cannot represent, and types that
// do not load, are findings, and then there are no headers.
//
// Cost: if an item is a type of the user's, one call of the go command, which compiles the imports of its package unless they are in the build cache.
func (s *Source) Headers(ctx context.Context, plan *spec.Plan, head string) (map[string][]byte, spec.Diagnostics) {
	var pools []*spec.Pool
	var items []spec.Item
	for i := range plan.Pools {
		if p := &plan.Pools[i]; p.HeaderKey() != "" {
			pools, items = append(pools, p), append(items, p.Item)
		}
	}
	if len(pools) == 0 {
		return nil, nil
	}
	files := map[string][]byte{}
	var found spec.Diagnostics
	l, err := s.load(ctx, items)
	if err != nil {
		first := slices.IndexFunc(items, func(item spec.Item) bool { return item.Kind == spec.ItemUser })
		return nil, spec.Diagnostics{refuse(plan, pools[first], err)}
	}
	l.names = l.newNames(plan)
	for _, p := range pools {
		text, err := l.header(plan, p, head)
		if err != nil {
			found = append(found, refuse(plan, p, err))
			continue
		}
		files[lower.FilesOf(p).Header] = []byte(text)
	}
	if len(found) > 0 {
		return nil, found
	}
	return files, nil
}

// refuse returns the finding that a pool cannot have a header.
func refuse(plan *spec.Plan, p *spec.Pool, err error) spec.Diagnostic {
	help := "leave out " + p.HeaderKey()
	var notes []spec.Note
	if r := (*refused)(nil); errors.As(err, &r) {
		help = r.help + ", or " + help
		if r.note != nil {
			notes = append(notes, *r.note)
		}
	}
	pos := p.Place("item")
	if pos == p.Pos { // bytes have none
		pos = p.Place(p.HeaderKey())
	}
	return plan.Finding(spec.CodeHeader, pos, help, fmt.Sprintf("pool %q: no C header for %s: %s", p.Name, p.Item.Type, err), notes...)
}

// header writes the header of one pool.
func (l *loaded) header(plan *spec.Plan, p *spec.Pool, head string) (string, error) {
	text, err := l.body(plan, p, l.sizes)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\n#pragma once\n\n%s\n%s", head, includes(text.bools), preamble)
	if text.words > 0 {
		fmt.Fprintf(&out, "\n// In Go, this layout depends on the machine. It is that of one of %d bits.\n", 8*text.words)
		fmt.Fprintf(&out, "POOLGEN_STATIC_ASSERT(sizeof(void *) == %d, \"%s: generated for %d bits\");\n", text.words, p.Name, 8*text.words)
	}
	out.WriteString(text.declarations)
	return out.String(), nil
}

// body is the content of a header.
type body struct {
	bools        bool // <stdbool.h> is needed
	declarations string
	words        int64 // bytes of a machine word, where the layout depends on it; else 0
}

// body describes the item for the target, and finds out whether the layout is the same on other machines.
func (l *loaded) body(plan *spec.Plan, p *spec.Pool, sizes types.Sizes) (b body, err error) {
	if b, err = l.describe(plan, p, sizes); err != nil {
		return b, err
	}
	for _, arch := range []string{"amd64", "386"} {
		other, err := l.describe(plan, p, types.SizesFor("gc", arch))
		if err != nil {
			return b, err
		}
		if other != b {
			b.words = sizes.Sizeof(types.Typ[types.Uintptr])
		}
	}
	return b, nil
}
