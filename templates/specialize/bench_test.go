package specialize_test

import (
	"testing"

	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
)

// BenchmarkSpecialize specialises the largest and a small pool, with the templates parsed already.
func BenchmarkSpecialize(b *testing.B) {
	lib := templates.Library()
	all := realInstances(lib)
	for _, name := range []string{"item/fixed/hostmem/0", "span/heap/hostmem/0", "span/binned/hostmem/0", "span/classes/hostmem/0"} {
		inst, ok := all[name]
		if !ok {
			continue
		}
		b.Run(name, func(b *testing.B) {
			s := specialize.New(lib)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Specialize(inst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
