package poolrt_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// In a test, the deferred call fails it if a block is still live at the end. With the tag pooldebug it also says who allocated the block.
func ExampleAssertNoLeaks() {
	_ = func(t *testing.T) { // func TestUpload(t *testing.T)
		pool, err := quickstart.NewVertexPool()
		if err != nil {
			t.Fatal(err)
		}
		defer poolrt.AssertNoLeaks(t, pool)

		v, err := pool.Alloc()
		if err != nil {
			t.Fatal(err)
		}
		if err := pool.Free(v); err != nil {
			t.Error(err)
		}
	}
}

// Live blocks by who allocated them, for go tool pprof. Only programs built with the tag pooldebug, or by a sample with pooltrace, know that.
func ExampleWriteProfile() {
	var profile bytes.Buffer // in a program, a file
	fmt.Println(poolrt.WriteProfile(&profile, poolrt.Leaks()...))
	// Output: <nil>
}
