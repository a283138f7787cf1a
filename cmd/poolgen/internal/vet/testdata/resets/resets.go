// Package resets has calls of Reset that free no block of the functions beside them: in a test, of a pool of the function's own, and in a function that nothing
// calls.
package resets

import (
	"errors"

	"example.com/vet/pools"
)

func load(n int) (byte, error) {
	b, err := pools.AllocText(n) // want `PG101: the block of pool Text is not freed on every path`
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

func loadFrom(p *pools.TextPool, n int) (byte, error) {
	b, err := p.Alloc(n)
	if err != nil {
		return 0, err
	}
	return b[0], nil // the pool may be that of Phase
}

// Phase has a pool of its own.
func Phase(n int) (sum byte, err error) {
	p, err := pools.NewTextPool()
	if err != nil {
		return 0, err
	}
	b, err := p.Alloc(n)
	if err != nil {
		return 0, errors.Join(err, p.Close())
	}
	first, err := loadFrom(p, n)
	sum = b[0] + first
	return sum, errors.Join(err, p.Reset(), p.Close())
}

func other(n int) (byte, error) {
	p, err := pools.NewTextPool()
	if err != nil {
		return 0, err
	}
	b, err := p.Alloc(n) // want `PG101: the block of pool Text is not freed on every path`
	if err != nil {
		return 0, errors.Join(err, p.Close())
	}
	return b[0], p.Close()
}

func row(n int) (uint32, error) {
	b, err := pools.AllocRow(n) // want `PG101: the block of pool Row is not freed on every path`
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

func unused() error {
	return errors.Join(pools.DefaultRowPool().Reset(), pools.DefaultTextPool().Reset())
}

var callbacks = []func() error{endLinks}

func endLinks() error { return pools.DefaultLinePool().Reset() }

func line(n int) (byte, error) {
	b, err := pools.AllocLine(n)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}
