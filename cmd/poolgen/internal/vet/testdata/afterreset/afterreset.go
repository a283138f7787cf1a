// Package afterreset uses temporaries after they are gone.
package afterreset

import "example.com/vet/pools"

func reset(p *pools.ScratchPool) (byte, error) {
	b, err := p.Alloc(10)
	if err != nil {
		return 0, err
	}
	err = p.Reset()
	return b[0], err // want `PG107: the block of pool Scratch is used after its pool was reset or released`
}

func packages() (byte, error) {
	p := pools.DefaultScratchPool()
	b, err := pools.AllocScratch(10)
	if err != nil {
		return 0, err
	}
	fill(b)
	if err := p.Reset(); err != nil {
		return 0, err
	}
	return b[0], nil // want `PG107`
}

func fill(b []byte) { kept = b }

var kept []byte

func released(p *pools.ScratchPool) (byte, error) {
	first, err := p.Alloc(10)
	if err != nil {
		return 0, err
	}
	m := p.Mark()
	second, err := p.Alloc(10)
	if err != nil {
		return 0, err
	}
	if err := p.Release(m); err != nil {
		return 0, err
	}
	first[0] = 1
	return second[0], nil // want `PG107`
}

func ring(p *pools.RoundPool) (byte, error) {
	b, err := p.Alloc(10)
	if err != nil {
		return 0, err
	}
	err = p.Reset()
	return b[0], err // want `PG107`
}

// From here on, all is well.

func before(p *pools.ScratchPool) (byte, error) {
	b, err := p.Alloc(10)
	if err != nil {
		return 0, err
	}
	x := b[0]
	return x, p.Reset()
}

func anew(p *pools.ScratchPool, n int) error {
	for range n {
		b, err := p.Alloc(10)
		if err != nil {
			return err
		}
		b[0] = 1
		if err := p.Reset(); err != nil {
			return err
		}
	}
	return nil
}

func another(p, q *pools.ScratchPool) (byte, error) {
	b, err := p.Alloc(10)
	if err != nil {
		return 0, err
	}
	err = q.Reset()
	return b[0], err
}

func freed(p *pools.RoundPool) error {
	b, err := p.Alloc(10)
	if err != nil {
		return err
	}
	if err := p.Free(b); err != nil {
		return err
	}
	return p.Reset()
}
