package specialize_test

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
)

// BenchmarkHundred specialises a hundred pools of all kinds on all cores, templates not parsed yet: what `poolgen generate`
// pays for a large file.
func BenchmarkHundred(b *testing.B) {
	lib := templates.Library()
	all := instances(memories)
	var list []specialize.Instance
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[name])
	}
	for b.Loop() {
		s := specialize.New(lib)
		var group sync.WaitGroup
		next := make(chan int)
		for range runtime.GOMAXPROCS(0) {
			group.Go(func() {
				for i := range next {
					inst := list[i*7%len(list)]
					inst.Prefix = fmt.Sprintf("pool%d", i)
					if _, err := s.Specialize(inst); err != nil {
						b.Error(err)
					}
				}
			})
		}
		for i := range 100 {
			next <- i
		}
		close(next)
		group.Wait()
	}
}

// BenchmarkSpecialize specialises the largest and a small pool, with the templates parsed already.
func BenchmarkSpecialize(b *testing.B) {
	lib := templates.Library()
	all := realInstances()
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
