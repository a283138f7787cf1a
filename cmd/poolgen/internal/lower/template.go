package lower

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
)

// Template is one of the templates that a pool is made of.
type Template struct {
	Name   string            // "fixed"
	Role   string            // one of roles
	Params []Param           // parameters whose values make a difference to the pool, by name
	Files  map[string]string // what specialising leaves of each file before it links and renames; files without a declaration are missing
	Lines  int               // of the template, without tests
	Left   int               // of Files
}

// Param is a parameter of a template, with its value for a pool.
type Param struct {
	Name, Value string
	Keys        []string // of the pool file, that decide the value; none if many keys do
}

// roles are the roles of templates in a pool, in the order in which Templates lists them.
var roles = []string{"shell", "core", "memory", "shared"}

// Templates lists the templates that each of some pools of a plan is made of. An error is a fault of poolgen. Cost: about ten milliseconds per pool.
func Templates(plan *spec.Plan, pools []*spec.Pool) ([][]Template, error) {
	return newMakeup().all(plan, pools)
}

// Specializer returns the specializer of all templates. It keeps what it has parsed and analysed, for all pool files of the process.
var Specializer = sync.OnceValue(func() *specialize.Specializer { return specialize.New(templates.Library()) })

// makeup finds the templates of pools.
type makeup struct {
	lib         specialize.Library
	specializer *specialize.Specializer
}

func newMakeup() makeup { return makeup{templates.Library(), Specializer()} }

// all lists the templates of some pools.
func (m makeup) all(plan *spec.Plan, pools []*spec.Pool) (lists [][]Template, err error) {
	pkg, err := Plan(plan)
	if err != nil {
		return nil, err
	}
	for _, p := range pkg.Pools {
		if !slices.Contains(pools, p.Spec) {
			continue
		}
		list, err := m.of(p)
		if err != nil {
			return nil, fmt.Errorf("pool %s: %w", p.Spec.Name, err)
		}
		lists = append(lists, list)
	}
	return lists, nil
}

// of lists the templates of a pool.
func (m makeup) of(p *Pool) ([]Template, error) {
	list, values, err := m.linked(p)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if err := m.residual(&list[i], values); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// linked finds the templates of a pool, and the values of all their parameters: "fixed.blockSize" -> "32".
func (m makeup) linked(p *Pool) (list []Template, values map[string]string, err error) {
	shell, err := m.shell(p)
	if err != nil {
		return nil, nil, err
	}
	values = map[string]string{}
	var paths []string
	for _, inst := range []specialize.Instance{shell, p.Core.Instance} {
		maps.Copy(values, inst.Bind)
		maps.Copy(values, inst.Types)
		linked, err := m.specializer.Linked(inst)
		if err != nil {
			return nil, nil, err
		}
		paths = append(paths, linked...)
	}
	for _, at := range paths {
		t := Template{Name: path.Base(at), Role: p.role(at), Params: paramsOf(path.Base(at), values)}
		if !slices.ContainsFunc(list, func(other Template) bool { return other.Name == t.Name }) { // both the shell and the core import it
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b Template) int { return slices.Index(roles, a.Role) - slices.Index(roles, b.Role) })
	return list, values, nil
}

// paramsOf lists the parameters of a template that have a value.
func paramsOf(template string, values map[string]string) (list []Param) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if name, own := strings.CutPrefix(key, template+"."); own {
			list = append(list, Param{Name: name, Value: values[key], Keys: strings.Fields(keysOf(key))})
		}
	}
	return list
}

// shell is the instance of a pool's shell over its core, without the parameters that make no difference.
func (m makeup) shell(p *Pool) (specialize.Instance, error) {
	core, err := m.specializer.Specialize(p.Core.Instance)
	if err != nil {
		return specialize.Instance{}, err
	}
	inst := p.Instance
	inst.Given = map[string]*specialize.Result{p.Over: core}
	return m.specializer.Reduce(inst)
}

// residual finds what the values of a pool's parameters leave of a template.
func (m makeup) residual(t *Template, values map[string]string) error {
	at := template(t.Name)
	bind, err := m.mentioned(at, values)
	if err != nil {
		return err
	}
	for _, p := range t.Params {
		bind[t.Name+"."+p.Name] = p.Value
	}
	files, err := m.specializer.Residual(at, bind, nil)
	if err != nil {
		return err
	}
	t.Files = map[string]string{}
	for name, text := range m.lib[at] {
		t.Lines += strings.Count(text, "\n")
		if left := files[name]; strings.Count(left, "\n") > 1 { // more than the package clause
			t.Left += strings.Count(left, "\n")
			t.Files[name] = left
		}
	}
	return nil
}

// mentioned returns the values that a template, or one that it imports, mentions. A template imports the templates that it is written with. Of the
// templates that a pool links instead, it uses only methods.
func (m makeup) mentioned(at string, values map[string]string) (map[string]string, error) {
	inst, err := m.specializer.Reduce(specialize.Instance{Root: at, Bind: values})
	return inst.Bind, err
}

// role returns the role of a template in a pool.
func (p *Pool) role(at string) string {
	name := path.Base(at)
	switch {
	case at == p.Instance.Root:
		return "shell"
	case slices.Contains(cores, name) || slices.Contains(fronts, name):
		return "core"
	case name == memories[p.Spec.Allocator.Memory()].template:
		return "memory"
	}
	return "shared"
}

// fronts are the templates in front of suballocators of which each processor has one.
var fronts = in("shards slabs")
