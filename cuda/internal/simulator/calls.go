package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// calls counts the calls of each function, and has the faults to inject.
type calls struct {
	counted map[string]int
	faults  map[string][]fault
	missing map[string]bool
}

// fault makes one call fail, or each call.
type fault struct {
	left int // calls until it strikes; 0 is each call
	code abi.Result
}

func newCalls(cfg Config) calls {
	c := calls{counted: map[string]int{}, faults: map[string][]fault{}, missing: map[string]bool{}}
	for _, f := range cfg.Missing {
		c.missing[f] = true
	}
	return c
}

// count counts a call and returns the result that it has to fail with.
func (c *calls) count(function string) abi.Result {
	c.counted[function]++
	c.counted[anyFunction]++
	if c.missing[function] {
		return abi.NoFunction
	}
	code := c.strike(function)
	if other := c.strike(anyFunction); code == abi.Success {
		code = other
	}
	return code
}

// anyFunction stands for all functions.
const anyFunction = ""

// strike counts a call for the faults of a function, and returns the result that the call has to fail with.
func (c *calls) strike(function string) abi.Result {
	code := abi.Success
	faults := c.faults[function]
	for i := range faults {
		f := &faults[i]
		if f.left > 0 {
			f.left--
			if f.left > 0 {
				continue
			}
			f.left = struck
		}
		if code == abi.Success {
			code = f.code
		}
	}
	c.faults[function] = slices.DeleteFunc(faults, func(f fault) bool { return f.left == struck })
	return code
}

// struck marks a fault that has happened.
const struck = -1

// Fail makes a call of a function, named as in C without version suffix, or of any function if the name is empty, fail with a code: the nth from now, 1 being the
// next. The call has no other effect. With nth 0, each call fails from now on, until Fail with nth 0 and [abi.Success] ends that.
func (d *Driver) Fail(function string, nth int, code abi.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if nth == 0 {
		d.faults[function] = slices.DeleteFunc(d.faults[function], func(f fault) bool { return f.left == 0 })
	}
	if code != abi.Success {
		d.faults[function] = append(d.faults[function], fault{left: max(nth, 0), code: code})
	}
}

// Calls returns how often a function, or any function if the name is empty, was called since the start or Reset, failed calls included.
func (d *Driver) Calls(function string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counted[function]
}

// RemoveFunction makes the library lack a function: Has denies it, and calls return [abi.NoFunction].
func (d *Driver) RemoveFunction(function string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.missing[function] = true
}
