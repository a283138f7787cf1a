//go:build pooltrace

package tracing

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/pprof"
)

// sample sets the sampling rate, until the test ends.
func sample(t *testing.T, oneIn int) {
	fatal.If(t, poolrt.SetSampling(oneIn))
	t.Cleanup(func() { fatal.If(t, poolrt.SetSampling(128)) })
}

func hold(t *testing.T, p *pools.ClassedPool, n int) (held [][]byte) {
	for range n {
		b, err := p.Alloc(size)
		fatal.If(t, err)
		held = append(held, b)
	}
	return held
}

// If all allocations are sampled, the figures are exact, and a freed block is not live.
func TestSamplesOfAll(t *testing.T) {
	sample(t, 1)
	p := new(pools.ClassedPool)
	held := hold(t, p, 10)
	for _, b := range held[:4] {
		fatal.If(t, p.Free(b))
	}
	leaks := p.Leaks()
	if len(leaks) != 1 || leaks[0].Count != 6 || leaks[0].Bytes != 6*size || !strings.Contains(leaks[0].String(), "tracing.hold") {
		t.Errorf("%v", leaks)
	}
	for _, c := range p.Snapshot().Pools[0].Chunks {
		for _, piece := range c.Pieces {
			if live := piece.State == poolrt.PieceLive; live != (piece.Site == 1) || live != (piece.Since > 0) {
				t.Errorf("%+v", piece)
			}
		}
	}
	fatal.If(t, p.CloseForce())
}

// The error of a failed allocation states that its figures of calls are estimates, unless all allocations were sampled.
func TestErrorsEstimate(t *testing.T) {
	if poolrt.Debug {
		t.Skip("debug builds know all")
	}
	const estimated = ", estimated from a sample)"
	for oneIn, want := range map[int]bool{1: false, 2: true} {
		sample(t, oneIn)
		p := new(pools.HeapPool)
		var err error
		for err == nil {
			_, err = p.Alloc(4096)
		}
		text := poolrt.Explain(err)
		if !strings.Contains(text, "Most is held by ") || strings.Contains(text, estimated) != want || strings.Contains(text, "(about ") != want {
			t.Errorf("one in %d: %s", oneIn, text)
		}
		fatal.If(t, p.CloseForce())
	}
}

// If some allocations are sampled, the sum is about right: each counts for those that were not sampled.
func TestSamplesOfSome(t *testing.T) {
	if poolrt.Debug {
		t.Skip("debug builds know all")
	}
	sample(t, 16)
	p := new(pools.ClassedPool)
	hold(t, p, 1600)
	leaks := p.Leaks()
	if len(leaks) != 1 || leaks[0].Count < 1100 || leaks[0].Count > 2100 || leaks[0].Bytes != leaks[0].Count*size {
		t.Errorf("%v", leaks)
	} else if text := leaks[0].String(); strings.Contains(text, "goroutine") {
		t.Errorf("a sampled block has a goroutine: %s", text)
	} else if !strings.Contains(text, ": about ") || !strings.Contains(text, "bytes in all, estimated from a sample, the oldest") {
		t.Errorf("the figures are not marked as estimates: %s", text)
	}
	fatal.If(t, p.CloseForce())
	if n := len(p.Leaks()); n != 0 {
		t.Errorf("%d blocks of a closed pool are left", n)
	}
}

// go tool pprof reads the profile.
func TestPprofReadsAllocs(t *testing.T) {
	sample(t, 1)
	p := new(pools.ClassedPool)
	held := hold(t, p, 100)
	for _, b := range held[25:] {
		fatal.If(t, p.Free(b))
	}
	name := filepath.Join(t.TempDir(), "allocs.pb")
	f, err := os.Create(name)
	fatal.If(t, err)
	fatal.If(t, poolrt.WriteAllocProfile(f))
	fatal.If(t, f.Close())
	for kind, want := range map[string]int{"alloc_blocks": 100, "live_blocks": 25, "live_bytes": 25 * size, "alloc_bytes": 100 * size} {
		out := pprof.Read(t, name, "-raw", "-sample_index="+kind)
		if got := ofHold(t, out, kind); got != want {
			t.Errorf("%s is %d, want %d\n%s", kind, got, want, out)
		}
	}
	fatal.If(t, p.CloseForce())
}

// ofHold returns the value of the pool's sample in the output of pprof -raw.
func ofHold(t *testing.T, out, kind string) int {
	column := -1
	for i, k := range strings.Fields(regexp.MustCompile(`alloc_blocks.*`).FindString(out)) {
		if strings.HasPrefix(k, kind+"/") {
			column = i
		}
	}
	line := regexp.MustCompile(`(?m)^ +([0-9 ]+): .*\n +pool:\[pools.Classed\]`).FindStringSubmatch(out)
	if line == nil || column < 0 {
		t.Fatalf("column %d of %q\n%s", column, line, out)
	}
	n, err := strconv.Atoi(strings.Fields(line[1])[column])
	fatal.If(t, err)
	return n
}
