package prometheus_test

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	poolprom "github.com/poolgen/poolgen/metrics/prometheus"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/debugging/pools"
)

func Example() {
	registry := prometheus.NewRegistry() // or prometheus.MustRegister, for the one of the program
	registry.MustRegister(poolprom.NewCollector())

	pool, err := pools.NewHeapPool(poolrt.WithName("shop.Text"))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, _ := pool.Alloc(1000)
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
