package cheader

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// describe writes the declarations of a pool's header for sizes.
func (l *loaded) describe(plan *spec.Plan, p *spec.Pool, sizes types.Sizes) (body, error) {
	b := newBuilder(sizes)
	b.names.claim(viewName(plan, p), "the view") // which has the name, whatever types there are
	element := "uint8_t"
	var out, alias strings.Builder
	if p.Item.Kind != spec.ItemBytes {
		t, err := l.item(p.Item)
		if err != nil {
			return body{}, err
		}
		if element, err = b.item(t, p, identifier(plan.Package)+"_"+identifier(p.Name)+"Item", &alias); err != nil {
			return body{}, err
		}
	}
	b.write(&out)
	out.WriteString(alias.String())
	if p.DeviceView {
		view(&out, plan, p, element)
	}
	includes := "#include <stddef.h>\n#include <stdint.h>\n"
	if b.bools {
		includes = "#include <stdbool.h>\n" + includes
	}
	return body{includes: includes, declarations: out.String()}, nil
}

// item describes the item of a pool and returns its name in C: that of the struct, or else of a declaration that stands for it.
func (b *builder) item(t types.Type, p *spec.Pool, name string, out *strings.Builder) (string, error) {
	if b.sizes.Sizeof(t) == 0 {
		return "", &refused{why: "the type has no size", help: "give it a field"}
	}
	c, err := b.describe(t, "", nil)
	if err != nil {
		return "", err
	}
	if _, isStruct := t.Underlying().(*types.Struct); isStruct {
		return c.name, nil
	}
	name = b.names.claim(name, "the item")
	fmt.Fprintf(out, "\n// %s, the item of pool %s\ntypedef %s %s%s;\n", p.Item.Type, p.Name, c.name, name, c.lengths)
	assertType(out, name, b.sizes.Sizeof(t), b.sizes.Alignof(t))
	return name, nil
}
