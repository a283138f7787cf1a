package specialize

import "go/token"

// Library gives the sources of template packages: import path -> file name -> text. Test files in it are
// ignored.
type Library map[string]map[string]string

// Instance says what to make of the templates for one pool. Names of parameters, types and declarations
// are qualified by the name of their template package.
type Instance struct {
	// Root is the import path of the template whose exported declarations are wanted.
	Root string
	// Replace links another package in place of an imported one. Both have the same API; the local name
	// of the import stays. It does not apply within what the other package imports itself, so
	// that a replacement may be built on what it replaces.
	Replace map[string]string
	// Bind gives values to constants and variables marked as parameters: "heap.granule" -> "32". A value
	// is a Go expression as the output would write it, or the name of a constant of the template's own package. Other
	// names, and expressions with them, are opaque: no branch may depend on them.
	Bind map[string]string
	// Types gives types to aliases marked as parameters: "hostmem.Item" -> "mesh.Vertex".
	Types map[string]string
	// Imports gives the import path of each qualifier in Bind and Types, but for unsafe.
	Imports map[string]string
	// Names gives declarations a name: "item.Pool" -> "VertexPool".
	Names map[string]string
	// Docs adds paragraphs to doc comments, as they are: of "item.Pool", or of the method "item.Pool.Alloc". What is not in the output is ignored.
	Docs map[string]string
	// Prefix begins the name of each other declaration: "vertex" makes chunk vertexChunk. If it is
	// empty, names stay.
	Prefix string
	// Want is the declaration of the root's that is wanted, with all it needs: "Core". If it is empty, all exported ones are.
	Want string
	// Taken are names that imports cannot have, as the package of the output declares them elsewhere.
	Taken map[string]string
	// Given links an earlier result of the same Specializer in place of an imported package: import path -> result. The output
	// refers to the declarations of the result by their names there and does not repeat them, so both belong in one package. Of a
	// given package, templates can name types and call their methods.
	Given map[string]*Result
}

// Import is one import of the output. Name is "" when it is the last element of the path.
type Import struct{ Name, Path string }

// Specializer specialises templates of one library. It parses each package once and caches the analysis of recent combinations of
// parameters. It is safe for concurrent use.
type Specializer struct {
	loader loader
	cache  cache
}

// New returns a Specializer of the library, which must not change afterwards.
func New(lib Library) *Specializer {
	return &Specializer{loader: loader{lib: lib, fset: token.NewFileSet(), loaded: map[string]*template{}}}
}

// Specialize links, binds, prunes and renames the templates of one instance. It takes a few milliseconds
// for a thousand lines of templates, a tenth of that if another instance had the same parameters. Errors are of type [*Error].
func (s *Specializer) Specialize(inst Instance) (*Result, error) {
	p, err := s.prepare(&inst)
	if err != nil {
		return nil, err
	}
	return p.result(&inst)
}

// Specialize is [Specializer.Specialize] for a single instance.
func Specialize(lib Library, inst Instance) (*Result, error) {
	return New(lib).Specialize(inst)
}

// result runs the passes that depend on names: substitute, shake, rename, rewrite, assemble, verify.
func (p *program) result(inst *Instance) (*Result, error) {
	for _, pass := range []func() error{
		func() error { return p.substitute(inst) },
		func() error { return p.shake(inst.Want, nil) },
		func() error { return p.rename(inst) },
		p.rewrite,
		func() error { p.addDocs(inst.Docs); return nil },
	} {
		if err := pass(); err != nil {
			return nil, err
		}
	}
	return p.assemble()
}
