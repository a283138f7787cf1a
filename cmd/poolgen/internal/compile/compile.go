// Package compile turns a checked plan into the text of Go files: it specialises the templates and prints the API as package lower decides, and
// looks for clashes of names. It does no input or output.
//
//	spec.Plan -> lower -> per suballocator: specialize -> <first pool>_core.go
//	                      per pool:         specialize -> <pool>_shell.go
//	                                        facade     -> <pool>_pool.go, <pool>_adapters.go, <pool>_poolgen_test.go
//	                      once:             facade     -> poolgen.go; with exports, poolgen_c.go, poolgen.c and poolgen.h
package compile

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/facade"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates/specialize"
)

// Files generates the output of a plan: file name, in the output directory, to text. owner is the path of the pool file from there, and stamp the
// version of poolgen, as the output names them; decls are the names that hand-written files of the directory declare, and their places. If the output
// would not compile there, Files returns findings, and no files. When ctx ends, it soon returns neither. It calls say, if that is not nil, with how many
// percent are done, each ten.
func Files(ctx context.Context, plan *spec.Plan, owner, stamp string, decls map[string]string, say func(percent int)) (map[string][]byte, spec.Diagnostics) {
	pkg, err := lower.Plan(plan)
	if err != nil {
		return nil, broken(plan, plan.File, err)
	}
	pkg.Taken = decls
	b := &build{Package: pkg, say: say, header: emit.Header(owner), cores: map[*lower.Core]*specialize.Result{}, files: map[string][]byte{}}
	text, err := facade.PackageFile(b.header, pkg, stamp)
	if err != nil {
		return nil, broken(plan, plan.File, err)
	}
	b.files[lower.PackageFile] = text
	if exports, err := facade.Exports(b.header, pkg); err != nil {
		return nil, broken(plan, plan.File, err)
	} else {
		maps.Copy(b.files, exports)
	}
	if found := b.makeCores(ctx); len(found) > 0 || ctx.Err() != nil {
		return nil, found
	}
	if found := b.makePools(ctx); len(found) > 0 || ctx.Err() != nil {
		return nil, found
	}
	if found := append(b.clashes(ctx), b.collisions(ctx, decls)...); len(found) > 0 || ctx.Err() != nil {
		return nil, found
	}
	for name, text := range b.files {
		b.files[name] = constrained(plan, b.header, name, text)
	}
	return b.files, nil
}

// constrained adds the build constraint below the header of a file. The file of C is only for builds with cgo, and the header for other programs.
func constrained(plan *spec.Plan, header, name string, text []byte) []byte {
	line := plan.BuildLine()
	switch name {
	case lower.ExportsHeader:
		return text
	case lower.ExportsC:
		line = plan.BuildLine("cgo")
	}
	return slices.Concat([]byte(header+"\n\n"+line), text[len(header):])
}

// build is the state while the output of one pool file is made.
type build struct {
	*lower.Package
	say    func(percent int)
	saying sync.Mutex
	done   int    // cores and pools
	header string // of every file
	cores  map[*lower.Core]*specialize.Result
	files  map[string][]byte
}

// each calls f for each core, or for each pool, as long as ctx lives, and says how far the build is.
func (b *build) each(ctx context.Context, n int, f func(i int)) {
	const steps = 10
	all := len(b.Cores) + len(b.Pools)
	each(ctx, n, func(i int) {
		f(i)
		b.saying.Lock()
		defer b.saying.Unlock()
		before := b.done * steps / all
		b.done++
		if now := b.done * steps / all; b.say != nil && now > before {
			b.say(now * 100 / steps)
		}
	})
}

// makeCores specialises the suballocators.
func (b *build) makeCores(ctx context.Context) spec.Diagnostics {
	results, found := make([]*specialize.Result, len(b.Cores)), make([]spec.Diagnostics, len(b.Cores))
	b.each(ctx, len(b.Cores), func(i int) {
		var err error
		inst := b.Cores[i].Instance
		inst.Taken = b.Taken
		if results[i], err = lower.Specializer().Specialize(inst); err != nil {
			found[i] = explainError(b.Plan, b.Cores[i].Pools[0].Spec, err)
		}
	})
	if ctx.Err() != nil {
		return nil
	}
	for i, c := range b.Cores {
		if len(found[i]) > 0 {
			return found[i]
		}
		b.cores[c], b.files[c.File] = results[i], results[i].File(b.header+"\n\n"+facade.CoreComment(c), b.Plan.Package)
	}
	return nil
}

// makePools makes the files of pools, whose suballocators are there already.
func (b *build) makePools(ctx context.Context) spec.Diagnostics {
	outputs := make([]output, len(b.Pools))
	b.each(ctx, len(b.Pools), func(i int) { outputs[i] = b.pool(b.Pools[i]) })
	for i, o := range outputs { // without texts if ctx has ended
		if len(o.found) > 0 {
			return o.found
		}
		f := b.Pools[i].Files
		b.files[f.Pool], b.files[f.Shell] = o.facade, o.shell
		if f.Adapters != "" {
			b.files[f.Adapters] = o.adapters
		}
		if f.Tests != "" {
			b.files[f.Tests] = o.tests
		}
	}
	return nil
}

// output is the output for one pool.
type output struct {
	facade, shell []byte
	adapters      []byte           // nil if the pool has none
	tests         []byte           // likewise
	found         spec.Diagnostics // instead of text
}

// pool makes the files of one pool.
func (b *build) pool(p *lower.Pool) (o output) {
	inst := p.Instance
	inst.Given = map[string]*specialize.Result{p.Over: b.cores[p.Core]}
	inst.Docs, inst.Taken = facade.ShellDocs(b.Package, p), b.Taken
	inst, err := lower.Specializer().Reduce(inst)
	if err != nil {
		return output{found: broken(b.Plan, p.Spec.Name, err)}
	}
	result, err := lower.Specializer().Specialize(inst)
	if err != nil {
		return output{found: explainError(b.Plan, p.Spec, err)}
	}
	o.shell = result.File(b.header+facade.ShellComment(p), b.Plan.Package)
	if o.facade, err = facade.File(b.header, b.Package, p); err != nil {
		return output{found: broken(b.Plan, p.Spec.Name, err)}
	}
	if p.Files.Adapters != "" {
		o.adapters, err = facade.Adapters(b.header, b.Package, p)
	}
	if p.Files.Tests != "" && err == nil {
		o.tests, err = facade.Tests(b.header, b.Package, p)
	}
	if err != nil {
		return output{found: broken(b.Plan, p.Spec.Name, err)}
	}
	return o
}
