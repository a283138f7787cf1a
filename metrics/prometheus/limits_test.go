package prometheus

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// What a budget of several processes and the memory limit say is scraped.
func TestLimits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "poolgen")
	for range 2 { // as two packages would
		if _, err := poolrt.OpenBudget("Scraped", poolrt.BudgetOptions{Limit: 1 << 30, Dir: dir}); errors.Is(err, poolrt.ErrUnsupported) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	stop, err := poolrt.GovernMemory(poolrt.GovernOptions{Files: fstest.MapFS{
		"proc/self/mountinfo": file("31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"), "proc/self/cgroup": file("0::/"),
		"sys/fs/cgroup/memory.max": file("10737418240"), "sys/fs/cgroup/memory.current": file("0"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(NewCollector()); err != nil {
		t.Fatal(err)
	}
	const want = `# HELP poolgen_budget_leased_bytes Bytes of the limit that this process has, in use or not.
# TYPE poolgen_budget_leased_bytes gauge
poolgen_budget_leased_bytes{budget="Scraped"} 0
# HELP poolgen_budget_limit_bytes Limit of all pools together, and of all processes that share it.
# TYPE poolgen_budget_limit_bytes gauge
poolgen_budget_limit_bytes{budget="Scraped"} 1.073741824e+09
# HELP poolgen_memory_limit_bytes Memory limit of the program.
# TYPE poolgen_memory_limit_bytes gauge
poolgen_memory_limit_bytes 1.073741824e+10
# HELP poolgen_memory_limit_pressed_total Times that memory was short and pools had to give some back.
# TYPE poolgen_memory_limit_pressed_total counter
poolgen_memory_limit_pressed_total 0
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "poolgen_budget_leased_bytes", "poolgen_budget_limit_bytes",
		"poolgen_memory_limit_bytes", "poolgen_memory_limit_pressed_total"); err != nil {
		t.Error(err)
	}
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	pools := []poolrt.PoolInfo{{Budget: poolrt.BudgetInfo{Name: "Own", Limit: 100, Kept: 5}}, {}}
	if all := budgets(pools); len(all) != 2 || all["Own"] != pools[0].Budget || !all["Scraped"].Host {
		t.Errorf("budgets %+v", all)
	}
	stop()
	if n, err := testutil.GatherAndCount(registry, "poolgen_memory_limit_bytes"); n != 0 || err != nil {
		t.Errorf("after stop there are %d, %v", n, err)
	}
}
