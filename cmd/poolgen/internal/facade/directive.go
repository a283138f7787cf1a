package facade

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/spec"
)

// directive declares the pool to programs that read Go code, such as poolgen vet: its name and the settings that decide what callers may do with its
// blocks, as words key=value. It stands alone between declarations: there it is not part of a doc comment, and gofmt does not move it.
func (p *pool) directive(f *jen.File) {
	form := "span"
	if p.Spec.ItemForm() {
		form = "item"
	}
	more := ""
	if len(p.Spec.Lookup) > 0 {
		more += " lookup=" + strings.Join(p.Spec.Lookup, ",")
	}
	if p.Spec.Capture == spec.CapturePrivate {
		more += " capture=private"
	}
	allocators := string(p.Spec.Allocator)
	for _, a := range p.Spec.Others {
		allocators += "," + string(a)
	}
	f.Line()
	f.Comment(fmt.Sprintf("//poolgen:pool name=%s form=%s allocator=%s suballocator=%s ordering=%s concurrency=%s%s",
		p.Spec.Name, form, allocators, p.Spec.Suballocator, p.Spec.Ordering, p.Spec.Concurrency, more))
}
