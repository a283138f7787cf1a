// Package compile turns a checked plan into the text of Go files: it decides which templates make up each pool and what their
// parameters are, has them specialised, and adds the facade. It reads nothing and writes nothing.
//
//	spec.Plan -> per suballocator: Instance -> specialize -> <suballocator>_core.go
//	          -> per pool:         Instance -> specialize -> <pool>_shell.go
//	                               Pool     -> facade     -> <pool>_pool.go, <pool>_poolgen_test.go
//	          -> once:                                       poolgen.go
package compile

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/facade"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
	"github.com/poolgen/poolgen/templates/specialize/layout"
)

// PackageFile is the name of the file that a package of pools has once.
const PackageFile = "poolgen.go"

// Named reports whether a generated file could have the name.
func Named(file string) bool {
	if file == PackageFile {
		return true
	}
	for _, suffix := range []string{poolSuffix, shellSuffix, testsSuffix, headerSuffix, coreSuffix} {
		if strings.HasSuffix(file, suffix) {
			return true
		}
	}
	return false
}

// HeaderFile is the name of the C header of a pool that has one. Package cheader writes it. It is not named after the pool alone, as headers are
// found by name: that of a pool Time would stand in for that of the C library.
func HeaderFile(pool string) string { return spec.FileStem(pool) + headerSuffix }

// PoolFiles lists the Go files that a pool has for itself.
func PoolFiles(pool *spec.Pool) []string {
	stem := spec.FileStem(pool.Name)
	files := []string{stem + poolSuffix, stem + shellSuffix}
	if pool.Tests {
		files = append(files, stem+testsSuffix)
	}
	return files
}

// The names of the files end so: those of a pool, and that of a suballocator.
const (
	poolSuffix   = "_pool.go"
	shellSuffix  = "_shell.go"
	testsSuffix  = "_poolgen_test.go"
	headerSuffix = "_pool.h"
	coreSuffix   = "_core.go"
)

// Files generates the output of a plan: file name, in the output folder, to text. owner is the path of the pool file from there, and
// stamp the version of poolgen, as the output names them; decls are the names that hand-written files of the folder declare, and where. What would not
// compile there comes back as findings, and then there are no files.
func Files(plan *spec.Plan, owner, stamp string, decls map[string]string) (map[string][]byte, spec.Diagnostics) {
	header := emit.Header(owner)
	text, err := facade.PackageFile(header, plan.Package, stamp, plan.Budgets, prefix)
	if err != nil {
		return nil, broken(plan, plan.File, err)
	}
	files := map[string][]byte{PackageFile: text}
	s := specialize.New(templates.Library())
	pools := make([]*pool, len(plan.Pools))
	for i := range plan.Pools {
		pools[i] = newPool(plan, &plan.Pools[i])
	}
	cores, err := share(pools, s)
	if err != nil {
		return nil, broken(plan, plan.File, err)
	}
	each(len(cores), func(i int) { cores[i].specialize(plan, s) })
	for _, c := range cores {
		if len(c.found) > 0 {
			return nil, c.found
		}
		if files[c.file()] != nil {
			return nil, broken(plan, c.file(), errors.New("another suballocator has the same name"))
		}
		files[c.file()] = c.result.File(header, plan.Package)
	}
	var formatter layout.Formatter
	outputs := make([]output, len(pools))
	each(len(pools), func(i int) { outputs[i] = pools[i].compile(plan, s, &formatter, header) })
	for i, o := range outputs {
		if len(o.found) > 0 {
			return nil, o.found
		}
		files[pools[i].file+poolSuffix] = o.facade
		files[pools[i].file+shellSuffix] = o.shell
		if o.tests != nil {
			files[pools[i].file+testsSuffix] = o.tests
		}
	}
	if found := append(clashes(plan, cores, files), collisions(plan, cores, files, decls)...); len(found) > 0 {
		return nil, found
	}
	return files, nil
}

// output is what one pool becomes.
type output struct {
	facade, shell []byte
	tests         []byte           // nil where the pool asks for none
	found         spec.Diagnostics // instead of text
}

// compile generates the files of one pool, whose suballocator is there already.
func (p *pool) compile(plan *spec.Plan, s *specialize.Specializer, formatter *layout.Formatter, header string) output {
	p.Core = p.shares.name
	p.StrideConst = p.shares.result.Names[p.shares.root+".blockSize"]
	p.CoreMark = p.shares.result.Names["bump.Mark"]
	inst, err := s.Reduce(p.shell(p.shares.result))
	if err != nil {
		return output{found: broken(plan, p.Name, err)}
	}
	result, err := s.Specialize(inst)
	if err != nil {
		return output{found: p.explainError(plan, err)}
	}
	text, err := facade.File(header, &p.Pool, formatter)
	if err != nil {
		return output{found: broken(plan, p.Name, err)}
	}
	o := output{facade: text, shell: result.File(header, plan.Package)}
	if p.Tests {
		if o.tests, err = facade.Tests(header, &p.Pool); err != nil {
			return output{found: broken(plan, p.Name, err)}
		}
	}
	return o
}

// baseName is the pool file as the output names it: whatever folder the command runs in, and whichever way its path is written.
func baseName(plan *spec.Plan) string { return path.Base(filepath.ToSlash(plan.File)) }

// explainError turns an error of the specialiser into a finding at the line whose value caused it.
func (p *pool) explainError(plan *spec.Plan, err error) spec.Diagnostics {
	var e *specialize.Error
	switch {
	case !errors.As(err, &e):
		return broken(plan, p.Name, err)
	case e.Taken != "":
		return p.taken(plan, e.Taken)
	case e.Param == "":
		return broken(plan, p.Name, err)
	}
	key, ok := keyOf[e.Param]
	if !ok {
		return broken(plan, p.Name, err)
	}
	return spec.Diagnostics{plan.Finding(spec.CodeFault, p.place(key), "", fmt.Sprintf("pool %q: %s: %s", p.Name, key, e.Msg))}
}

// place is where the pool file sets a key of the pool, or else where the pool is.
func (p *pool) place(key string) spec.Position {
	for _, v := range p.Values {
		if v.Key == key && v.Pos != (spec.Position{}) {
			return v.Pos
		}
	}
	return p.Pos
}

// keyOf names the key of the pool file that decides a parameter.
var keyOf = map[string]string{
	"fixed.blockSize":     "block_size",
	"fixed.itemBytes":     "item",
	"strict.blockSize":    "block_size",
	"strict.itemBytes":    "item",
	"heap.granule":        "alignment",
	"heap.fit":            "fit",
	"heap.minSplit":       "min_split",
	"heap.choosy":         "trim",
	"binned.bins":         "bins",
	"classes.bins":        "bins",
	"classes.cachePerBin": "cache",
	"classes.cacheBytes":  "cache",
	"ring.arenaSize":      "arena_size",
	"ring.granule":        "alignment",
	"bump.granule":        "alignment",
	"hostmem.Item":        "item",
	"tilemem.blockTiles":  "block_size",
}

// broken reports a fault of poolgen itself.
func broken(plan *spec.Plan, where string, err error) spec.Diagnostics {
	return spec.Diagnostics{plan.Finding(spec.CodeFault, spec.Position{}, "this is a fault of poolgen: please report it with the pool file",
		fmt.Sprintf("poolgen cannot generate %s: %v", where, err))}
}
