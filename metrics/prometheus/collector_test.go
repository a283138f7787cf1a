package prometheus

import (
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/debugging/pools"
)

// What Prometheus scrapes is what the pools count; two pools of one name are one series.
func TestCollector(t *testing.T) {
	a, b := new(pools.HeapPool), new(pools.HeapPool)
	c, err := pools.NewItemPool(poolrt.WithName("other"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(a.CloseForce(), b.CloseForce(), c.CloseForce()); err != nil {
			t.Error(err)
		}
	})
	for _, p := range []*pools.HeapPool{a, b} {
		if _, err := p.Alloc(1000); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Alloc(); err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(NewCollector()); err != nil {
		t.Fatal(err)
	}
	const want = `# HELP poolgen_pool_blocks_allocs_blocks_total Blocks handed out so far.
# TYPE poolgen_pool_blocks_allocs_blocks_total counter
poolgen_pool_blocks_allocs_blocks_total{allocator="host",device="",pool="other"} 1
poolgen_pool_blocks_allocs_blocks_total{allocator="host",device="",pool="pools.Heap"} 2
# HELP poolgen_pool_memory_live_bytes Bytes asked for by blocks that are handed out.
# TYPE poolgen_pool_memory_live_bytes gauge
poolgen_pool_memory_live_bytes{allocator="host",device="",pool="other"} 40
poolgen_pool_memory_live_bytes{allocator="host",device="",pool="pools.Heap"} 2000
# HELP poolgen_pool_memory_limit_bytes Limit in force, 9223372036854775807 if there is none.
# TYPE poolgen_pool_memory_limit_bytes gauge
poolgen_pool_memory_limit_bytes{allocator="host",device="",pool="other"} 131072
poolgen_pool_memory_limit_bytes{allocator="host",device="",pool="pools.Heap"} 131072
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want),
		"poolgen_pool_blocks_allocs_blocks_total", "poolgen_pool_memory_live_bytes", "poolgen_pool_memory_limit_bytes"); err != nil {
		t.Error(err)
	}
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// Prometheus takes no labels but of UTF-8. A pool with another name is scraped all the same.
func TestNameThatIsNotUTF8(t *testing.T) {
	p, err := pools.NewItemPool(poolrt.WithName("a\xffb"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.CloseForce() })
	registry := prometheus.NewRegistry()
	registry.MustRegister(NewCollector())
	const want = "# HELP poolgen_pool_chunks Chunks that make up the reserved bytes.\n# TYPE poolgen_pool_chunks gauge\n" +
		"poolgen_pool_chunks{allocator=\"host\",device=\"\",pool=\"a\ufffdb\"} 0\n"
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "poolgen_pool_chunks"); err != nil {
		t.Error(err)
	}
}
