package spec

import (
	"slices"
	"strings"
)

// readLadder reads on_exhausted. checkLenders checks later, when all pools are known, whether a named pool exists and fits.
func (c *poolCheck) readLadder(k *Key, n *node) bool {
	items, ok := c.list(n, k.Name, k.Example)
	if ok && len(items) == 0 {
		c.fail(codeLadder, n, "write on_exhausted: [error]", "on_exhausted has no rung")
		return false
	}
	seen := make(map[Rung]*node)
	for i, item := range items {
		rung, good := c.readRung(k, item)
		if !good {
			ok = false
			continue
		}
		switch first := seen[rung]; {
		case first != nil:
			d := c.fail(codeLadder, item, "remove one of them", "on_exhausted has the rung %s twice", item.value)
			c.noteAt(d, first, "first listed here")
			ok = false
		case rung.Kind == RungError && i < len(items)-1:
			c.fail(codeLadder, item, "move error to the end", "the rung error ends the ladder, and others come after it")
			ok = false
		}
		seen[rung] = item
		c.p.OnExhausted = append(c.p.OnExhausted, rung)
		c.rungs = append(c.rungs, item)
	}
	return ok
}

func (c *poolCheck) readRung(k *Key, n *node) (Rung, bool) {
	if n.kind == mapNode && len(n.pairs) == 1 && n.pairs[0].key.value == "pool" {
		c.fail(codeUnknownValue, n, "write it without a space: pool:"+n.pairs[0].value.value, "the rung pool names its pool after a colon")
		return Rung{}, false
	}
	if n.kind == mapNode && len(n.pairs) == 1 && slices.Contains(k.Values, n.pairs[0].key.value) {
		rung := n.pairs[0]
		help := "write the word alone: " + rung.key.value
		if waits := []string{string(RungDrain), string(RungWait)}; slices.Contains(waits, rung.key.value) && rung.value.kind == scalarNode {
			help += "; how long it waits is a key of the pool, wait_timeout: " + rung.value.value
		}
		c.fail(codeKind, n, help, "a rung is a single value, and this is %s", n.kind)
		return Rung{}, false
	}
	text, ok := c.scalar(n, "a rung")
	if !ok {
		return Rung{}, false
	}
	if name, is := strings.CutPrefix(text, "pool:"); is && isIdentifier(name) {
		return Rung{Kind: RungPool, Pool: name}, true
	}
	if slices.Contains(k.Values, text) && !strings.HasPrefix(text, "pool:") {
		return Rung{Kind: RungKind(text)}, true
	}
	c.fail(codeUnknownValue, n, choiceHelp(&Key{Name: "a rung", Values: k.Values}, text), "rung %s is not known", quote(text))
	return Rung{}, false
}

// defaultLadder is the ladder of a pool that sets none: what helps without a wait for other goroutines, of which the pool cannot know whether they will free.
func defaultLadder(p *Pool) (ladder []Rung) {
	if p.Streams() && !p.ByDriver() {
		ladder = append(ladder, Rung{Kind: RungPoll})
	}
	if trimHelps(p) {
		ladder = append(ladder, Rung{Kind: RungTrim})
	}
	if p.Streams() {
		ladder = append(ladder, Rung{Kind: RungDrain})
	}
	return append(ladder, Rung{Kind: RungError})
}

// trimHelps reports whether empty chunks may be in the way of another one. Without a budget they are not where every empty chunk holds every request, and
// where one chunk fills the largest limit. With ordering driver, what the driver keeps unused may be in the way.
func trimHelps(p *Pool) bool {
	info := p.Suballocator.Info()
	if p.ByDriver() {
		return true
	}
	several := p.MaxLimit == NoLimit || p.MaxLimit-p.ChunkSize >= p.Granularity
	return p.Allocator != NoAllocator && !info.Direct && (p.Budget != "" || info.Heap && several)
}

// checkRungs refuses rungs that can do nothing in this pool.
func (c *poolCheck) checkRungs() {
	p := c.p
	for i, rung := range p.OnExhausted {
		if i >= len(c.rungs) {
			return // the default ladder
		}
		why, help := "", ""
		switch {
		case rung.Kind == RungPoll && !p.Streams():
			why, help = "ordering "+string(p.Ordering)+" has no pending frees to poll", "remove poll, or set ordering: stream"
			if !p.NeedsDriver() || !p.Frees() {
				help = "remove poll"
			}
		case rung.Kind == RungPoll && p.ByDriver():
			why, help = "with ordering driver the driver has each block back at its free", "remove poll"
		case rung.Kind == RungDriver && p.ByDriver():
			why, help = "with ordering driver each block comes from the driver", "remove driver"
		case rung.Kind == RungDrain && !p.Streams():
			why, help = "ordering "+string(p.Ordering)+" has no pending frees to wait for", "remove drain"
		case rung.Kind == RungDriver && !p.NeedsDriver():
			why, help = "allocator "+allocatorText(p)+" has no driver to ask", "remove driver"
		case rung.Kind == RungPool && p.Allocator == NoAllocator:
			why, help = "numbers stay with the pool that tracks them", "remove the rung, and track more numbers"
		case rung.Kind == RungTrim && (p.Allocator == NoAllocator || p.Suballocator.Info().Direct && !p.ByDriver()):
			why, help = "the pool keeps no empty chunks to give back", "remove trim"
		case rung.Kind == RungWait && !canWait(p):
			why, help = "concurrency none has no other goroutine that could free while this one waits", "remove wait, or set concurrency: mutex"
		default:
			continue
		}
		c.fail(codeRungIdle, c.rungs[i], help, "the rung %s can do nothing here: %s", rung.Kind, why)
	}
}
