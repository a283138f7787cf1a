package program

import (
	"fmt"
	"reflect"
	"testing"
)

const nm = `  66aca6        139 T example.com/app/pools%2ev2.(*VertexPool).Alloc
         U runtime.(*Engine).Lock
  66b253         37 t example.com/app/pools%2ev2.init.0.func1
  66b263      16400 R example.com/app/pools%2ev2.table
  66b273        245 T slices.SortFunc[go.shape.[]uint64,go.shape.uint64]
  66b283         99 T type:.eq.example.com/app/pools%2ev2.Vertex
  66b293     -12345 ? x
`

const objdump = `TEXT example.com/app/pools%2ev2.(*VertexPool).Alloc(SB) /work/app/pools/vertex_shell.go
  vertex_shell.go:51	0x66aca6		e800000000		CALL 0x66acab		[1:5]R_CALL:example.com/app/pools%2ev2.(*heapCore).Take	
  vertex_shell.go:52	0x66acab		48			MOVQ AX, BX		[3:7]R_PCREL:example.com/app/pools%2ev2.vertexConfig
  vertex_shell.go:53	0x66ace9		94000000		CALL 0(PC)		[0:4]R_CALLARM64:runtime.morestack<1>	

TEXT example.com/app/pools%2ev2.newTable(SB) /work/app/pools/heap_core.go
  heap_core.go:9	0x66ad01		c3			RET
`

func TestSymbols(t *testing.T) {
	o := &Object{prefix: symbolPrefix("pools", "example.com/app/pools.v2")}
	if got, want := o.sizes(nm, nmForm), map[string]int64{"(*VertexPool).Alloc": 139, "init.0.func1": 37}; !reflect.DeepEqual(got, want) {
		t.Errorf("sizes: got %v, want %v", got, want)
	}
	want := map[string][]string{"(*VertexPool).Alloc": {"(*heapCore).Take", "runtime.morestack"}, "newTable": nil}
	if got := o.calls(objdump); !reflect.DeepEqual(got, want) {
		t.Errorf("calls: got %v, want %v", got, want)
	}
	for _, test := range [][3]string{
		{"main", "example.com/app", "main."}, {"pools", "pools", "pools."}, {"yaml", "gopkg.in/yaml.v3", "gopkg.in/yaml%2ev3."}, {"b", "a.b/b", "a.b/b."},
	} {
		if got := symbolPrefix(test[0], test[1]); got != test[2] {
			t.Errorf("%v: got %s", test, got)
		}
	}
	if fmt.Sprint(o.sizes("", nmForm)) != "map[]" || len(o.calls("")) != 0 {
		t.Error("something comes of nothing")
	}
}
