package schedules

import (
	"maps"
	"strconv"

	"github.com/poolgen/poolgen/tests/residual"
)

// small changes constants, so that few blocks have what many have otherwise.
var small = []number{
	{"templates/strict/seek.go", "const row = 16", "const row = 2"},
	{"templates/strict/seek.go", "const line = 8", "const line = 1"},
	{"templates/slabs/params.go", "page = 16 << 10", "page = 64"},
	{"templates/slabs/params.go", "fewestBlocks = 4", "fewestBlocks = 2"},
	{"templates/slabs/params.go", "chunkParts   = 16", "chunkParts   = 2"},
	{"templates/slabs/slab.go", "perLine        = 28", "perLine        = 2"},
	{"runtime/poolimpl/engine.go", "const patience = 8", "const patience = 0"},
	{"runtime/poolimpl/queue.go", "const epochSize = 64", "const epochSize = 2"},
	{"runtime/poolimpl/queue.go", "const runLength = 8", "const runLength = 2"},
	{"runtime/poolimpl/queues.go", "const nearQueues = 32", "const nearQueues = 2"},
	{"runtime/poolimpl/queues.go", "const manyQueues = 256", "const manyQueues = 2"},
	{"runtime/poolimpl/driverorder_table.go", "const driverParts = 64", "const driverParts = 2"},
	{"runtime/poolimpl/driverorder_table.go", "hash>>58", "hash>>63"},
	{"runtime/poolimpl/driverorder_turns.go", "const calm = 1000", "const calm = 2"},
	{"runtime/poolimpl/driverorder_streams.go", "const mostStreams = 64", "const mostStreams = 2"},
	{"templates/slabs/opened.go", "manyLines = 64", "manyLines = 4"},
	{"templates/strips/strips.go", "64*bump.Unit", "8*bump.Unit"},
}

// subjects are what is explored.
var subjects = []subject{
	strict("strict", nil),
	strict("strictTrims", map[string]string{"feature.Trims": "true"}),
	strict("strictMagazines", map[string]string{
		"feature.Magazines": "true", "strict.magazineSize": "2", "strict.patience": "0", "strict.once": "1 << 33",
	}),
	strict("strictStreams", map[string]string{"feature.Streams": "true", "strict.once": "1 << 61"}),
	shared("slabs", "slabs", nil), shared("slabsStreams", "slabs", map[string]string{"feature.Streams": "true", "slabs.once": "1 << 61"}), shared("shards", "shards", nil),
	{"strips", residual.Variant{Package: "strips", Bind: map[string]string{
		"feature.Locked": "true", "feature.Sharded": "true", "feature.Trims": "false", "strips.maxProcStrips": "2", "bump.granule": "16",
	}}, []string{"walk.go"}, ""},
}

// strict returns a subject with two blocks in a word.
func strict(name string, more map[string]string) subject {
	bind := map[string]string{
		"feature.Locked": "true", "feature.Sharded": "true", "feature.Trims": "false",
		"strict.perWord": "2", "strict.maxHints": "2", "strict.blockSize": "8", "strict.itemBytes": "8",
	}
	maps.Copy(bind, more)
	return subject{name, residual.Variant{Package: "strict", Bind: bind}, []string{"walk.go"}, "export_test.go"}
}

// shared returns a subject that has a heap behind it.
func shared(name, pkg string, more map[string]string) subject {
	bind := map[string]string{
		"feature.Locked": "true", "feature.Sharded": "true", "feature.Trims": "false", "shards.fronted": strconv.FormatBool(pkg == "slabs"), "shards.maxShards": "2",
		"slabs.bins": "[...]uint64{16, 32}", "slabs.leastBlocks": "2", "slabs.maxProcCaches": "2", "slabs.crowds": "false", "slabs.once": "1 << 2",
	}
	maps.Copy(bind, more)
	return subject{name, residual.Variant{Package: pkg, Replace: map[string]string{"classes": "heap"}, Bind: bind}, nil, ""}
}
