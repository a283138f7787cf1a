package driverpool

import (
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

func TestAdd(t *testing.T) {
	machine(t)
	defer reopen(t)
	var told strings.Builder
	sum, err := Add(&told, 100)
	if err != nil {
		t.Fatal(err)
	}
	if sum != 300 {
		t.Errorf("100 + 200 is %v", sum)
	}
	t.Logf("\n%s", &told)
	s, err := DefaultVectorPool().DriverStats()
	if err != nil {
		t.Fatal(err)
	}
	if s.Used != 0 || s.Reserved != 0 || s.UsedHigh < 3*4*length || s.ReservedHigh < s.UsedHigh {
		t.Errorf("trimmed: %+v", s)
	}
}

// The settings of the pool file are those of the driver's pool, and what cannot be set is refused.
func TestAttributes(t *testing.T) {
	machine(t)
	defer reopen(t)
	p := DefaultVectorPool()
	for a, want := range map[cuda.MemPoolAttribute]uint64{
		cuda.ReleaseThreshold:               64 << 20,
		cuda.ReuseFollowEventDependencies:   1,
		cuda.ReuseAllowOpportunistic:        1,
		cuda.ReuseAllowInternalDependencies: 1,
		cuda.UsedCurrent:                    0,
	} {
		if got, err := p.DriverAttr(a); got != want || err != nil {
			t.Errorf("attribute %d is %d, want %d: %v", a, got, want, err)
		}
	}
	if err := p.SetDriverAttr(cuda.ReleaseThreshold, 1<<20); err != nil {
		t.Error(err)
	}
	if err := p.SetDriverAttr(cuda.ReservedCurrent, 512<<20); err == nil {
		t.Error("what is reserved can only be read")
	}
	if h, err := p.DriverHandle(); h == 0 || err != nil {
		t.Error(h, err)
	}
}

// Peaks start again at what is in use.
func TestResetPeaks(t *testing.T) {
	machine(t)
	defer reopen(t)
	v, err := AllocVector(length)
	if err != nil {
		t.Fatal(err)
	}
	if err := FreeVector(v); err != nil {
		t.Fatal(err)
	}
	p := DefaultVectorPool()
	if _, err := p.Trim(0); err != nil {
		t.Fatal(err)
	}
	before, err := p.DriverStats()
	if err != nil || before.UsedHigh < 4*length {
		t.Fatal(before, err)
	}
	if err := p.ResetPeaks(); err != nil {
		t.Fatal(err)
	}
	if after, err := p.DriverStats(); err != nil || after.UsedHigh != 0 || after.ReservedHigh != 0 {
		t.Errorf("%+v %v", after, err)
	}
}

// reopen closes the package's pool and makes it as it was in the beginning, for the next test.
func reopen(t *testing.T) {
	if err := DefaultVectorPool().Close(); err != nil {
		t.Error(err)
	}
	vectorDefault = VectorPool{}
}
