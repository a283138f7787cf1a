package cuda

import "github.com/poolgen/poolgen/runtime"

// standstill is the runtime.Timeline of pools whose memory is ordinary for want of a driver. Without one there is no stream that could be at
// work with anything, so all that was marked is done.
type standstill struct{}

func (standstill) Record(runtime.Stream) (runtime.Mark, error) { return 1, nil }
func (standstill) Done(runtime.Mark) (bool, error)             { return true, nil }
func (standstill) Wait(runtime.Stream, runtime.Mark) error     { return nil }
func (standstill) Sync(runtime.Mark) error                     { return nil }
func (standstill) Forget(runtime.Mark)                         {}
