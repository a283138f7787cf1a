package workspace

import (
	"context"
	"os"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/program"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet/pools"
	"github.com/poolgen/poolgen/spec"
)

// LoadTypes fills in the sizes of items that are types of the user's, which only the Go compiler knows, in the plan of a unit after Compare, and
// returns the target that they were compiled for. The findings are items that contain pointers; they do not keep the pools from being generated. The
// sizes have no influence on the output.
//
// Cost: that of [program.LoadItems], which runs the Go compiler, if a pool has such an item; else none.
func (w *Workspace) LoadTypes(ctx context.Context, u *Unit) (target string, found spec.Diagnostics, err error) {
	temp, err := os.MkdirTemp("", "poolgen-types-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(temp)
	types, err := program.LoadItems(ctx, gomod.Go{Environ: w.Environ}, w.Dir, temp, u.Changes, u.Plan)
	if err != nil {
		return "", nil, err
	}
	for i := range u.Plan.Pools {
		pool := &u.Plan.Pools[i]
		item := &pool.Item
		if item.Kind != spec.ItemUser {
			continue
		}
		item.Size, item.Align = types.Size[item.Type], types.Align[item.Type]
		if t := types.Type[item.Type]; t != nil && !pools.Plain(t) {
			info, _ := spec.Explanation(string(spec.CodeItemPointers))
			found = append(found, u.Plan.Finding(info.Code, pool.Place("item"), info.Fix, pools.Pointer(t).Message(item.Type, pool.Name)))
		}
	}
	return types.Target, w.report(found, u), nil
}
