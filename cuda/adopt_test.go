package cuda

import (
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// threads is a driver with one thread, whose context was destroyed while it was current.
type threads struct {
	abi.Driver
	current *[]abi.Context // the contexts that were made current, the last at the end
}

const destroyed, other = abi.Context(7), abi.Context(8)

func (threads) CtxGetCurrent() (abi.Context, abi.Result) { return destroyed, abi.Success }
func (threads) CtxGetDevice() (int, abi.Result)          { return 3, abi.Success }

func (t threads) CtxSetCurrent(c abi.Context) abi.Result {
	if c == destroyed {
		return abi.ContextIsDestroyed
	}
	*t.current = append(*t.current, c)
	return abi.Success
}

// A thread whose context was destroyed has no context afterwards, and not that of an adopted stream.
func TestAdoptingLeavesNoContextBehind(t *testing.T) {
	drv := threads{abi.Absent(abi.Status{}), new([]abi.Context)}
	if d, err := deviceOf(drv, other); d != 3 || err != nil {
		t.Errorf("%v, %v", d, err)
	}
	if want := []abi.Context{other, 0}; !slices.Equal(*drv.current, want) {
		t.Errorf("current were %v, want %v", *drv.current, want)
	}
}
