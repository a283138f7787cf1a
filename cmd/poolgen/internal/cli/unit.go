package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/compile"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/spec"
)

// unit is one pool file on its way through the compiler.
type unit struct {
	name    string // as messages show it
	dir     string // folder of the file
	base    string // name of the file in dir
	doc     *spec.Document
	plan    *spec.Plan
	env     spec.Env          // what the output folder holds beside what is generated
	files   map[string][]byte // generated
	types   string            // the machine that sizes of the user's types are for, once they are loaded
	changes emit.Changes      // of the output folder
	strays  []emit.Changes    // of folders that were the output once
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
	text, err := p.readPoolFile(path)
	if err != nil {
		return nil, nil, err
	}
	return p.parse(path, text, "")
}

// parse checks the text of a pool file that is, or would be, at path. folderName stands in for the name of the
// output folder, from which the package gets its name where nothing else gives it; "" for the true one.
func (p *Process) parse(path string, text []byte, folderName string) (*unit, spec.Diagnostics, error) {
	u := &unit{name: p.shown(path), dir: filepath.Dir(path), base: filepath.Base(path)}
	doc, found := spec.Load(u.name, text)
	if doc == nil {
		return nil, found, nil
	}
	env, err := p.surroundings(emit.Folder{Base: u.dir, Path: doc.OutputFolder()}, u.base)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", u.name, err)
	}
	if folderName != "" {
		env.Folder = folderName
	}
	u.doc, u.env = doc, env
	u.plan, found = doc.Validate(env)
	return u, found, nil
}

// surroundings finds out what an output folder holds apart from what belongs to the pool file. A folder that is none of ours is not
// looked at: the pool file will be refused for it.
func (p *Process) surroundings(folder emit.Folder, poolFile string) (spec.Env, error) {
	if !filepath.IsLocal(filepath.FromSlash(folder.Path)) {
		return spec.Env{Folder: filepath.Base(folder.Base)}, nil
	}
	if info, err := os.Stat(folder.String()); err == nil && !info.IsDir() {
		return spec.Env{}, fmt.Errorf("output: %s is not a folder", p.shown(folder.String()))
	}
	owner := folder.Owner(poolFile)
	env, err := spec.ScanFolder(os.DirFS(folder.String()), func(name string, text []byte) bool {
		from, generated := emit.Owner(text)
		return generated && lower.IsFile(name) && folder.Belongs(owner, from)
	})
	env.Folder, env.ImportPath = filepath.Base(folder.String()), gomod.ImportPath(folder.String())
	if shown := p.shown(folder.String()); shown != "." {
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
		files, findings := compile.Files(u.plan, u.output().Owner(u.base), versionOf(p.Build).stamp(), u.env.Decls)
		u.doc.Mark(findings)
		found = append(found, findings...)
		u.files = files
	}
	return found
}

// buildToMeasure takes pool files through the compiler for programs that measure their pools: without the rung wait, as nobody else could free anything. Findings
// end the command, as text, since standard output is for figures alone.
func (p *Process) buildToMeasure(names []string) ([]*unit, error) {
	paths, err := p.poolFiles(names)
	if err != nil {
		return nil, err
	}
	units, found, err := p.load(paths)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		for _, u := range units {
			u.plan = replay.Unwaiting(u.plan)
		}
		found = p.compile(units)
	}
	if err := p.findings(textFormat, found); err != nil {
		return nil, err
	}
	return units, p.compare(textFormat, units...)
}

// difference is that between what was generated and the output folder.
func (u *unit) difference() (emit.Changes, error) {
	return emit.Compare(u.output(), u.output().Owner(u.base), u.files, lower.IsFile)
}

// compare compares what was generated with the output folders, and finds what was generated elsewhere before. Nothing is written. Files that are not
// the pool file's to write are findings, which are written in the format and end the command.
func (p *Process) compare(format string, units ...*unit) error {
	found := p.overlapping(units)
	if len(found) > 0 {
		return p.findings(format, found)
	}
	for _, u := range units {
		var err error
		var taken *emit.Taken
		u.changes, err = u.difference()
		switch {
		case errors.As(err, &taken):
			found = append(found, p.taken(u, taken))
			continue
		case err != nil:
			return fmt.Errorf("%s: %w", u.name, err)
		}
		if u.strays, err = emit.Strays(u.output(), u.base, lower.IsFile); err != nil {
			return fmt.Errorf("%s: %w", u.name, err)
		}
	}
	disown(units)
	return p.findings(format, found)
}

// disown leaves each file to one of the units: to the one that wants it, else to the first that would remove it.
func disown(units []*unit) {
	taken := map[string]bool{}
	path := func(c emit.Changes, f emit.Change) string { return filepath.Join(c.Folder.Real(), f.Name) }
	for _, u := range units {
		for _, f := range u.changes.Files {
			if f.Kind != emit.Orphaned {
				taken[path(u.changes, f)] = true
			}
		}
	}
	for _, u := range units {
		for _, c := range u.sets() {
			c.Files = slices.DeleteFunc(c.Files, func(f emit.Change) bool {
				again := f.Kind == emit.Orphaned && taken[path(*c, f)]
				taken[path(*c, f)] = true
				return again
			})
		}
	}
}

// sets lists the changes of all folders.
func (u *unit) sets() []*emit.Changes {
	all := []*emit.Changes{&u.changes}
	for i := range u.strays {
		all = append(all, &u.strays[i])
	}
	return all
}

// output is the output folder.
func (u *unit) output() emit.Folder { return emit.Folder{Base: u.dir, Path: u.plan.Output} }

// folder is the path of the output folder, with links resolved as far as it exists.
func (u *unit) folder() string { return u.output().Real() }
