package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/compile"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/spec"
)

// unit is one pool file on its way through the compiler.
type unit struct {
	name    string // as messages show it
	dir     string // folder of the file
	owner   string // base name of the file, as its output names it
	plan    *spec.Plan
	decls   map[string]string // what hand-written files of the output folder declare, and where
	files   map[string][]byte // generated
	changes emit.Changes      // of the output folder
}

// load reads and checks pool files. It returns the units of those without findings, and all findings.
func (p *Process) load(paths []string) ([]*unit, spec.Diagnostics, error) {
	var units []*unit
	var found spec.Diagnostics
	for _, path := range paths {
		u, findings, err := p.loadOne(path)
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

func (p *Process) loadOne(path string) (*unit, spec.Diagnostics, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	return p.parse(path, text, "")
}

// parse checks the text of a pool file that is, or would be, at path. folderName stands in for the name of the
// output folder, from which the package gets its name where nothing else gives it; "" for the true one.
func (p *Process) parse(path string, text []byte, folderName string) (*unit, spec.Diagnostics, error) {
	u := &unit{name: p.shown(path), dir: filepath.Dir(path), owner: filepath.Base(path)}
	doc, found := spec.Load(u.name, text)
	if doc == nil {
		return nil, found, nil
	}
	env, err := p.surroundings(filepath.Join(u.dir, filepath.FromSlash(doc.OutputFolder())), u.owner)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", u.name, err)
	}
	if folderName != "" {
		env.Folder = folderName
	}
	u.decls = env.Decls
	u.plan, found = doc.Validate(env)
	return u, found, nil
}

// surroundings finds out what an output folder holds apart from what was generated from the pool file owner.
func (p *Process) surroundings(folder, owner string) (spec.Env, error) {
	env, err := spec.ScanFolder(os.DirFS(folder), func(_ string, text []byte) bool {
		from, generated := emit.Owner(text)
		return generated && from == owner
	})
	env.Folder = filepath.Base(folder)
	if shown := p.shown(folder); shown != "." {
		if env.PackageAt != "" {
			env.PackageAt = shown + "/" + env.PackageAt
		}
		for name, at := range env.Decls {
			env.Decls[name] = shown + "/" + at
		}
	}
	return env, err
}

// compile generates the files of checked pool files, in memory.
func (p *Process) compile(units []*unit) spec.Diagnostics {
	var found spec.Diagnostics
	for _, u := range units {
		files, findings := compile.Files(u.plan, versionOf(p.Build).stamp(), u.decls)
		found = append(found, findings...)
		u.files = files
	}
	return found
}

// compare compares what was generated with the output folders. Nothing is written.
func compare(units []*unit) error {
	if err := overlapping(units); err != nil {
		return err
	}
	for _, u := range units {
		if other := filepath.Join(u.folder(), u.owner); u.plan.Output != "." && exists(other) {
			return fmt.Errorf("%s has the output folder of another pool file of its name, %s: their files could not be told apart; rename one of the two", u.name, other)
		}
		var err error
		folder := emit.Folder{Base: u.dir, Path: u.plan.Output}
		if u.changes, err = emit.Compare(folder, u.owner, u.files); err != nil {
			return fmt.Errorf("%s: %w", u.name, err)
		}
	}
	return nil
}

// overlapping refuses two pool files that would write the same files, or tear one folder into two packages.
func overlapping(units []*unit) error {
	for i, b := range units {
		for _, a := range units[:i] {
			if a.folder() != b.folder() {
				continue
			}
			if a.plan.Package != b.plan.Package {
				return fmt.Errorf("%s and %s share the output folder %s, but not the package: %s and %s", a.name, b.name, a.folder(), a.plan.Package, b.plan.Package)
			}
			if a.owner == b.owner {
				return fmt.Errorf("%s and %s share the output folder %s and their base name, by which their files are told apart: give one of them another output folder", a.name, b.name, a.folder())
			}
			for _, name := range slices.Sorted(maps.Keys(a.files)) {
				if _, both := b.files[name]; both {
					return fmt.Errorf("%s and %s would both write %s: give one of them another output folder", a.name, b.name, filepath.Join(a.folder(), name))
				}
			}
		}
	}
	return nil
}

// folder is the output folder, with links resolved as far as it exists.
func (u *unit) folder() string {
	path := filepath.Join(u.dir, filepath.FromSlash(u.plan.Output))
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
