package poolvars_test

import (
	"expvar"
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	poolrt "github.com/poolgen/poolgen/runtime"
	_ "github.com/poolgen/poolgen/runtime/poolvars" // publishes the variable
)

// The variable lists the pools of the program.
func Example() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("published.Vertex"))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := pool.Alloc()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(expvar.Get("poolgen").String(), `"published.Vertex"`)) // served at /debug/vars
	fmt.Println(pool.Free(v), pool.Close())
	// Output:
	// true
	// <nil> <nil>
}
