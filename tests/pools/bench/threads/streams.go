package threads

import (
	"sync"

	"github.com/poolgen/poolgen/cuda"
)

// streams are the streams of the workers, one each.
type streams []cuda.Stream

func streamsOf(n int) streams {
	all := make(streams, n)
	for i := range all {
		all[i] = must(cuda.Device(0).NewStream(cuda.NonBlocking))
	}
	return all
}

func (all streams) end() {
	for _, s := range all {
		check(s.Close())
	}
}

// written are the pools that programs write for one stream: a map from lengths to the blocks that were freed last, and a lock if several threads use it. They
// check no free, and return no memory.
func written() []subject {
	return []subject{
		{name: "Go: a map", kind: "device length", alone: true, start: func(n int) session { return mapped(n, new(unlocked)) }},
		{name: "Go: a map and a lock", kind: "device length", alone: true, start: func(n int) session { return mapped(n, new(sync.Mutex)) }},
	}
}

// unlocked is the lock of a map for one thread.
type unlocked struct{}

func (*unlocked) Lock()   {}
func (*unlocked) Unlock() {}

// lengthPool keeps the blocks of each length.
type lengthPool[L sync.Locker] struct {
	mu    L
	freed map[int64][]cuda.DevicePtr
}

//go:noinline
func (p *lengthPool[L]) alloc(bytes int64) cuda.DevicePtr {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.freed[bytes]
	if k := len(list); k > 0 {
		b := list[k-1]
		p.freed[bytes] = list[:k-1]
		return b
	}
	return must(cuda.Device(0).Alloc(bytes))
}

//go:noinline
func (p *lengthPool[L]) free(b cuda.DevicePtr, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.freed[bytes] = append(p.freed[bytes], b)
}

func mapped[L sync.Locker](n int, mu L) session {
	p := &lengthPool[L]{mu, map[int64][]cuda.DevicePtr{}}
	return session{each(n, func(int) work {
		return func(n int) int {
			for range n {
				p.free(p.alloc(4096), 4096)
			}
			return n
		}
	}), func() {
		for _, b := range p.freed[4096] {
			check(cuda.Device(0).Free(b))
		}
	}}
}
