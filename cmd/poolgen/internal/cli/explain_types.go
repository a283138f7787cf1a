package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/program"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/items"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/spec"
)

// loadTypes fills in the sizes of items that are types of the user's, which only the Go compiler knows, and returns what it compiled for. Nothing is generated after
// that: the output is the same whatever the sizes are.
func (p *Process) loadTypes(ctx context.Context, u *workspace.Unit) (target string, err error) {
	progress := p.progress()
	defer progress.stop()
	progress.say("load the types of %s", u.Name)
	if err := p.compare(u); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp("", "poolgen-types-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	found, err := program.LoadItems(ctx, p.gocmd(), p.Dir, temp, u.Changes, u.Plan)
	if err != nil {
		return "", err
	}
	for i := range u.Plan.Pools {
		pool := &u.Plan.Pools[i]
		item := &pool.Item
		if item.Kind != spec.ItemUser {
			continue
		}
		item.Size, item.Align = found.Size[item.Type], found.Align[item.Type]
		if t := found.Type[item.Type]; t != nil && !pools.Plain(t) {
			p.note("%s: %s: %s", placeOf(u, pool, "item"), spec.CodeItemPointers, items.Message(item.Type, pool.Name, pools.Pointer(t)))
		}
	}
	return found.Target, nil
}

// placeOf is where the pool file sets a key of a pool; the pool itself, if it does not.
func placeOf(u *workspace.Unit, pool *spec.Pool, key string) string {
	pos := pool.Place(key)
	return fmt.Sprintf("%s:%d:%d", u.Name, pos.Line, pos.Column)
}

// rowsOf are what there is to say of a pool. Sizes that were loaded say for which machine.
func rowsOf(u *workspace.Unit, pool *spec.Pool, target string) []spec.Row {
	rows, _ := spec.Explain(u.Plan, pool.Name)
	for i := range rows {
		if rows[i].Key == spec.ItemSizeKey && pool.Item.Kind == spec.ItemUser {
			rows[i].From = target
		}
	}
	return rows
}
