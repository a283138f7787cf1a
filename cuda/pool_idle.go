package cuda

import (
	"time"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Idle reports whether these streams, and all for which the legacy default streams of the devices wait, have done their work within the given time. The driver shows the
// work of no other stream without a wait for the whole device. A device that is being captured is not idle.
func (s *sleeper) Idle(streams []poolimpl.Stream, within time.Duration) bool {
	if captures.under.Load() != 0 {
		return false
	}
	end := time.Now().Add(within)
	for _, d := range s.peers { // the pool's own device is one of them
		drv, ctx, err := Device(d).table()
		if err != nil || !(site{drv: drv, dev: Device(d), ctx: ctx}).idle(end) {
			return false
		}
	}
	for _, one := range streams {
		at, err := s.line.of(one)
		if err != nil {
			return false
		}
		gone, err := at.isGone(one)
		if err != nil || !gone && !passes(end, func() abi.Result { return at.drv.StreamQuery(at.ctx, abi.Stream(one.Handle)) }) {
			return false
		}
	}
	return true
}

// idle reports whether an event on the legacy default stream, which comes after all work of the streams that block it, passes before the end.
func (s site) idle(end time.Time) bool {
	e, r := s.drv.EventCreate(s.ctx, abi.EventDisableTiming)
	if r != abi.Success {
		return false
	}
	defer s.drv.EventDestroy(s.ctx, e)
	return s.recordOn(e, 0) == nil && passes(end, func() abi.Result { return s.drv.EventQuery(s.ctx, e) })
}

// idlePause is how long passes waits between two questions.
const idlePause = 200 * time.Microsecond

// passes asks the driver until the answer is Success, or not NotReady, or the time is over. It reports whether it was Success.
func passes(end time.Time, ask func() abi.Result) bool {
	for {
		r := ask()
		if r != abi.NotReady || time.Now().After(end) {
			return r == abi.Success
		}
		time.Sleep(idlePause)
	}
}
