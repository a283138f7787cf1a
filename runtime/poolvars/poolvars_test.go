package poolvars

import (
	"encoding/json"
	"expvar"
	"testing"

	"github.com/poolgen/poolgen/generated_examples/scene"
	poolrt "github.com/poolgen/poolgen/runtime"
)

func TestPublished(t *testing.T) {
	p := new(scene.IndexPool)
	b, err := p.Alloc(250)
	if err != nil {
		t.Fatal(err)
	}
	var all []poolrt.PoolInfo
	if err := json.Unmarshal([]byte(expvar.Get("poolgen").String()), &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].Name != "scene.Index" || all[0].Stats.LiveBytes != 1000 {
		t.Errorf("%+v", all)
	}
	if err := p.Free(b); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if got := expvar.Get("poolgen").String(); got != "[]" {
		t.Errorf("of a program without pools: %s", got)
	}
}
