package lower

import (
	"math"
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// One block in oneIn is guarded, and a byte is profiled as Go profiles it, whether a pool has one of the keys or both.
func TestSampling(t *testing.T) {
	chance := func(weight int64, mean float64) float64 { return -math.Expm1(-float64(weight) / mean) }
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*b }
	for _, oneIn := range []int64{0, 1, 2, 50, 5000, 1 << 30} {
		for _, profiles := range []bool{false, true} {
			s := newSampling(oneIn, profiles)
			if oneIn == 0 && !profiles {
				if s != (sampling{}) {
					t.Errorf("without a key: %+v", s)
				}
				continue
			}
			if oneIn > 0 && !near(chance(s.perBlock, s.mean), 1/float64(oneIn)) || (oneIn == 0) != (s.perBlock == 0) {
				t.Errorf("one block in %d, profiles %t: %+v", oneIn, profiles, s)
			}
			if profiles && !near(chance(s.perByte*4096, s.mean), chance(4096, poolimpl.ProfileRate)) || profiles != (s.perByte > 0) {
				t.Errorf("one block in %d, profiles %t: %+v", oneIn, profiles, s)
			}
		}
	}
}
