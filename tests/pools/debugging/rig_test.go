package debugging

import (
	"fmt"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/internal/forms"
)

// size is the length of a block in the tests.
const size = forms.Size

// tells fails the test unless a report has all of the parts.
func tells(t *testing.T, report string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(report, part) {
			t.Errorf("the report does not have %q:\n%s", part, report)
		}
	}
}

// recorder is a poolrt.TB that records the failures.
type recorder struct{ notes []string }

func (*recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// Leaks are found with and without the tag.
func TestAssertNoLeaks(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		poolrt.AssertNoLeaks(t, p)
		b := p.Take(t)
		var r recorder
		poolrt.AssertNoLeaks(&r, p)
		if len(r.notes) != 1 {
			t.Fatalf("%d notes: %q", len(r.notes), r.notes)
		}
		tells(t, r.notes[0], "1 block is live, LiveBytes 40")
		if poolrt.Debug {
			tells(t, r.notes[0], "Pool.Take", "forms.go", "ago by goroutine")
		}
		fatal.If(t, p.Free(b))
		poolrt.AssertNoLeaks(t, p)
	})
}
