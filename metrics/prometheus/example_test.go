package prometheus_test

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/poolgen/poolgen/generated_examples/scene"
	poolprom "github.com/poolgen/poolgen/metrics/prometheus"
	poolrt "github.com/poolgen/poolgen/runtime"
)

func Example() {
	registry := prometheus.NewRegistry() // or prometheus.MustRegister, for the one of the program
	registry.MustRegister(poolprom.NewCollector())

	pool, err := scene.NewIndexPool(poolrt.WithName("shop.Text"))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, _ := pool.Alloc(250)
	families, err := registry.Gather() // what a scrape does
	fmt.Println(err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == "poolgen_pool_memory_live_bytes" && l.GetValue() == "shop.Text" {
					fmt.Println(l.GetName(), l.GetValue(), m.GetGauge().GetValue())
				}
			}
		}
	}
	fmt.Println(pool.Free(b), pool.Close())
	// Output:
	// <nil>
	// pool shop.Text 1000
	// <nil> <nil>
}
