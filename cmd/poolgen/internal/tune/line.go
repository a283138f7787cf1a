package tune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
)

// Line is a line of a file of results: a candidate on a trace.
type Line struct {
	Origin
	Candidate map[string]string `json:"candidate"` // the settings that are not the default, by key
	Trace     string            `json:"trace"`     // hash of its events
	Row       replay.Row        `json:"row"`
	Failure   string            `json:"failure,omitempty"` // of the row
}

// Origin is what the bytes of a result depend on, beside the candidate and the trace.
type Origin struct {
	Poolgen string `json:"poolgen"` // version
	Code    string `json:"code"`    // hash of what is generated for the candidate
	Tags    string `json:"tags"`    // of the build
	GOARCH  string `json:"goarch"`
}

// Origin returns the origin of what b measures of a candidate, which must be a legal pool.
func (b *Bench) Origin(c Candidate) (Origin, error) {
	u, err := b.generate(context.Background(), filepath.Join(os.TempDir(), "poolgen-tune-nowhere", "tuned"), c.PoolFile())
	if err != nil {
		return Origin{}, err
	}
	code := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(u.Files)) {
		fmt.Fprintf(code, "%s %d\n%s", name, len(u.Files[name]), u.Files[name])
	}
	return Origin{Poolgen: b.Workspace.Version, Code: short(code.Sum(nil)), Tags: b.Go(u.Plan.Pools).Tags(), GOARCH: runtime.GOARCH}, nil
}

// HashOf returns the hash of a trace's events. Its name does not count.
func HashOf(t *replay.Trace) string {
	sum := sha256.Sum256(t.Encode())
	return short(sum[:])
}

// short writes as much of a hash as tells all results of a search apart.
func short(sum []byte) string { return hex.EncodeToString(sum[:12]) }

// set returns the settings of a candidate by key.
func (c Candidate) set() map[string]string {
	all := map[string]string{}
	for i, value := range c {
		if value != "" {
			all[keys[i]] = value
		}
	}
	return all
}

// candidateOf is the reverse of set. A key that is not searched is an error.
func candidateOf(set map[string]string) (c Candidate, err error) {
	for key, value := range set {
		i := slices.Index(keys[:], key)
		if i < 0 {
			return c, fmt.Errorf("no candidate has the key %s", key)
		}
		c[i] = value
	}
	return c, nil
}
