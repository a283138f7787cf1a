package pooltest

import (
	"errors"
	"fmt"
	"sync"
)

// What goroutines do together: few, so that it is fast also with the race detector.
const (
	goroutines = 4
	rounds     = 200
	inHand     = 3 // blocks that each has live
)

// together has several goroutines take, write, compare and free. Each has a model of its own.
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

// hand is what one goroutine does.
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

// give frees the oldest block; where blocks are not freed one by one it is only looked at.
func (m *model[B]) give() error {
	if m.Free != nil {
		return m.free(0, m.Free)
	}
	return m.intact(m.leave(0))
}
