package lower

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
)

// shareCores decides which suballocators the package has, and which pools share one.
func (pkg *Package) shareCores(s *specialize.Specializer) error {
	byKey := map[string]*Core{}
	for _, p := range pkg.Pools {
		c, err := p.newCore(s)
		if err != nil {
			return err
		}
		if same := byKey[c.key]; same != nil {
			c = same
		} else {
			byKey[c.key], pkg.Cores = c, append(pkg.Cores, c)
		}
		p.Core, c.Pools = c, append(c.Pools, p)
	}
	for _, c := range pkg.Cores {
		c.File = coreFile(c.Type)
	}
	distinguish(pkg.Cores)
	for _, c := range pkg.Cores {
		c.nameDeclarations()
	}
	return nil
}

// newCore decides which templates make up the pool's suballocator, and what it is called.
func (p *Pool) newCore(s *specialize.Specializer) (*Core, error) {
	root, behind := p.coreTemplates()
	name := behind + title(root)
	if behind == "" {
		name = root
	}
	inst := p.instance(root)
	inst.Want = "Core"
	if behind != "" && behind != "classes" { // which package shards is written with
		inst.Replace[template("classes")] = template(behind)
	}
	inst, err := s.Reduce(inst)
	for _, v := range settings {
		if v.word != nil && v.isIn(inst) {
			name += v.word(p)
		}
	}
	key := fmt.Sprint(inst.Root, inst.Replace, inst.Bind, inst.Types)
	return &Core{Type: shorten(name, key) + "Core", Instance: inst, key: key}, err
}

// coreTemplates names the template that the shell is linked with, and the suballocator behind that if it is one for each processor.
func (p *Pool) coreTemplates() (root, behind string) {
	switch info := p.Spec.Suballocator.Info(); {
	case !p.Spec.Shared():
		return info.Template, ""
	case info.Sharded != "":
		return info.Sharded, ""
	case len(p.Slabs) > 0:
		return "slabs", info.Template // which have shards behind them
	default:
		return "shards", info.Template
	}
}

// template is the import path of a template.
func template(name string) string { return templates.Path + "/" + name }

// instance has the settings of a pool for the templates that are linked with a root.
func (p *Pool) instance(root string) specialize.Instance {
	inst := specialize.Instance{
		Root:    template(root),
		Replace: map[string]string{},
		Bind:    map[string]string{},
		Types:   map[string]string{},
		Names:   map[string]string{},
		Imports: p.imports(),
	}
	for _, s := range settings {
		values := inst.Bind
		if s.typ {
			values = inst.Types
		}
		for _, t := range s.in {
			if value := s.value(p); value != "" {
				values[t+"."+s.name] = value
			}
		}
	}
	return inst
}

// isIn reports whether an instance has the setting.
func (s *setting) isIn(inst specialize.Instance) bool {
	return slices.ContainsFunc(s.in, func(t string) bool { return inst.Bind[t+"."+s.name] != "" || inst.Types[t+"."+s.name] != "" })
}

// nameDeclarations names what the rest of the output refers to.
func (c *Core) nameDeclarations() {
	root := c.Instance.Root[strings.LastIndexByte(c.Instance.Root, '/')+1:]
	c.Instance.Prefix = c.Type
	c.Instance.Names = map[string]string{root + ".Core": c.Type}
	first := c.Pools[0]
	if first.Spec.ItemForm() {
		c.Stride = c.Type + "BlockSize"
		c.Instance.Names[root+".blockSize"] = c.Stride
	}
	if first.Can.Mark {
		c.Mark = c.Type + "Mark"
		c.Instance.Names[root+".Mark"] = c.Mark
	}
}

// imports maps the qualifiers of the settings to import paths.
func (p *Pool) imports() map[string]string {
	m := map[string]string{"runtime": RuntimePath, "cuda": CUDAPath, "reflect": "reflect", "time": "time"}
	if q := p.Item.Core.Qualifier; q != "" {
		m[q] = p.Spec.Item.Import
	}
	return m
}

// coreFile is the name of the file of a suballocator.
func coreFile(name string) string { return spec.FileStem(name) + ".go" }

// longest bounds the names of suballocators, as that of pools is bounded.
const longest = 80

// shorten cuts a name that is too long, and tells it from others that begin like it.
func shorten(name, key string) string {
	if len(name) <= longest {
		return name
	}
	for i := range name {
		if i > longest-12 {
			return name[:i] + sum(key)
		}
	}
	return name
}

// distinguish tells suballocators apart whose files would have the same name: item types a.BC and aB.C, bins of the same number and range.
// Each gets a name that does not depend on the other.
func distinguish(all []*Core) {
	count := map[string]int{}
	for _, c := range all {
		count[strings.ToLower(c.File)]++
	}
	for _, c := range all {
		if count[strings.ToLower(c.File)] > 1 {
			c.Type = strings.TrimSuffix(c.Type, "Core") + sum(c.key) + "Core"
			c.File = coreFile(c.Type)
		}
	}
}

// sum is a short number for a text.
func sum(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("X%08x", h.Sum32())
}
