package poolrt_test

import (
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// printer stands for a *testing.T. It prints the first line of each message; the others have call stacks, with the tags pooldebug and pooltrace.
type printer struct{}

func (printer) Helper() {}

func (printer) Errorf(format string, args ...any) {
	first, _, _ := strings.Cut(fmt.Sprintf(format, args...), "\n")
	fmt.Println(first)
}

// The deferred call fails a test that leaves live blocks.
func ExampleAssertNoLeaks() {
	pool, err := quickstart.NewVertexPool()
	if err != nil {
		fmt.Println(err)
		return
	}
	testUpload := func(t poolrt.TB) { // in a test file: func TestUpload(t *testing.T)
		defer poolrt.AssertNoLeaks(t, pool)
		for range 3 {
			v, err := pool.Alloc()
			if err != nil {
				fmt.Println(err)
				return
			}
			v.Position[0] = 1 // the test forgets to free the block
		}
	}
	testUpload(printer{})
	fmt.Println(pool.CloseForce())
	// Output:
	// pool 1 of 1 (*quickstart.VertexPool): 3 blocks are live, LiveBytes 96
	// <nil>
}
