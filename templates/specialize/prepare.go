package specialize

import (
	"fmt"
	"go/token"
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
	mu       sync.Mutex
	programs map[string]*program
	order    []string // of keys, oldest first
}

func (c *cache) get(key string) *program {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.programs[key]
}

func (c *cache) put(key string, p *program) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.programs == nil {
		c.programs = map[string]*program{}
	}
	if c.programs[key] == nil {
		c.order = append(c.order, key)
	}
	c.programs[key] = p
	if len(c.order) > cacheSize {
		delete(c.programs, c.order[0])
		c.order = c.order[1:]
	}
}

// prepare runs the passes that do not depend on names: link, bind, check, prune, collect; or takes their outcome from
// an instance before.
func (s *Specializer) prepare(root string, replace, bind, types map[string]string) (*program, error) {
	p := &program{shared: &s.shared}
	if err := p.link(root, replace); err != nil {
		return nil, err
	}
	if err := p.bind(bind, types); err != nil {
		return nil, err
	}
	key := p.key()
	old := s.cache.get(key)
	if old == nil {
		if err := p.analyse(); err != nil {
			return nil, err
		}
		s.cache.put(key, p)
		old = p
	}
	return old.instance(p.fset, p.bound), nil
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
	p.verified = &set{}
	p.info.Types, p.consts, p.fates = nil, nil, nil // no pass from here on looks at expressions
	return nil
}

// key tells programs apart that the checker may see differences between.
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
		}
		parts = append(parts, fmt.Sprint(u.path, deps))
	}
	return strings.Join(parts, "\n")
}

// instance returns a program that shares what was found out and has values and edits of its own.
func (p *program) instance(fset *token.FileSet, bound bindings) *program {
	q := *p
	q.fset, q.bound = fset, bound
	q.edits = maps.Clone(p.edits)
	for s, list := range q.edits {
		q.edits[s] = list[:len(list):len(list)]
	}
	return &q
}
