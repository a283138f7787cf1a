package driver

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/spec"
)

// Each allocator that needs a driver has calls as peers, and no other has. What a call needs is such an allocator.
func TestAllocatorsHaveWays(t *testing.T) {
	var want []string
	for _, a := range spec.Allocators() {
		if a.NeedsDriver() {
			want = append(want, string(a))
		}
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(ways)); !slices.Equal(got, want) {
		t.Errorf("there are calls for %q, want %q", got, want)
	}
	for allocator, list := range ways {
		for i, w := range list {
			if w.needs != "" && !slices.Contains(want, w.needs) {
				t.Errorf("%s needs %q, which is no such allocator", w.name, w.needs)
			}
			if slices.ContainsFunc(list[:i], func(other way) bool { return other.name == w.name }) {
				t.Errorf("%s has %s twice", allocator, w.name)
			}
		}
	}
}

// Without a driver there are no peers, and the error says what the table lacks.
func TestPeersNeedADriver(t *testing.T) {
	if cuda.Probe() == nil {
		t.Skip("there is a driver")
	}
	list, err := Peers("device", 0)()
	if len(list) > 0 || !errors.Is(err, poolrt.ErrNoDriver) || !strings.HasPrefix(err.Error(), "the driver's own calls are left out: ") {
		t.Errorf("%d peers, %v", len(list), err)
	}
	if _, err := Stream(0); !errors.Is(err, poolrt.ErrNoDriver) || Name() != "" {
		t.Errorf("a stream of %q: %v", Name(), err)
	}
}
