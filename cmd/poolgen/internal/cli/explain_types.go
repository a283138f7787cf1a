package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/program"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/items"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/spec"
)

// loadTypes fills in the sizes of items that are types of the user's, which only the Go compiler knows, and returns what it compiled for. Nothing is generated after
// that: the output is the same whatever the sizes are.
func (p *Process) loadTypes(ctx context.Context, u *unit) (target string, err error) {
	progress := p.progress()
	defer progress.stop()
	progress.say("load the types of %s", u.name)
	if err := p.compare(textFormat, u); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp("", "poolgen-types-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	found, err := program.LoadItems(ctx, p.gocmd(), p.Dir, temp, u.changes, u.plan)
	if err != nil {
		return "", err
	}
	for i := range u.plan.Pools {
		pool := &u.plan.Pools[i]
		item := &pool.Item
		if item.Kind != spec.ItemUser {
			continue
		}
		item.Size, item.Align = found.Size[item.Type], found.Align[item.Type]
		if t := found.Type[item.Type]; t != nil && !pools.Plain(t) {
			p.note("%s: %s: %s", u.placeOf(pool, "item"), spec.CodeItemPointers, items.Message(item.Type, pool.Name, pools.Pointer(t)))
		}
	}
	return found.Target, nil
}

// placeOf is where the pool file sets a key of a pool; the pool itself, if it does not.
func (u *unit) placeOf(pool *spec.Pool, key string) string {
	pos := pool.Pos
	for _, v := range pool.Values {
		if v.Key == key && v.Pos != (spec.Position{}) {
			pos = v.Pos
		}
	}
	return fmt.Sprintf("%s:%d:%d", u.name, pos.Line, pos.Column)
}

// rows are what there is to say of a pool. Sizes that were loaded say for which machine.
func (u *unit) rows(pool *spec.Pool) []spec.Row {
	rows, _ := spec.Explain(u.plan, pool.Name)
	for i := range rows {
		if rows[i].Key == spec.ItemSizeKey && pool.Item.Kind == spec.ItemUser {
			rows[i].From = u.types
		}
	}
	return rows
}
