package cli

import (
	"context"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/spec"
)

// loadTypes fills in the sizes of items that are types of the user's, and returns the machine that they were compiled for. It notes what the user
// should know about them.
func (p *Process) loadTypes(ctx context.Context, u *workspace.Unit) (target string, err error) {
	progress := p.progress()
	defer progress.stop()
	progress.say("load the types of %s", u.Name)
	if err := p.compare(ctx, u); err != nil {
		return "", err
	}
	target, found, err := p.workspace().LoadTypes(ctx, u)
	for _, d := range found {
		p.note("%v", d)
	}
	return target, err
}

// rowsOf returns the rows of a pool. Sizes that were loaded say for which machine.
func rowsOf(u *workspace.Unit, pool *spec.Pool, target string) []spec.Row {
	rows, _ := spec.Explain(u.Plan, pool.Name)
	for i := range rows {
		if rows[i].Key == spec.ItemSizeKey && pool.Item.Kind == spec.ItemUser {
			rows[i].From = target
		}
	}
	return rows
}
