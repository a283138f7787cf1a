// Package prometheus exports the statistics of all pools of a program to Prometheus, through its Go client:
//
//	import poolprom "github.com/poolgen/poolgen/metrics/prometheus"
//
//	prometheus.MustRegister(poolprom.NewCollector())
//
// It is a module of its own, so that only those who import it depend on the client.
package prometheus

import (
	"strings"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/prometheus/client_golang/prometheus"
)

// Collector collects, at each scrape, the metrics of [poolrt.Metrics] for each pool. The metric /pool/memory/live:bytes is named
// poolgen_pool_memory_live_bytes here, and counters end in _total. The labels are pool, allocator and device, which is "" for pools
// on none. Each pool has series of its own, as no two pools have the same name: the second pool of a kind is "scene.Vertex 2". A name
// is used again after Close, so there are no more series than pools at a time. Safe for concurrent use.
//
// Budgets have the metrics poolgen_budget_..., with the label budget, and [poolrt.GovernMemory] has poolgen_memory_limit_... while it is at work.
type Collector struct {
	metrics []metric
}

type metric struct {
	poolrt.Metric
	desc *prometheus.Desc
	kind prometheus.ValueType
}

// NewCollector returns a Collector. Register one with each registry.
func NewCollector() *Collector {
	c := new(Collector)
	for _, m := range poolrt.Metrics() {
		kind := prometheus.GaugeValue
		if m.Cumulative {
			kind = prometheus.CounterValue
		}
		c.metrics = append(c.metrics, metric{m, prometheus.NewDesc(name(m), m.Help, []string{"pool", "allocator", "device"}, nil), kind})
	}
	return c
}

// name is what Prometheus calls a metric.
func name(m poolrt.Metric) string {
	path, unit, _ := strings.Cut(m.Name, ":")
	words := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '-' })
	if words[len(words)-1] != unit {
		words = append(words, unit)
	}
	if m.Cumulative {
		words = append(words, "total")
	}
	return "poolgen_" + strings.Join(words, "_")
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	for _, m := range c.metrics {
		out <- m.desc
	}
	describeLimits(out)
}

// Collect implements prometheus.Collector. Safe for concurrent use; it costs what poolrt.Pools costs.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	pools := poolrt.Pools()
	for labels, values := range c.sums(pools) {
		for i, m := range c.metrics {
			out <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(values[i]), labels[:]...)
		}
	}
	collectLimits(out, pools)
}
