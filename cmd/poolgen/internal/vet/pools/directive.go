package pools

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// Pool is a pool as the directive in generated code declares it, in the words of the pool file.
type Pool struct {
	Path         string // import path of the generated package
	Name         string
	Form         string   // item, span
	Allocators   []string // that a program may choose, the default first
	Suballocator string
	Ordering     string
	Concurrency  string
	Lookup       string // words, with commas
	Capture      string // "" or private
}

// Prefix begins the directive.
const Prefix = "//poolgen:pool "

// String returns the pool as messages name it.
func (p *Pool) String() string { return "pool " + p.Name }

// Same reports whether two pools are one declaration.
func (p *Pool) Same(q *Pool) bool {
	return p != nil && q != nil && p.Path == q.Path && p.Name == q.Name
}

// LooksUp reports whether the key lookup has a word.
func (p *Pool) LooksUp(word string) bool { return slices.Contains(strings.Split(p.Lookup, ","), word) }

// Frees reports whether blocks are freed one by one.
func (p *Pool) Frees() bool { return spec.Suballocator(p.Suballocator).Info().Order != spec.AllAtOnce }

// Drops reports whether Reset also frees live blocks, although blocks are freed one by one.
func (p *Pool) Drops() bool { return spec.Suballocator(p.Suballocator).Info().Heap }

// OnHost reports whether Go code can address blocks. It can with all allocators of a list, or with none.
func (p *Pool) OnHost() bool {
	return len(p.Allocators) > 0 && spec.Allocator(p.Allocators[0]).Memory() == spec.HostMemory
}

// May reports whether a program may choose an allocator.
func (p *Pool) May(allocator string) bool { return slices.Contains(p.Allocators, allocator) }

// Streams reports whether blocks can be freed on streams.
func (p *Pool) Streams() bool {
	return slices.Contains([]string{"stream", "deferred", "driver"}, p.Ordering)
}

// OwnedByGraphs reports whether a block that was allocated on a stream may be owned by a graph, and freed with it.
func (p *Pool) OwnedByGraphs() bool { return p.Capture == string(spec.CapturePrivate) }

// parse reads a directive. It ignores unknown keys, which later versions may add; a directive without a name is an error.
func parse(path, text string) (Pool, error) {
	p := Pool{Path: path}
	allocators := ""
	fields := map[string]*string{
		"name": &p.Name, "form": &p.Form, "allocator": &allocators, "suballocator": &p.Suballocator, "ordering": &p.Ordering, "concurrency": &p.Concurrency,
		"lookup": &p.Lookup, "capture": &p.Capture,
	}
	for word := range strings.FieldsSeq(strings.TrimPrefix(text, Prefix)) {
		key, value, _ := strings.Cut(word, "=")
		if field := fields[key]; field != nil {
			*field = value
		}
	}
	if allocators != "" {
		p.Allocators = strings.Split(allocators, ",")
	}
	if p.Name == "" {
		return p, fmt.Errorf("the directive %q names no pool", text)
	}
	return p, nil
}

// declared returns the pools that a package declares. Only generated files count: the directive must not be written by hand.
func declared(path string, files []*ast.File) (found []Pool) {
	for _, f := range files {
		if !ast.IsGenerated(f) {
			continue
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				if !strings.HasPrefix(c.Text, Prefix) {
					continue
				}
				if p, err := parse(path, c.Text); err == nil {
					found = append(found, p)
				}
			}
		}
	}
	return found
}
