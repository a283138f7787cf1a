package specialize

import (
	"fmt"
	"maps"
	"sort"
	"strings"
	"sync"
)

// cacheSize is how many analysed programs a Specializer keeps. Each takes about a megabyte.
const cacheSize = 64

// cache keeps the programs analysed last. They differ in their packages and in the values that the
// checker sees, so that pools which differ in names and in the user's types share one.
type cache struct {
	mu    sync.Mutex
	slots map[string]*slot
	order []string // of keys, oldest first
}

// slot holds a program, or will hold one: callers wait while it is being analysed.
type slot struct {
	once    sync.Once
	program *program
	err     error
}

func (c *cache) slot(key string) *slot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.slots[key]; s != nil {
		return s
	}
	if c.slots == nil {
		c.slots = map[string]*slot{}
	}
	if len(c.order) == cacheSize {
		delete(c.slots, c.order[0])
		c.order = c.order[1:]
	}
	s := &slot{}
	c.slots[key] = s
	c.order = append(c.order, key)
	return s
}

// prepare runs the passes that do not depend on names: link, bind, check, prune and collect. If an earlier instance has the same key, prepare takes its
// result.
func (s *Specializer) prepare(inst *Instance) (*program, error) {
	p := &program{loader: &s.loader}
	if err := p.link(inst); err != nil {
		return nil, err
	}
	if err := p.bind(inst.Bind, inst.Types); err != nil {
		return nil, err
	}
	slot := s.cache.slot(p.key())
	slot.once.Do(func() {
		if slot.err = p.analyse(); slot.err == nil {
			slot.program = p
		}
	})
	if slot.err != nil {
		return nil, slot.err
	}
	return slot.program.instance(p), nil
}

// analyse runs check, prune and collect.
func (p *program) analyse() error {
	p.check()
	err := p.prune()
	if failed := p.failed(); failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	if err := p.collect(); err != nil {
		return err
	}
	p.verified = &sync.Map{}
	p.info.Types, p.consts, p.fates = nil, nil, nil // no pass from here on looks at expressions
	return nil
}

// key returns the same text for two programs only if the checker sees no difference between them.
func (p *program) key() string {
	var parts []string
	for _, b := range p.bound {
		text := b.text
		if b.opaque {
			text = "?"
		}
		parts = append(parts, b.key+" = "+text)
	}
	sort.Strings(parts)
	for _, u := range p.units {
		deps := make([]string, len(u.imports))
		for i, path := range u.imports {
			deps[i] = u.deps[path].path
			if of := p.given[path]; of != nil {
				deps[i] = of.face()
			}
		}
		parts = append(parts, fmt.Sprint(u.path, deps))
	}
	return strings.Join(parts, "\n")
}

// instance returns a program with the analysis of this one, and with the values of another one that was only linked and bound. It has edits of its own.
func (p *program) instance(of *program) *program {
	q := *p
	q.fset, q.bound, q.given = of.fset, of.bound, of.given
	q.edits = maps.Clone(p.edits)
	for s, list := range q.edits {
		q.edits[s] = list[:len(list):len(list)]
	}
	return &q
}
