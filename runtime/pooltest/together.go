package pooltest

import (
	"errors"
	"fmt"
	"sync"
)

// Numbers for the step together. They are small, as the race detector makes the step slow.
const (
	goroutines = 4
	rounds     = 200
	inHand     = 3 // live blocks of each goroutine
)

// together allocates, writes, compares and frees in several goroutines. Each has a model of its own.
func (m *model[B]) together() error {
	errs := make([]error, goroutines)
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() { errs[g] = m.hand(uint64(g)) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if m.Free == nil {
		return m.Reset()
	}
	return errors.Join(m.check(), m.hasRoom())
}

// hand is the work of one goroutine.
func (m *model[B]) hand(number uint64) error {
	own := &model[B]{Pool: m.Pool, serial: number << 32}
	for i := range rounds {
		if len(own.live) == inHand {
			if err := own.give(); err != nil {
				return fmt.Errorf("goroutine %d: %w", number, err)
			}
		}
		if _, err := own.alloc(1+i%min(m.Most, 4), own.takeAmongOthers); err != nil {
			return fmt.Errorf("goroutine %d: %w", number, err)
		}
	}
	for len(own.live) > 0 {
		if err := own.give(); err != nil {
			return fmt.Errorf("goroutine %d: %w", number, err)
		}
	}
	return nil
}

// give frees the oldest block. If the pool does not free single blocks, give only compares the bytes.
func (m *model[B]) give() error {
	if m.Free != nil {
		return m.free(0, m.Free)
	}
	return m.intact(m.leave(0))
}
