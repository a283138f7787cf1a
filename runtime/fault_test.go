package poolrt_test

import (
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Panics that are no faults at a guarded block are left as they are.
func TestOtherPanics(t *testing.T) {
	var none *struct{ n int }
	for _, f := range []func(){
		func() { panic("sorry") },
		func() { panic(errSorry) },
		func() { none.n++ },
	} {
		var got any
		func() {
			defer func() { got = recover() }()
			f()
		}()
		if err := poolrt.Fault(got); err != nil {
			t.Errorf("%v is a fault: %v", got, err)
		}
		func() {
			defer func() {
				if again := recover(); again != got && again.(error).Error() != got.(error).Error() {
					t.Errorf("%v goes on as %v", got, again)
				}
			}()
			defer poolrt.CatchFaults()()
			f()
		}()
	}
	if err := poolrt.Fault(nil); err != nil {
		t.Error(err)
	}
	poolrt.CatchFaults()()
}

var errSorry = errors.New("sorry")
