package poolimpl

import (
	"sync/atomic"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// poolName is the name of a pool in errors, events, figures and traces. It is that of the pool file or of WithName, with a number if other pools that are in use
// have the name too. A closed pool keeps its name, which is then free for other pools.
type poolName struct {
	text  atomic.Pointer[string] // read with mu held or not: pools are looked up by name while others are being opened
	given string                 // the name without a number
	taken *registry.Name         // nil if the pool is not listed
}

// take gives the pool another name. holder is the engine or stands for all instances of the pool, which share a number. suffix tells these apart.
func (n *poolName) take(given string, holder any, suffix string) {
	n.leave()
	n.given, n.taken = given, registry.TakeName(given, holder)
	text := n.taken.Text + suffix
	n.text.Store(&text)
}

// leave makes the name free for other pools.
func (n *poolName) leave() {
	if n.taken != nil {
		n.taken.Return()
		n.taken = nil
	}
}

// get returns "" before the first use of the pool.
func (n *poolName) get() string {
	if text := n.text.Load(); text != nil {
		return *text
	}
	return ""
}

// Name returns the name of the pool. The caller may hold e.mu or not.
func (e *Engine) Name() string { return e.name.get() }

// register adds the pool to the list of all pools, unless it is there.
func (n *poolName) register(pool any) {
	if n.taken == nil {
		n.take(n.given, pool, "")
		registry.Register(pool)
	}
}

// unregister removes the pool from the list of all pools, if it is there, and leaves its name to others.
func (n *poolName) unregister(pool any) {
	registry.Unregister(pool)
	n.leave()
}
