package compile

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates/specialize"
)

// core is a suballocator in the output. It belongs to no pool: all that have equal parameters share it. Its name and its text follow from these alone, so
// that what happens to one pool does not show in the code of others.
type core struct {
	name   string  // of its type: heapBestCore
	root   string  // name of the template package: slabs
	key    string  // what tells it from others
	pools  []*pool // that have it, in order of the plan
	inst   specialize.Instance
	result *specialize.Result
	found  spec.Diagnostics // instead of a result
}

// file is the name of its file. It ends in _core.go, as no file of a pool does.
func (c *core) file() string { return spec.FileStem(c.name) + ".go" }

// share finds the suballocators that pools are to have, in order of the first pool with each.
func share(pools []*pool, s *specialize.Specializer) ([]*core, error) {
	var all []*core
	byKey := map[string]*core{}
	for _, p := range pools {
		c, err := p.newCore(s)
		if err != nil {
			return nil, err
		}
		if same := byKey[c.key]; same != nil {
			c = same
		} else {
			byKey[c.key], all = c, append(all, c)
		}
		p.shares, c.pools = c, append(c.pools, p)
	}
	distinguish(all)
	return all, nil
}

// newCore says which templates make up the pool's suballocator, and what it is called.
func (p *pool) newCore(s *specialize.Specializer) (*core, error) {
	c := &core{root: p.core()}
	inst := specialize.Instance{
		Root:    templatesPath + c.root,
		Want:    "Core",
		Replace: map[string]string{},
		Bind:    map[string]string{},
		Types:   map[string]string{},
		Imports: p.imports(),
	}
	name := c.root
	if c.root == "shards" || c.root == "slabs" {
		behind := coreOf[p.Suballocator]
		name = behind + title(c.root)
		if behind != "classes" {
			inst.Replace[templatesPath+"classes"] = templatesPath + behind
		}
		inst.Bind["shards.fronted"] = fmt.Sprint(c.root == "slabs")
	}
	if c.root == "slabs" {
		inst.Bind["slabs.bins"], inst.Bind["slabs.leastBlocks"] = list(p.SlabBins()), "16"
		if p.Suballocator == spec.Heap { // where bins are many, and memory counts
			inst.Bind["slabs.leastBlocks"] = "8"
		}
	}
	params, types := slices.Concat(p.params(), p.features()), p.types()
	for _, v := range params {
		inst.Bind[v.name] = v.value
	}
	for _, v := range types {
		inst.Types[v.name] = v.value
	}
	inst, err := s.Reduce(inst)
	for _, v := range slices.Concat(params, types) {
		if inst.Bind[v.name] != "" || inst.Types[v.name] != "" { // it makes a difference
			name += v.word
		}
	}
	c.key = fmt.Sprint(inst.Root, inst.Replace, inst.Bind, inst.Types)
	c.inst, c.name = inst, shorten(name, c.key)+"Core"
	return c, err
}

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
func distinguish(all []*core) {
	count := map[string]int{}
	for _, c := range all {
		count[strings.ToLower(c.file())]++
	}
	for _, c := range all {
		if count[strings.ToLower(c.file())] > 1 {
			c.name = strings.TrimSuffix(c.name, "Core") + sum(c.key) + "Core"
		}
	}
}

// sum is a short number for a text.
func sum(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("X%08x", h.Sum32())
}

// specialize makes the text.
func (c *core) specialize(plan *spec.Plan, s *specialize.Specializer) {
	inst := c.inst
	inst.Prefix = c.name
	inst.Names = map[string]string{c.root + ".Core": c.name}
	var err error
	if c.result, err = s.Specialize(inst); err != nil {
		c.found = c.pools[0].explainError(plan, err)
	}
}
