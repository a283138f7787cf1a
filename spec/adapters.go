package spec

import "slices"

// The values of the key adapters.
const (
	AdaptPool   = "pool"   // FooCache
	AdaptWriter = "writer" // FooWriter
	AdaptGRPC   = "grpc"   // FooBuffers
	AdaptArrow  = "arrow"  // FooAllocator
)

// ArrowAlignment is the alignment in bytes that Arrow requires of its buffers.
const ArrowAlignment = 64

// Adapts reports whether the output has an adapter.
func (p *Pool) Adapts(to string) bool { return slices.Contains(p.Adapters, to) }

// handsOutBytes reports whether blocks are slices of bytes.
func handsOutBytes(p *Pool) bool { return p.Item.Type == "byte" || p.Item.Type == "uint8" }

// readAdapters reads a list of words.
func (c *poolCheck) readAdapters(k *Key, n *node) bool {
	words, _, ok := c.readWords(k, n, codeUnknownValue)
	if ok {
		c.p.Adapters = words
	}
	return ok
}

// adapterRules are what single adapters need of a pool.
var adapterRules = []struct {
	adapter   string
	broken    func(*Pool) bool
	why, help string // why follows the name of the adapter
}{
	{AdaptGRPC, func(p *Pool) bool { return p.Concurrency == Unlocked },
		"needs a pool that any goroutine may use", "use concurrency: sharded, or mutex"},
	{AdaptArrow, func(p *Pool) bool { return p.Alignment < ArrowAlignment },
		"needs blocks that are aligned to 64 bytes", "set alignment: 64"},
}

// checkAdapters refuses adapters that the pool cannot serve.
func (c *poolCheck) checkAdapters() {
	n := c.nodes["adapters"]
	if n == nil {
		return
	}
	for i, adapter := range c.p.Adapters {
		at := n
		if i < len(n.items) {
			at = n.items[i]
		}
		for _, rule := range adapterRules {
			if rule.adapter == adapter && rule.broken(c.p) {
				c.fail(codeCombination, at, rule.help, "adapter %s %s", adapter, rule.why)
			}
		}
	}
}
