package cheader

import (
	"fmt"
	"go/token"
	"go/types"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
)

// drawn is a random type, as go/types and as reflect have it.
type drawn struct {
	described types.Type
	running   reflect.Type
}

// draw draws a type, of structs and arrays so deep.
func draw(r *rand.Rand, depth int) drawn {
	switch n := r.IntN(10); {
	case depth == 0 || n < 6:
		return drawNumber(r)
	case n < 8:
		element, n := draw(r, depth-1), r.IntN(4) // length 0 takes no room, but aligns
		return drawn{types.NewArray(element.described, int64(n)), reflect.ArrayOf(n, element.running)}
	}
	return drawStruct(r, depth)
}

func drawNumber(r *rand.Rand) drawn {
	numbers := []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[int32](), reflect.TypeFor[uint64](), reflect.TypeFor[int](),
		reflect.TypeFor[uintptr](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex64](), reflect.TypeFor[complex128](),
	}
	t := numbers[r.IntN(len(numbers))]
	return drawn{types.Universe.Lookup(t.String()).Type(), t}
}

func drawStruct(r *rand.Rand, depth int) drawn {
	var described []*types.Var
	var running []reflect.StructField
	for i := range r.IntN(6) {
		field, name, pkg := draw(r, depth-1), fmt.Sprintf("F%d", i), ""
		if r.IntN(6) == 0 {
			name, pkg = "_", "drawn"
		}
		described = append(described, types.NewField(token.NoPos, nil, name, field.described, false))
		running = append(running, reflect.StructField{Name: name, PkgPath: pkg, Type: field.running})
	}
	return drawn{types.NewStruct(described, nil), reflect.StructOf(running)}
}

// Random structs have the same layout in C as in the running program.
func TestDrawnLayoutsAreGos(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	arch := reflectArch(t)
	b := newBuilder(types.SizesFor("gc", arch), func(types.Object) *spec.Note { return nil }, names{})
	var asserted strings.Builder
	seen := 0
	for i := 0; seen < 500; i++ {
		d := drawStruct(r, 4)
		if d.running.Size() == 0 {
			continue
		}
		b.unnamed = fmt.Sprintf("drawn_%d", i)
		if _, err := b.describe(d.described, "", nil); err != nil {
			t.Fatal(err)
		}
		assertType(&asserted, b.unnamed, int64(d.running.Size()), int64(d.running.Align()))
		for j := range d.running.NumField() {
			if f := d.running.Field(j); f.Name != "_" && f.Type.Size() > 0 {
				fmt.Fprintf(&asserted, "POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF(%s, %s) == %d, \"\");\n", b.unnamed, f.Name, f.Offset)
				seen++
			}
		}
	}
	var out strings.Builder
	b.write(&out)
	text := includes(true) + preamble + out.String() + asserted.String()
	for _, dialect := range dialects {
		if out, err := compile(t, dialect, text, nil); err != nil {
			t.Errorf("%v: %v\n%.2000s", dialect, err, out)
		}
	}
}
