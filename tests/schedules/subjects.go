package schedules

import (
	"maps"

	"github.com/poolgen/poolgen/tests/internal/variant"
)

// small changes constants, so that few blocks have what many have otherwise.
var small = []number{
	{"templates/strict/seek.go", "const row = 16", "const row = 2"},
	{"templates/strict/seek.go", "const line = 8", "const line = 1"},
	{"runtime/poolimpl/engine.go", "const moment = 1300", "const moment = 1"},
}

// subjects are what is explored.
var subjects = []subject{
	strict("strict", nil),
	strict("strictTrims", map[string]string{"feature.Trims": "true"}),
	strict("strictMagazines", map[string]string{
		"feature.Magazines": "true", "strict.magazineSize": "2", "strict.patience": "0", "strict.once": "1 << 33",
	}),
}

// strict returns a subject with two blocks in a word.
func strict(name string, more map[string]string) subject {
	bind := map[string]string{
		"feature.Locked": "true", "feature.Sharded": "true", "feature.Trims": "false",
		"strict.perWord": "2", "strict.maxHints": "2", "strict.blockSize": "8", "strict.itemBytes": "8",
	}
	maps.Copy(bind, more)
	return subject{name, variant.Variant{Package: "strict", Bind: bind}, []string{"walk.go"}}
}
