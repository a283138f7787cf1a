package sleep

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// While the weights are asleep, the device has their memory; afterwards they are where they were.
func TestYield(t *testing.T) {
	machine(t)
	defer func() { weightDefault = WeightPool{} }() // open for the next run
	p := DefaultWeightPool()
	weights, err := AllocWeight(8 << 20)
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{1, 2, 3}
	if err := cuda.CopyToDevice(weights.Addr(), want); err != nil {
		t.Fatal(err)
	}
	before := free(t)
	err = Yield(context.Background(), func() error {
		if n := free(t) - before; n < weights.Bytes() {
			t.Errorf("the device has %d bytes more, for %d bytes asleep", n, weights.Bytes())
		}
		if _, err := AllocWeight(1); !errors.Is(err, poolrt.ErrAsleep) {
			t.Errorf("alloc: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, len(want))
	if err := cuda.CopyToHost(got, weights.Addr()); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: %v", got, err)
	}
	if err := errors.Join(FreeWeight(weights), p.Close()); err != nil {
		t.Error(err)
	}
}

// free returns the free bytes of the device.
func free(t *testing.T) int64 {
	t.Helper()
	n, _, err := cuda.Device(0).MemInfo()
	if err != nil {
		t.Fatal(err)
	}
	return n
}
