package cheader

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// describe writes the declarations of a pool's header for sizes.
func (l *loaded) describe(plan *spec.Plan, p *spec.Pool, sizes types.Sizes) (body, error) {
	b := newBuilder(sizes, l.fault, l.names)
	element := "uint8_t"
	var out, alias strings.Builder
	if p.Item.Kind != spec.ItemBytes {
		t, err := l.item(p.Item)
		if err != nil {
			return body{}, err
		}
		if element, err = b.item(t, plan, p, &alias); err != nil {
			return body{}, err
		}
	}
	b.write(&out)
	out.WriteString(alias.String())
	switch p.DeviceView {
	case spec.BumpView:
		view(&out, l.names, plan, p, element)
	case spec.FixedView:
		fixedView(&out, l.names, plan, p, element)
	}
	return body{bools: b.bools, declarations: out.String()}, nil
}

// item describes the item of a pool and returns its name in C: that of the struct, or else of a declaration that stands for it.
func (b *builder) item(t types.Type, plan *spec.Plan, p *spec.Pool, out *strings.Builder) (string, error) {
	switch size := b.sizes.Sizeof(t); {
	case size == 0:
		return "", &refused{why: "has no size", help: "give it a field"}
	case size < 0:
		return "", &refused{why: "is larger than any memory", help: "make it smaller"}
	}
	_, isStruct := t.Underlying().(*types.Struct)
	if !isStruct {
		b.unnamed = b.names.element(plan, p)
	} else if _, named := types.Unalias(t).(*types.Named); !named {
		b.unnamed = b.names.item(plan, p)
	}
	c, err := b.describe(t, "", nil)
	if err != nil || isStruct {
		return c.name, err
	}
	name := b.names.item(plan, p)
	fmt.Fprintf(out, "\n// %s, the item of pool %s\ntypedef %s %s%s;\n", p.Item.Type, p.Name, c.name, name, c.lengths)
	assertType(out, name, b.sizes.Sizeof(t), b.sizes.Alignof(t))
	return name, nil
}
