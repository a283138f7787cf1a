package cuda

import (
	"errors"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// underway is a copy of a batch that a stream may not have done yet.
type underway struct {
	event  abi.Event // behind it; 0: there is none
	pieces [][]byte  // where its buffer goes when the copy is done; with backing staged, in a sleep
}

// inTurn queues the copy of a batch by f, once the last but one is done, so that two are under way. Its buffer is nil where the backing is page-locked. The checker
// of hazards, which knows which blocks the program holds, overlooks the copy.
func (s *sleeper) inTurn(f func(h abi.Stream, c *underway, buffer []byte) error) error {
	turn := s.nth % len(s.copies)
	c := &s.copies[turn]
	if err := s.finish(turn); err != nil {
		return err
	}
	var buffer []byte
	if s.backing.policy.Staged {
		buffer = s.backing.buffers[turn].bytes()
	}
	s.nth++
	return s.line.onOwn(func(h abi.Stream) error {
		defer s.overlooked(h)()
		if err := f(h, c, buffer); err != nil {
			return err
		}
		e, err := s.line.event(s.site)
		if err != nil {
			return err
		}
		if err := s.recordOn(e, h); err != nil {
			s.line.useOnce(e, s.site) // it may be the cause
			s.line.discard(poolimpl.Fence(e))
			return err
		}
		c.event = e
		return nil
	})
}

// finish waits for a copy, and empties its buffer.
func (s *sleeper) finish(turn int) error {
	c := s.copies[turn]
	s.copies[turn] = underway{}
	if c.event == 0 {
		return nil
	}
	err := s.line.Sync(poolimpl.Fence(c.event))
	s.line.discard(poolimpl.Fence(c.event))
	if err == nil && c.pieces != nil {
		scatter(c.pieces, s.backing.buffers[turn].bytes())
	}
	return err
}

// Saved waits for all copies, and Restored does.
func (s *sleeper) Saved() error {
	var errs []error
	for i := range s.copies {
		errs = append(errs, s.finish((s.nth+i)%len(s.copies)))
	}
	return errors.Join(append(errs, s.line.onOwn(s.line.wait))...) // also for a copy that no event is behind
}

// Restored waits for all copies.
func (s *sleeper) Restored() error { return s.Saved() }
