package resets

import (
	"testing"

	"example.com/vet/pools"
)

func reset(t *testing.T) {
	t.Helper()
	if err := pools.DefaultTextPool().Reset(); err != nil {
		t.Fatal(err)
	}
}

func TestLoad(t *testing.T) {
	defer reset(t)
	b, err := pools.AllocText(8)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := load(8); got != b[0] || err != nil {
		t.Error(got, err)
	}
}
