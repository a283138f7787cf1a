package prometheus

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/prometheus/client_golang/prometheus"
)

// budgetMetrics are the figures of budgets that several processes share, with the label budget. They are what this process knows without asking.
var budgetMetrics = []struct {
	desc  *prometheus.Desc
	value func(poolrt.BudgetInfo) int64
}{
	{budgetDesc("limit_bytes", "Limit of all processes together."), func(i poolrt.BudgetInfo) int64 { return i.Limit }},
	{budgetDesc("leased_bytes", "Bytes of the limit that this process has, in use or not."), func(i poolrt.BudgetInfo) int64 { return i.Leased }},
	{budgetDesc("reserved_bytes", "Bytes obtained from the allocator by the pools of this process."), func(i poolrt.BudgetInfo) int64 { return i.Reserved }},
	{budgetDesc("elsewhere_bytes", "Bytes of the limit that other processes had when this one last asked."), func(i poolrt.BudgetInfo) int64 { return i.Elsewhere }},
}

func budgetDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("poolgen_budget_"+name, help, []string{"budget"}, nil)
}

// memoryMetrics are the figures of poolrt.GovernMemory, which are there while it is at work.
var memoryMetrics = []struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(poolrt.GovernInfo) int64
}{
	{memoryDesc("bytes", "Memory limit of the program."), prometheus.GaugeValue, func(i poolrt.GovernInfo) int64 { return i.Limit }},
	{memoryDesc("pools_bytes", "Bytes that pools of host memory hold of it."), prometheus.GaugeValue, func(i poolrt.GovernInfo) int64 { return i.Pools }},
	{memoryDesc("go_bytes", "Bytes that Go's garbage collector keeps to."), prometheus.GaugeValue, func(i poolrt.GovernInfo) int64 { return i.GoLimit }},
	{memoryDesc("pressed_total", "Times that memory was short and pools had to give some back."), prometheus.CounterValue, func(i poolrt.GovernInfo) int64 { return i.Pressed }},
	{memoryDesc("given_bytes_total", "Bytes that pools gave back then."), prometheus.CounterValue, func(i poolrt.GovernInfo) int64 { return i.Given }},
}

func memoryDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("poolgen_memory_limit_"+name, help, nil, nil)
}

// describeLimits describes the figures of budgets and of the memory limit.
func describeLimits(out chan<- *prometheus.Desc) {
	for _, m := range budgetMetrics {
		out <- m.desc
	}
	for _, m := range memoryMetrics {
		out <- m.desc
	}
}

// collectLimits collects them. Two budgets of one name in this process, as those of two packages, are one series: their sums, but for what is the same for both.
func collectLimits(out chan<- prometheus.Metric) {
	byName := map[string]poolrt.BudgetInfo{}
	for _, b := range poolrt.HostBudgets() {
		i := b.Info()
		sum := byName[i.Name]
		i.Leased, i.Reserved = i.Leased+sum.Leased, i.Reserved+sum.Reserved
		byName[i.Name] = i
	}
	for name, i := range byName {
		for _, m := range budgetMetrics {
			out <- prometheus.MustNewConstMetric(m.desc, prometheus.GaugeValue, float64(m.value(i)), name)
		}
	}
	if i, ok := poolrt.Governing(); ok {
		for _, m := range memoryMetrics {
			out <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(m.value(i)))
		}
	}
}
