package poolz_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	"github.com/poolgen/poolgen/runtime/poolz"
)

// A program with a mux of its own chooses the path of the page. The address is one that only those who run the program can reach.
func ExampleHandler() {
	mux := http.NewServeMux()
	mux.Handle("/pools/", poolz.Handler())
	server := httptest.NewServer(mux) // in a program: go http.ListenAndServe("localhost:6060", mux)
	defer server.Close()

	pool, err := quickstart.NewVertexPool()
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := pool.Alloc()
	if err != nil {
		fmt.Println(err)
		return
	}

	answer, err := http.Get(server.URL + "/pools/figures")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	var figures struct {
		Pools []struct {
			Name  string
			Stats struct{ Live int }
		}
	}
	err = json.NewDecoder(answer.Body).Decode(&figures)
	fmt.Println(figures.Pools, err)
	fmt.Println(pool.Free(v), pool.Close())
	// Output:
	// [{quickstart.Vertex {1}}] <nil>
	// <nil> <nil>
}
