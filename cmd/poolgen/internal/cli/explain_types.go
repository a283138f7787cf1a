package cli

import (
	"context"
	"os"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/program"
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
		if item := &u.plan.Pools[i].Item; item.Kind == spec.ItemUser {
			item.Size, item.Align = found.Size[item.Type], found.Align[item.Type]
		}
	}
	return found.Target, nil
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
