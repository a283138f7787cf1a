package fatal

import (
	"errors"
	"testing"
)

// ended is a test that notes its end.
type ended struct {
	testing.TB
	with []any
}

func (e *ended) Helper()           {}
func (e *ended) Fatal(with ...any) { e.with = with }

func TestIf(t *testing.T) {
	for _, err := range []error{nil, errors.New("no")} {
		e := new(ended)
		if If(e, err); (len(e.with) > 0) != (err != nil) || err != nil && e.with[0] != err {
			t.Errorf("%v ends the test with %v", err, e.with)
		}
	}
}
