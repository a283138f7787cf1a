package threads

import "sync"

// ofGo are the allocators of Go itself.
func ofGo() []subject {
	return []subject{
		{name: "Go: new", kind: "blocks", start: goNew},
		{name: "Go: sync.Pool", kind: "blocks", start: syncPool},
		{name: "Go: make", kind: "bytes", start: goMake},
	}
}

// goNew allocates, and leaves the frees to the garbage collector.
func goNew(n int) session {
	type place struct {
		last *block
		_    [120]byte
	}
	places := make([]place, n)
	return session{workers: each(n, func(i int) work {
		at := &places[i].last
		return func(n int) int {
			for range n {
				*at = new(block)
			}
			return n
		}
	})}
}

func syncPool(n int) session {
	p := &sync.Pool{New: func() any { return new(block) }}
	return session{workers: each(n, func(int) work {
		return func(n int) int {
			for range n {
				p.Put(p.Get().(*block))
			}
			return n
		}
	})}
}

func goMake(n int) session {
	all := loads[[]byte](n, live)
	return session{each(n, func(i int) work {
		l := &all[i]
		return func(n int) int {
			if l.blocks == nil {
				l.fill(func(n int) []byte { return make([]byte, n) })
			}
			for range n {
				s := l.next()
				l.blocks[s.Slot] = make([]byte, s.Size)
			}
			return n
		}
	}), func() { clear(all) }}
}
