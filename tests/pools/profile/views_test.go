//go:build !pooltrace

package profile

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolz"
	"github.com/poolgen/poolgen/tests/fatal"
	tool "github.com/poolgen/poolgen/tests/pools/internal/pprof"
)

// hold allocates rows that stay live.
//
//go:noinline
func hold(t *testing.T, p *BoundedPool, n, times int) {
	for range times {
		_, err := p.Alloc(n)
		fatal.If(t, err)
	}
}

// The samples are also in Leaks, in snapshots, and in the explanation of an error.
func TestSamplesAreShown(t *testing.T) {
	p := new(BoundedPool)
	hold(t, p, 16*mib, 3)
	leaks := p.Leaks()
	if len(leaks) != 1 || leaks[0].Count != 3 || leaks[0].Bytes != 48*mib || !strings.Contains(leaks[0].String(), "profile.hold") {
		t.Errorf("%v", leaks)
	}
	_, err := p.Alloc(32 * mib)
	if text := poolrt.Explain(err); !strings.Contains(text, "Most is held by ") || !strings.Contains(text, "profile.hold") {
		t.Errorf("%s", text)
	}
	s := p.Snapshot()
	if text, err := json.Marshal(s); err != nil || !strings.Contains(string(text), "profile.hold") {
		t.Errorf("%v: no calls in %.2000s", err, text)
	}
	for _, c := range s.Pools[0].Chunks {
		for _, piece := range c.Pieces {
			if live := piece.State == poolrt.PieceLive; live != (piece.Site == 1) || live != (piece.Since > 0) {
				t.Errorf("%+v", piece)
			}
		}
	}
	fatal.If(t, p.CloseForce())
}

// The HTTP page serves the profile.
func TestServed(t *testing.T) {
	p := new(BoundedPool)
	hold(t, p, 16*mib, 2)
	answer := httptest.NewRecorder()
	poolz.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/debug/poolz/heap", nil))
	name := filepath.Join(t.TempDir(), "heap")
	fatal.If(t, os.WriteFile(name, answer.Body.Bytes(), 0o600))
	if out := tool.Read(t, name, "-raw"); !strings.Contains(out, "pool:[profile.Bounded]") {
		t.Errorf("%s", out)
	}
	fatal.If(t, p.CloseForce())
}

// Figures of small blocks are marked as estimates.
func TestEstimatesAreMarked(t *testing.T) {
	if poolrt.Debug {
		t.Skip("debug builds know all")
	}
	p := new(BoundedPool)
	hold(t, p, 64*kib, 900)
	leaks := p.Leaks()
	if len(leaks) != 1 || !leaks[0].Sampled || !strings.Contains(leaks[0].String(), "estimated from a sample") {
		t.Errorf("%v", leaks)
	}
	fatal.If(t, p.CloseForce())
}

// A pool without the key has no samples.
func TestWithoutTheKey(t *testing.T) {
	if poolrt.Debug {
		t.Skip("debug builds know all")
	}
	p := new(PlainPool)
	_, err := p.Alloc(64 * mib)
	fatal.If(t, err)
	if leaks := p.Leaks(); len(leaks) > 0 {
		t.Errorf("%v", leaks)
	}
	fatal.If(t, p.CloseForce())
}

// The profile can be written while other goroutines use the pools, and other goroutines free what one has allocated.
func TestWriteMeanwhile(t *testing.T) {
	for _, f := range small() {
		if f.alone || f.free == nil {
			continue
		}
		handed := make(chan []byte, 64)
		var all sync.WaitGroup
		all.Go(func() {
			defer close(handed)
			for i := range 5000 {
				b, err := f.alloc(f.sizes[i%len(f.sizes)])
				if err != nil {
					t.Error(err)
					return
				}
				handed <- b
			}
		})
		for range 2 {
			all.Go(func() {
				for b := range handed {
					if err := f.free(b); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Go(func() {
			for range 20 {
				if err := poolrt.WriteAllocProfile(io.Discard); err != nil {
					t.Error(err)
				}
				f.Leaks()
			}
		})
		all.Wait()
		if blocks, bytes := sampled(f); blocks != 0 || bytes != 0 {
			t.Errorf("%s: %d blocks of %d bytes are left of none", f.name, blocks, bytes)
		}
		fatal.If(t, f.Close())
	}
}
