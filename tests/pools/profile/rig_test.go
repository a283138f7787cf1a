//go:build !pooltrace

package profile

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/internal/pprof"
)

// figures are what a profile has of a pool.
type figures struct{ allocs, allocBytes, live, liveBytes int64 }

// write writes the profile to a file, whose name it returns.
func write(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pools.pb")
	f, err := os.Create(name)
	fatal.If(t, err)
	fatal.If(t, poolrt.WriteAllocProfile(f))
	fatal.If(t, f.Close())
	return name
}

// sample is a sample in the output of pprof -raw: its values, and its labels.
var sample = regexp.MustCompile(`(?m)^ +(\d+) +(\d+) +(\d+) +(\d+): .*\n +pool:\[(.*)\]`)

// read has go tool pprof read the profile, and adds up what it has of each pool.
func read(t testing.TB) map[string]figures {
	t.Helper()
	out := pprof.Read(t, write(t), "-raw")
	const form = "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes[dflt]\n"
	if !strings.Contains(out, form) || !strings.Contains(out, "PeriodType: space bytes\nPeriod: 524288\n") {
		t.Fatalf("not in the form of the profile of Go's heap: %.400s", out)
	}
	all := map[string]figures{}
	for _, m := range sample.FindAllStringSubmatch(out, -1) {
		var v [4]int64
		for i := range v {
			n, err := strconv.ParseInt(m[1+i], 10, 64)
			fatal.If(t, err)
			v[i] = n
		}
		f := all[m[5]]
		all[m[5]] = figures{f.allocs + v[0], f.allocBytes + v[1], f.live + v[2], f.liveBytes + v[3]}
	}
	return all
}
