package poolvars

import (
	"encoding/json"
	"expvar"
	"testing"

	"github.com/poolgen/poolgen/generated_examples/scene"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

func TestPublished(t *testing.T) {
	p := new(scene.IndexPool)
	b, err := p.Alloc(250)
	fatal.If(t, err)
	var all []poolrt.PoolInfo
	fatal.If(t, json.Unmarshal([]byte(expvar.Get("poolgen").String()), &all))
	if len(all) != 1 || all[0].Name != "scene.Index" || all[0].Stats.LiveBytes != 1000 {
		t.Errorf("%+v", all)
	}
	fatal.If(t, p.Free(b))
	fatal.If(t, p.Close())
	if got := expvar.Get("poolgen").String(); got != "[]" {
		t.Errorf("of a program without pools: %s", got)
	}
}
