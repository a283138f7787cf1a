package poolrt_test

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// A trace has the allocations and frees of one pool, until stop is called.
func ExampleRecord() {
	var file bytes.Buffer // in a program, a file such as run.csv.gz
	stop, err := poolrt.Record(&file, poolrt.RecordPool("quickstart.Vertex"))
	if !poolrt.Traced { // built without the tag pooltrace
		fmt.Println(errors.Is(err, poolrt.ErrUnsupported))
		return
	}
	v, err := quickstart.AllocVertex()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(quickstart.FreeVertex(v) == nil && stop() == nil && file.Len() > 0)
	// Output: true
}

// The profile of live blocks, for go tool pprof. It is empty without the tags pooldebug and pooltrace.
func ExampleWriteProfile() {
	var profile bytes.Buffer // in a program, a file
	fmt.Println(poolrt.WriteProfile(&profile, poolrt.Leaks()...))
	// Output: <nil>
}

// The profile of all allocations so far, for go tool pprof.
func ExampleWriteAllocProfile() {
	var profile bytes.Buffer // in a program, a file
	err := poolrt.WriteAllocProfile(&profile)
	fmt.Println(err == nil == poolrt.Traced) // without the tag pooltrace, the error matches ErrUnsupported
	// Output: true
}
