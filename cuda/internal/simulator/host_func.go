package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// LaunchHostFunc queues a call of f. The call happens in the call of the simulator that runs the operation, so f must not wait for other goroutines that
// call the simulator.
func (d *Driver) LaunchHostFunc(ctx abi.Context, h abi.Stream, f func()) abi.Result {
	s, r := d.beginStream("cuLaunchHostFunc", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	if f == nil {
		return abi.InvalidValue
	}
	return d.submit(s, work{what: "cuLaunchHostFunc", run: func() abi.Result {
		done := make(chan struct{})
		go func() { // as with a driver: a panic ends the program, and runtime.Goexit ends f alone
			defer close(done)
			f()
		}()
		<-done
		return abi.Success
	}})
}
