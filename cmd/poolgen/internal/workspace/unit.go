package workspace

import (
	"fmt"
	"go/build"
	"go/build/constraint"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// Unit is one pool file on its way through the compiler.
type Unit struct {
	Name    string            // of the pool file, as messages show it
	Plan    *spec.Plan        // nil if the pool file has findings
	Env     spec.Env          // content of the output directory besides generated files
	Files   map[string][]byte // generated files, by name; nil before Compile, and if Compile has findings
	Changes emit.Changes      // of the output directory, once they are compared
	Strays  []emit.Changes    // of directories that were the output once

	dir   string // directory of the pool file
	base  string // its name in there
	trial bool   // as in Workspace
	doc   *spec.Document
}

// Output returns the output directory.
func (u *Unit) Output() emit.Dir { return emit.Dir{Base: u.dir, Path: u.Plan.Output, Trial: u.trial} }

// owner returns the pool file as files of the output directory name it.
func (u *Unit) owner() string { return u.Output().Owner(u.base) }

// Sets lists the changes of all directories, that of the output first.
func (u *Unit) Sets() []*emit.Changes {
	all := []*emit.Changes{&u.Changes}
	for i := range u.Strays {
		all = append(all, &u.Strays[i])
	}
	return all
}

// Pools returns the pool of the given name, or all pools for "".
func (u *Unit) Pools(name string) ([]*spec.Pool, error) {
	var pools []*spec.Pool
	var all []string
	for i := range u.Plan.Pools {
		pool := &u.Plan.Pools[i]
		all = append(all, pool.Name)
		if name == "" || name == pool.Name {
			pools = append(pools, pool)
		}
	}
	if len(pools) == 0 {
		return nil, fmt.Errorf("%s has no pool %q; it has %s", u.Name, name, strings.Join(all, ", "))
	}
	return pools, nil
}

// Load finds, reads and checks pool files, see [Workspace.Find]. It returns the units of those without findings, and all findings.
func (w *Workspace) Load(names []string) ([]*Unit, spec.Diagnostics, error) {
	paths, err := w.Find(names)
	if err != nil {
		return nil, nil, err
	}
	var units []*Unit
	var found spec.Diagnostics
	for _, path := range paths {
		text, err := w.Read(path)
		if err != nil {
			return nil, nil, err
		}
		u, findings, err := w.Parse(path, text, "")
		if err != nil {
			return nil, nil, err
		}
		found = append(found, findings...)
		if len(findings) == 0 {
			units = append(units, u)
		}
	}
	return units, found, nil
}

// Parse checks the text of a pool file that is, or would be, at an absolute path. dirName replaces the name of the output directory, from which
// the package gets its name if nothing else gives it; "" stands for the true name. The unit is nil if the text is not YAML.
func (w *Workspace) Parse(path string, text []byte, dirName string) (*Unit, spec.Diagnostics, error) {
	u := &Unit{Name: w.Shown(path), dir: filepath.Dir(path), base: filepath.Base(path), trial: w.Trial}
	doc, found := spec.Load(u.Name, text)
	if doc == nil {
		return nil, found, nil
	}
	env, err := w.surroundings(emit.Dir{Base: u.dir, Path: doc.OutputDir(), Trial: w.Trial}, u.base, doc.BuildTags())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", u.Name, err)
	}
	if dirName != "" {
		env.Dir = dirName
	}
	u.doc, u.Env = doc, env
	u.Plan, found = doc.Validate(env)
	if w.Trial && u.Plan != nil && selfContained(u.Plan) {
		u.Plan.Output += "/zz_poolgen_trial" // where nothing is
	}
	return u, found, nil
}

// selfContained reports whether the pools need nothing of the package in their output directory.
func selfContained(plan *spec.Plan) bool {
	return !slices.ContainsFunc(plan.Pools, func(p spec.Pool) bool {
		return p.Item.Kind == spec.ItemUser && p.Item.Qualifier == "" || p.May(spec.Custom) || len(p.Exports) > 0
	})
}

// surroundings finds what an output directory holds besides the files of the pool file. It does not read a directory outside that of the
// pool file: a later stage refuses such an output.
func (w *Workspace) surroundings(dir emit.Dir, poolFile string, tags constraint.Expr) (spec.Env, error) {
	if !filepath.IsLocal(filepath.FromSlash(dir.Path)) {
		return spec.Env{Dir: filepath.Base(dir.Base)}, nil
	}
	if info, err := os.Stat(dir.String()); err == nil && !info.IsDir() {
		return spec.Env{}, fmt.Errorf("output: %s is not a directory", w.Shown(dir.String()))
	}
	owner := dir.Owner(poolFile)
	env, err := spec.ScanDir(os.DirFS(dir.String()), tags, func(name string, text []byte) bool {
		from, generated := emit.Owner(text)
		return generated && lower.IsFile(name) && (dir.Trial || dir.Belongs(owner, from))
	})
	env.Dir, env.ImportPath, env.GOOS = filepath.Base(dir.String()), gomod.ImportPath(dir.String()), build.Default.GOOS
	if shown := w.Shown(dir.String()); shown != "." {
		if env.PackageAt != "" {
			env.PackageAt = shown + "/" + env.PackageAt
		}
		for name, at := range env.Decls {
			env.Decls[name] = shown + "/" + at
		}
	}
	return env, err
}
