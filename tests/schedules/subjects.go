package schedules

import (
	"maps"

	"github.com/poolgen/poolgen/tests/residual"
)

// small changes constants, so that few blocks have what many have otherwise.
var small = []number{
	{"runtime/poolimpl/cores/strict/rows.go", "const Row = 16", "const Row = 2"},
	{"runtime/poolimpl/cores/strict/rows.go", "const line = 8", "const line = 1"},
	{"runtime/poolimpl/cores/strict/processors.go", "MaxProcessors = 64", "MaxProcessors = 2"},
	{"runtime/poolimpl/cores/strict/recall.go", "patience uint32 = 1 << 16", "patience uint32 = 0"},
	{"runtime/poolimpl/cores/shards/params.go", "const maxShards = 64", "const maxShards = 2"},
	{"runtime/poolimpl/cores/slabs/params.go", "maxProcCaches = 64", "maxProcCaches = 2"},
	{"runtime/poolimpl/cores/slabs/slab.go", "return 2 * perLine", "return 61"},
	{"runtime/poolimpl/cores/slabs/params.go", "page = 16 << 10", "page = 64"},
	{"runtime/poolimpl/cores/slabs/params.go", "fewestBlocks = 4", "fewestBlocks = 2"},
	{"runtime/poolimpl/cores/slabs/params.go", "chunkParts   = 16", "chunkParts   = 2"},
	{"runtime/poolimpl/cores/slabs/params.go", "morePages = 64", "morePages = 0"},
	{"runtime/poolimpl/cores/slabs/params.go", "nearPages = 8 << 10", "nearPages = 8"},
	{"runtime/poolimpl/cores/slabs/slab.go", "perLine        = 28", "perLine        = 2"},
	{"runtime/poolimpl/engine.go", "const patience = 8", "const patience = 0"},
	{"runtime/poolimpl/queue.go", "const epochSize = 64", "const epochSize = 2"},
	{"runtime/poolimpl/queue.go", "const runLength = 8", "const runLength = 2"},
	{"runtime/poolimpl/queues.go", "const nearQueues = 32", "const nearQueues = 2"},
	{"runtime/poolimpl/queues.go", "const manyQueues = 256", "const manyQueues = 2"},
	{"runtime/poolimpl/driverorder_table.go", "const driverParts = 64", "const driverParts = 2"},
	{"runtime/poolimpl/driverorder_table.go", "hash>>58", "hash>>63"},
	{"runtime/poolimpl/driverorder_turns.go", "const calm = 1000", "const calm = 2"},
	{"runtime/poolimpl/driverorder_streams.go", "const mostStreams = 64", "const mostStreams = 2"},
	{"runtime/poolimpl/cores/slabs/opened.go", "manyLines = 64", "manyLines = 4"},
	{"runtime/poolimpl/cores/strips/strips.go", "64*c.params.Granule", "8*c.params.Granule"},
	{"runtime/poolimpl/cores/strips/params.go", "maxProcStrips = 256", "maxProcStrips = 2"},
}

// subjects are what is explored.
var subjects = []subject{
	strict("strictOwned", map[string]string{"feature.Owns": "true"}),
	strict("strictTrims", map[string]string{"feature.Trims": "true"}),
	strict("strictMagazines", map[string]string{"feature.Magazines": "true"}),
	strict("strictStreams", map[string]string{"feature.Streams": "true"}),
}

// packages are what is explored of the packages that the output imports. Each name is one of a set of parameters, in the scenarios of the package.
var packages = []struct {
	pkg   string
	names []string
}{
	{"slabs", []string{"slabs", "slabsStreams"}},
	{"shards", []string{"shards"}},
	{"strips", []string{"strips"}},
}

// strict returns a subject with two blocks in a word.
func strict(name string, more map[string]string) subject {
	bind := map[string]string{
		"feature.Locked": "true", "feature.Sharded": "true", "feature.Trims": "false",
		"strict.perWord": "2", "strict.blockSize": "8", "strict.itemBytes": "8",
	}
	maps.Copy(bind, more)
	return subject{name, residual.Variant{Package: "strict", Bind: bind}}
}
