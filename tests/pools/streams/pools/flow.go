package pools

import "github.com/poolgen/poolgen/cuda"

// The two cases of the reference suite that need a stream, on page-locked memory in rings. use queues work with a block on the stream.

// RingFreeAsync is P7: a pool is closed with a free pending.
func RingFreeAsync(s cuda.Stream, use func([]byte) error) error {
	p := new(FlowPool)
	b, err := p.Alloc(1024)
	if err != nil {
		return err
	}
	if err := use(b); err != nil {
		return err
	}
	if err := p.FreeAsync(b, s); err != nil {
		return err
	}
	return p.Close()
}

// AllocFreeAsync is P8: 62.5 MiB go through a pool of 10 MiB, each block freed on the stream when 30 others are held. Every allocation succeeds,
// because completed frees are reclaimed and the pool waits for others.
func AllocFreeAsync(s cuda.Stream, use func([]byte) error) error {
	p := new(FlowPool)
	var held [][]byte
	for range 1000 {
		b, err := p.Alloc(64 << 10)
		if err != nil {
			return err
		}
		if err := use(b); err != nil {
			return err
		}
		if held = append(held, b); len(held) > 30 {
			if err := p.FreeAsync(held[0], s); err != nil {
				return err
			}
			held = held[1:]
		}
	}
	for _, b := range held {
		if err := p.FreeAsync(b, s); err != nil {
			return err
		}
	}
	return p.Close()
}
