package poolimpl

import (
	"reflect"
	"regexp"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Each figure of Stats is exactly one metric.
func TestMetrics(t *testing.T) {
	var s poolrt.Stats
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		v.Field(i).SetInt(int64(100 + i))
	}
	form := regexp.MustCompile(`^(/[a-z-]+)+:(bytes|blocks|chunks|objects|events|allocations|pools|graphs)$`)
	seen := map[int64]string{}
	for _, m := range poolrt.Metrics() {
		n := m.Value(&s)
		if seen[n] != "" {
			t.Errorf("%s and %s are the same field", m.Name, seen[n])
		}
		seen[n] = m.Name
		if !form.MatchString(m.Name) || m.Help == "" {
			t.Errorf("%q, %q", m.Name, m.Help)
		}
	}
	if len(seen) != v.NumField() {
		t.Errorf("%d metrics of %d fields", len(seen), v.NumField())
	}
}
