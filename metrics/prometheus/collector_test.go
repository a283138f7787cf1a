package prometheus

import (
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/poolgen/poolgen/generated_examples/scene"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// What Prometheus scrapes is what the pools count; two pools of one kind are two series.
func TestCollector(t *testing.T) {
	a, errA := scene.NewIndexPool(poolrt.WithLimit(1 << 20))
	b, errB := scene.NewIndexPool(poolrt.WithLimit(1 << 20))
	c, errC := scene.NewMatrixPool(poolrt.WithName("other"))
	if err := errors.Join(errA, errB, errC); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(a.CloseForce(), b.CloseForce(), c.CloseForce()); err != nil {
			t.Error(err)
		}
	})
	for _, p := range []*scene.IndexPool{a, b} {
		if _, err := p.Alloc(250); err != nil {
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
poolgen_pool_blocks_allocs_blocks_total{allocator="host",device="",pool="scene.Index"} 1
poolgen_pool_blocks_allocs_blocks_total{allocator="host",device="",pool="scene.Index 2"} 1
# HELP poolgen_pool_memory_live_bytes Bytes asked for by blocks that are handed out.
# TYPE poolgen_pool_memory_live_bytes gauge
poolgen_pool_memory_live_bytes{allocator="host",device="",pool="other"} 64
poolgen_pool_memory_live_bytes{allocator="host",device="",pool="scene.Index"} 1000
poolgen_pool_memory_live_bytes{allocator="host",device="",pool="scene.Index 2"} 1000
# HELP poolgen_pool_memory_limit_bytes Limit in force, 9223372036854775807 if there is none.
# TYPE poolgen_pool_memory_limit_bytes gauge
poolgen_pool_memory_limit_bytes{allocator="host",device="",pool="other"} 2097152
poolgen_pool_memory_limit_bytes{allocator="host",device="",pool="scene.Index"} 1048576
poolgen_pool_memory_limit_bytes{allocator="host",device="",pool="scene.Index 2"} 1048576
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
	p, err := scene.NewVertexPool(poolrt.WithName("a\xffb"))
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
