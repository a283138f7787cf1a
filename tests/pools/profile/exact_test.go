//go:build !pooltrace

package profile

import (
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// Blocks far above the rate of samples are all sampled, so the profile has exactly what the pool counts: after allocations, after frees, and after all are free.
func TestExact(t *testing.T) {
	forms := large()
	want := map[string]figures{}
	held := make([][][]byte, len(forms))
	same := func(when string) {
		t.Helper()
		got := read(t)
		for i, f := range forms {
			s, w := f.Stats(), want["profile."+f.name]
			w.live, w.liveBytes = s.Live, s.LiveBytes
			if g := got["profile."+f.name]; g != w || int64(len(held[i])) != s.Live {
				t.Errorf("%s: %s has %+v in the profile, and has counted %+v, with %d live", f.name, when, g, w, len(held[i]))
			}
		}
	}
	for i, f := range forms {
		for range 7 {
			held[i] = append(held[i], f.take(t, f.sizes[0]))
		}
		want["profile."+f.name] = figures{allocs: 7, allocBytes: 7 * int64(f.sizes[0])}
	}
	same("after 7 allocations")
	for i, f := range forms {
		for n := 0; f.free != nil && n < 3; n++ {
			fatal.If(t, f.free(held[i][0]))
			held[i] = held[i][1:]
		}
	}
	same("after 3 frees")
	for i, f := range forms {
		for _, b := range held[i] {
			if f.free != nil {
				fatal.If(t, f.free(b))
			}
		}
		held[i] = nil
		if f.free == nil {
			fatal.If(t, f.reset())
		}
	}
	same("after all are free")
	for _, f := range forms {
		fatal.If(t, f.Close())
	}
	if got := read(t); len(got) > 0 {
		t.Errorf("closed pools are in the profile: %v", got)
	}
}
