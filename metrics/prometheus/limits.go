package prometheus

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/prometheus/client_golang/prometheus"
)

// budgetMetrics are the figures of budgets, with the label budget. Of one that several processes share, they are what this process knows without asking.
var budgetMetrics = []struct {
	desc  *prometheus.Desc
	host  bool // only budgets that several processes share have it
	value func(poolrt.BudgetInfo) int64
}{
	{budgetDesc("limit_bytes", "Limit of all pools together, and of all processes that share it."), false, func(i poolrt.BudgetInfo) int64 { return i.Limit }},
	{budgetDesc("reserved_bytes", "Bytes obtained from the allocator by the pools of this process."), false, func(i poolrt.BudgetInfo) int64 { return i.Reserved }},
	{budgetDesc("kept_bytes", "Bytes that pools of this process lack to their guarantees: no other pool can have them."), false, func(i poolrt.BudgetInfo) int64 { return i.Kept }},
	{budgetDesc("leased_bytes", "Bytes of the limit that this process has, in use or not."), true, func(i poolrt.BudgetInfo) int64 { return i.Leased }},
	{budgetDesc("elsewhere_bytes", "Bytes of the limit that other processes had when this one last asked."), true, func(i poolrt.BudgetInfo) int64 { return i.Elsewhere }},
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

// budgets lists those of the pools, and all that other processes share, by name. Two of these with one name, as those of two packages, are one series: their sums,
// but for what is the same for both.
func budgets(pools []poolrt.PoolInfo) map[string]poolrt.BudgetInfo {
	byName := map[string]poolrt.BudgetInfo{}
	for _, p := range pools {
		if i := p.Budget; i.Name != "" && !i.Host {
			byName[i.Name] = i
		}
	}
	for _, b := range poolrt.HostBudgets() {
		i := b.Info()
		sum := byName[i.Name]
		i.Leased, i.Reserved, i.Kept = i.Leased+sum.Leased, i.Reserved+sum.Reserved, i.Kept+sum.Kept
		byName[i.Name] = i
	}
	return byName
}

// collectLimits collects them.
func collectLimits(out chan<- prometheus.Metric, pools []poolrt.PoolInfo) {
	for name, i := range budgets(pools) {
		for _, m := range budgetMetrics {
			if i.Host || !m.host {
				out <- prometheus.MustNewConstMetric(m.desc, prometheus.GaugeValue, float64(m.value(i)), name)
			}
		}
	}
	if i, ok := poolrt.Governing(); ok {
		for _, m := range memoryMetrics {
			out <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(m.value(i)))
		}
	}
}
