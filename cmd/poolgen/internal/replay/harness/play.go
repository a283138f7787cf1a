package harness

import (
	"errors"
	"sync"
	"time"
)

// play runs the parts, each on a goroutine of its own, and returns how long that took. With Busy there is one part.
func (o Options) play(p *Instance, parts []*Part) (took time.Duration, err error) {
	if o.Busy > 0 && p.Busy != nil {
		return playBusy(p, parts[0], o.Busy)
	}
	start := time.Now()
	if len(parts) == 1 {
		err = p.Play(parts[0])
	} else {
		err = playTogether(p, parts)
	}
	return time.Since(start), err
}

// playTogether runs several parts.
func playTogether(p *Instance, parts []*Part) error {
	errs := make([]error, len(parts))
	var all sync.WaitGroup
	for i, part := range parts {
		all.Go(func() {
			if errs[i] = p.Play(part); errs[i] != nil {
				part.shared.stopped.Store(true)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// playBusy runs a part, and queues work on the stream of each free before it that takes so many events. The time is that of the pool's calls. To read the
// clock takes some of it: about 50 ns for each event.
func playBusy(p *Instance, part *Part, events int) (took time.Duration, err error) {
	work, err := p.Busy(events)
	if err != nil {
		return 0, err
	}
	one := Part{numbers: []int{0}}
	for i, e := range part.Events {
		if e.Free {
			if err := work.Queue(int(e.Stream)); err != nil {
				return took, err
			}
		}
		one.Events, one.numbers[0] = part.Events[i:i+1], part.number(i)
		start := time.Now()
		err := p.Play(&one)
		took += time.Since(start)
		if err != nil {
			return took, err
		}
		work.Tick()
	}
	part.failed, part.firstErr = one.failed, one.firstErr
	return took, nil
}
