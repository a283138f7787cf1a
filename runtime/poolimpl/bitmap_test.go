package poolimpl_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// TestBitmap: Next finds the bits that are set and no others.
func TestBitmap(t *testing.T) {
	for _, n := range []uint32{1, 64, 65, 4096, 4097, 20_000} {
		m := poolimpl.NewBitmap(n)
		if m.Len() < n {
			t.Fatalf("%d bits, want %d", m.Len(), n)
		}
		r := rand.New(rand.NewPCG(1, 2))
		has := make([]bool, m.Len())
		for range 300 {
			i := r.Uint32N(m.Len())
			if has[i] = r.IntN(3) > 0; has[i] {
				m.Set(i)
			} else {
				m.Clear(i)
			}
			from := r.Uint32N(m.Len())
			end := from + r.Uint32N(m.Len()-from+1)
			want := from
			for want < end && !has[want] {
				want++
			}
			if got, ok := m.Next(from, end); ok != (want < end) || ok && got != want || m.Has(i) != has[i] {
				t.Fatalf("the first bit of [%d, %d) is %d, %v; want %d", from, end, got, ok, want)
			}
		}
	}
}

// TestBitmapClearAmongSet: a bit that one goroutine sets while another clears the only one in the same word is found afterwards.
func TestBitmapClearAmongSet(t *testing.T) {
	m := poolimpl.NewBitmap(64)
	const rounds = 40_000
	var begun, ended atomic.Int32
	var other sync.WaitGroup
	other.Go(func() {
		for i := range int32(rounds) {
			for begun.Load() <= i {
				runtime.Gosched()
			}
			m.Clear(1)
			ended.Add(1)
		}
	})
	for i := range int32(rounds) {
		m.Set(1)
		begun.Add(1)
		for range i % 256 { // at another moment each time
			begun.Load()
		}
		m.Set(2)
		for ended.Load() <= i {
			runtime.Gosched()
		}
		if at, ok := m.Next(0, 64); !ok || at != 2 {
			t.Errorf("round %d: bit 2 is set, the first is %d, %v", i, at, ok)
			break
		}
		m.Clear(2)
	}
	begun.Store(rounds)
	other.Wait()
}
