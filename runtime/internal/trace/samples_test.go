package trace

import (
	"math"
	"testing"
)

// sum adds up the figures of all call stacks.
func sum(m *Samples) (all [4]int64) {
	for _, c := range m.Calls("pool") {
		for i, v := range c.Values {
			all[i] += v
		}
	}
	return all
}

// A sample counts as often as its weight says; a free, and many frees at once, take it out of the live blocks, and leave the allocations.
func TestSamplesAddUp(t *testing.T) {
	var m Samples
	if !m.None() || m.Has(64) {
		t.Error("there is a sample at the beginning")
	}
	for place := uint64(64); place <= 640; place += 64 {
		m.NoteAlloc(place, 10, 2.5, m.Sweeps())
	}
	if m.Take(64, 11) != (Sample{}) || m.Take(65, 10) != (Sample{}) || m.Take(64, 10) == (Sample{}) || m.Take(64, 10) != (Sample{}) {
		t.Error("not exactly the sample with this place and length was taken")
	}
	if got := sum(&m); got != [4]int64{25, 250, 23, 225} { // 22.5 blocks
		t.Errorf("after a free: %v", got)
	}
	m.Retain(func(place uint64) bool { return place < 320 })
	if got := sum(&m); got != [4]int64{25, 250, 8, 75} || !m.Has(128) {
		t.Errorf("after some frees at once: %v", got)
	}
	m.Swept()
	if got := sum(&m); got != [4]int64{25, 250, 0, 0} || m.Has(128) || len(m.Live()) > 0 {
		t.Errorf("after all frees at once: %v", got)
	}
}

// A block that replaces another one in its place, whose free was not seen, is live alone.
func TestSamplesReplace(t *testing.T) {
	var m Samples
	m.NoteAlloc(64, 10, 1, 0)
	m.NoteAlloc(64, 20, 1, 0)
	if got := sum(&m); got != [4]int64{2, 30, 1, 20} {
		t.Errorf("%v", got)
	}
}

// A block whose free was refused is live as before, unless all blocks were freed meanwhile, or the place has another block.
func TestSamplesPutBack(t *testing.T) {
	var m Samples
	m.NoteAlloc(64, 10, 1, 0)
	sweeps := m.Sweeps()
	b := m.Take(64, 10)
	m.PutBack(64, b, sweeps)
	m.PutBack(128, Sample{}, sweeps)
	if got := sum(&m); got != [4]int64{1, 10, 1, 10} || !m.Has(64) || m.Has(128) {
		t.Errorf("put back: %v", got)
	}
	m.PutBack(64, b, sweeps)
	if got := sum(&m); got != [4]int64{1, 10, 1, 10} {
		t.Errorf("put back twice: %v", got)
	}
	b = m.Take(64, 10)
	m.Swept()
	m.PutBack(64, b, sweeps)
	m.NoteAlloc(64, 10, 1, sweeps)
	if got := sum(&m); got != [4]int64{2, 20, 0, 0} || m.Has(64) {
		t.Errorf("after all blocks were freed: %v", got)
	}
}

// A block that was not handed out after all does not count, unless it is no sample.
func TestSamplesWithdraw(t *testing.T) {
	var m Samples
	m.NoteAlloc(64, 10, 2, 0)
	m.NoteAlloc(128, 10, 3, 0)
	m.Withdraw(64, 10)
	m.Withdraw(128, 11)
	m.Withdraw(256, 10)
	if got := sum(&m); got != [4]int64{3, 30, 3, 30} || m.Has(64) {
		t.Errorf("%v", got)
	}
}

// Sums of weights that cannot be added exactly are 0 when no block is left.
func TestSamplesRoundToNothing(t *testing.T) {
	var m Samples
	for place := range uint64(1000) {
		m.NoteAlloc(64*place, 1+place, Weight(1+place), 0)
	}
	for place := range uint64(1000) {
		m.Take(64*place, 1+place)
	}
	if l := m.list[1].live; l != (sampledLive{}) {
		t.Errorf("%+v is left", l)
	}
}

// The filter grows with the samples, and keeps all of them.
func TestSamplesGrow(t *testing.T) {
	var m Samples
	const n = 10000
	for place := range uint64(n) {
		m.NoteAlloc(64*place, 64, 1, 0)
	}
	for place := range uint64(n) {
		if !m.Has(64 * place) {
			t.Fatalf("sample %d is lost", place)
		}
	}
	if slots := m.filter.Load().mask + 1; slots < n*slotsPerPlace || slots > 4*n*slotsPerPlace {
		t.Errorf("%d slots for %d samples", slots, n)
	}
}

// A sample stands for as many blocks as there are on average for one that is sampled.
func TestWeight(t *testing.T) {
	for bytes, want := range map[uint64]float64{1 << 30: 1, Rate: 1 / (1 - 1/math.E), 64: 8192.5, 1: Rate} {
		if got := Weight(bytes); math.Abs(got/want-1) > 1e-5 {
			t.Errorf("%d bytes: %v, want %v", bytes, got, want)
		}
	}
}
