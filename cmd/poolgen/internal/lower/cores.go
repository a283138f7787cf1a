package lower

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
)

// shareCores decides which suballocators the package has, and which pools share one.
func (pkg *Package) shareCores(s *specialize.Specializer) error {
	byKey := map[string]*Core{}
	for _, p := range pkg.Pools {
		inst, err := p.coreInstance(s)
		if err != nil {
			return err
		}
		key := fmt.Sprint(inst.Root, inst.Replace, inst.Bind, inst.Types)
		c := byKey[key]
		if c == nil {
			c = &Core{Type: p.Names.Prefix + "Core", File: p.Files.Core, Instance: inst}
			if c.Layers, err = layers(s, inst); err != nil {
				return err
			}
			byKey[key], pkg.Cores = c, append(pkg.Cores, c)
		}
		p.Core, c.Pools = c, append(c.Pools, p)
	}
	for _, c := range pkg.Cores {
		c.nameDeclarations()
	}
	return nil
}

// coreInstance decides which templates make up the pool's suballocator, with which parameters.
func (p *Pool) coreInstance(s *specialize.Specializer) (specialize.Instance, error) {
	root, behind := p.coreTemplates()
	inst := p.instance(root)
	inst.Want = "Core"
	if behind != "" && behind != "classes" { // package shards is written with it
		inst.Replace[template("classes")] = template(behind)
	}
	return s.Reduce(inst)
}

// coreTemplates names the template that the shell is linked with, and, if each processor has a suballocator, the template of these.
func (p *Pool) coreTemplates() (root, behind string) {
	switch info := p.Spec.Suballocator.Info(); {
	case p.Spec.ByDriver():
		return info.ByDriver, ""
	case !p.Spec.Shared():
		return info.Template, ""
	case info.Sharded != "":
		return info.Sharded, ""
	case len(p.Slabs) > 0:
		return "slabs", info.Template // they allocate from shards
	default:
		return "shards", info.Template
	}
}

// layers lists the templates of which a suballocator consists.
func layers(s *specialize.Specializer, inst specialize.Instance) (names []string, err error) {
	linked, err := s.Linked(inst)
	for _, at := range linked {
		if name := path.Base(at); slices.Contains(cores, name) || slices.Contains(fronts, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// template is the import path of a template.
func template(name string) string { return templates.Path + "/" + name }

// instance returns the settings of a pool for the templates that are linked with a root.
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

// nameDeclarations names the declarations that the rest of the output refers to.
func (c *Core) nameDeclarations() {
	root := c.Instance.Root[strings.LastIndexByte(c.Instance.Root, '/')+1:]
	c.Instance.Prefix = c.Type
	c.Imported = imported[root] != nil
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
	m := map[string]string{"poolrt": RuntimePath, "poolimpl": ImplPath, "cuda": CUDAPath, "reflect": "reflect", "time": "time"}
	for name := range imported {
		m[name] = ImplPath + "/cores/" + name
	}
	if q := p.Item.Core.Qualifier; q != "" {
		m[q] = p.Spec.Item.Import
	}
	return m
}
