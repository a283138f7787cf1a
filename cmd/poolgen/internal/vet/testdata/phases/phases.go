// Package phases frees its blocks of pool Text all at once, by Reset. Those of pool Line and of pool Round, whose Reset frees no live block, are forgotten.
package phases

import "example.com/vet/pools"

func forward(n int) (byte, error) {
	b, err := pools.AllocText(n) // freed at the end of the phase
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// End ends the phase.
func End() error { return pools.DefaultTextPool().Reset() }

func line(n int) (byte, error) {
	b, err := pools.AllocLine(n) // want `PG101: the block of pool Line is not freed on every path`
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

func round(n int) (byte, error) {
	b, err := pools.AllocRound(n) // want `PG101: the block of pool Round is not freed on every path`
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

func endRound() error { return pools.DefaultRoundPool().Reset() }

func use(n int) (byte, error) {
	b, err := pools.AllocText(n)
	if err != nil {
		return 0, err
	}
	if err := pools.DefaultTextPool().Reset(); err != nil {
		return 0, err
	}
	return b[0], nil // want `PG107: the block of pool Text is used after its pool was reset or released`
}
