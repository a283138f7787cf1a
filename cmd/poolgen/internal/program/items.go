package program

import (
	"context"
	"fmt"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/spec"
)

// Items are the types of items as the compiler sees them, by their text in the output.
type Items struct {
	Target string           // see [Object]
	Size   map[string]int64 // bytes
	Align  map[string]int64
	Type   map[string]types.Type // if it could be read
}

// itemsFile is the name of the file that refers to the items. It exists only in the overlay.
const itemsFile = "zz_poolgen_items.go"

// LoadItems loads the item types of a plan that are the user's. It compiles the package as [Compile] does, with additional variables whose
// sizes are the sizes and alignments of the items, and types with a field of each item's type.
func LoadItems(ctx context.Context, gocmd gomod.Go, cwd, temp string, changes emit.Changes, plan *spec.Plan) (Items, error) {
	var names []string
	var body strings.Builder
	for i := range plan.Pools {
		if item := &plan.Pools[i].Item; item.Kind == spec.ItemUser {
			fmt.Fprintf(&body, "var zzsize%d [zzunsafe.Sizeof(*new(%s))]byte\n\n", len(names), item.Type)
			fmt.Fprintf(&body, "type ZZItem%d struct { _ %s }\n\n", len(names), item.Type)
			fmt.Fprintf(&body, "var zzalign%d [zzunsafe.Alignof(*new(%s))]byte\n\n", len(names), item.Type)
			names = append(names, item.Type)
		}
	}
	found := Items{Size: map[string]int64{}, Align: map[string]int64{}, Type: map[string]types.Type{}}
	if len(names) == 0 {
		return found, nil
	}
	object, err := compile(ctx, gocmd, cwd, temp, changes, plan, func(b *builder) {
		b.sources[itemsFile] = Source(b.packageName, body.String(), plan, map[string]string{"zzunsafe": "unsafe"})
	})
	if err != nil {
		return found, err
	}
	found.Target = object.Target
	sizes, err := object.nm(ctx, dataForm)
	if err != nil {
		return found, err
	}
	declared, err := object.scope()
	if err != nil {
		declared = types.NewScope(nil, 0, 0, "") // export data of a newer Go than this program reads: the sizes that nm prints suffice
	}
	for i, t := range names {
		n := strconv.Itoa(i)
		if holder := declared.Lookup("ZZItem" + n); holder != nil {
			found.Type[t] = holder.Type().Underlying().(*types.Struct).Field(0).Type()
		}
		found.Size[t], found.Align[t] = sizes["zzsize"+n], sizes["zzalign"+n]
		if found.Align[t] == 0 {
			return found, fmt.Errorf("the compiler did not tell the size of %s", t)
		}
	}
	return found, nil
}

// dataForm is a line on a variable; see nmForm.
var dataForm = regexp.MustCompile(`^\s*[0-9a-f]+\s+([0-9]+)\s+[BbDdRr]\s+(\S+)\s*$`)
