package prometheus_test

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	poolprom "github.com/poolgen/poolgen/metrics/prometheus"
	"github.com/poolgen/poolgen/tests/debugging/pools"
)

func Example() {
	registry := prometheus.NewRegistry() // or prometheus.MustRegister, for the one of the program
	registry.MustRegister(poolprom.NewCollector())

	pool := new(pools.HeapPool)
	b, _ := pool.Alloc(1000)
	families, err := registry.Gather() // what a scrape does
	fmt.Println(err)
	for _, f := range families {
		if f.GetName() == "poolgen_pool_memory_live_bytes" {
			fmt.Println(f.GetName(), f.GetMetric()[0].GetGauge().GetValue())
		}
	}
	fmt.Println(pool.Free(b), pool.Close())
	// Output:
	// <nil>
	// poolgen_pool_memory_live_bytes 1000
	// <nil> <nil>
}
