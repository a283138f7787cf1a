package poolrt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/generated_examples/quickstart"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// A program makes a pool of its own with options, uses it, and closes it.
func Example() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("editor.Vertex"), poolrt.WithLimit(16<<20))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := pool.Alloc()
	if err != nil {
		fmt.Println(err)
		return
	}
	v.Position = [3]float32{1, 2, 3}
	fmt.Println(pool.Stats().Live, "block, limit", pool.Stats().Limit)
	fmt.Println(pool.Free(v))
	fmt.Println(errors.Is(pool.Free(v), poolrt.ErrDoubleFree), pool.Close())
	// Output:
	// 1 block, limit 16777216
	// <nil>
	// true <nil>
}

// An option sets a limit up to max_limit of the pool file. This pool file has none, so the largest limit is its own, 64 MiB.
func ExampleWithLimit() {
	pool, err := quickstart.NewVertexPool(poolrt.WithLimit(8 << 20))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pool.Stats().Limit, pool.Close())

	_, err = quickstart.NewVertexPool(poolrt.WithLimit(1 << 30))
	fmt.Println(errors.Is(err, poolrt.ErrBadSize))
	// Output:
	// 8388608 <nil>
	// true
}

// A group closes pools of any packages, the last one first. A pool with a live block stays open, and CloseAll says so; it can be repeated.
func ExampleNewGroup() {
	a, err := quickstart.NewVertexPool(poolrt.WithName("a"))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := quickstart.NewVertexPool(poolrt.WithName("b"))
	if err != nil {
		fmt.Println(err)
		return
	}
	group := poolrt.NewGroup("editor", a, b)
	v, err := b.Alloc()
	fmt.Println(err, errors.Is(group.CloseAll(), poolrt.ErrLive))
	fmt.Println(b.Free(v), group.CloseAll())
	// Output:
	// <nil> true
	// <nil> <nil>
}

// Pools trimmed together keep a number of bytes in all, whichever has them.
func ExampleGroup_TrimAll() {
	a, err := quickstart.NewVertexPool(poolrt.WithPrime(16 << 20))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := quickstart.NewVertexPool(poolrt.WithPrime(16 << 20))
	if err != nil {
		fmt.Println(err)
		return
	}
	group := poolrt.NewGroup("editor", a, b)
	released, err := group.TrimAll(24 << 20)
	fmt.Println(released>>20, "MiB released;", a.Stats().Reserved>>20, "and", b.Stats().Reserved>>20, "MiB kept;", err)
	fmt.Println(group.CloseAll())
	// Output:
	// 8 MiB released; 8 and 16 MiB kept; <nil>
	// <nil>
}

// The error of a failed allocation matches one reason, and Explain describes the failure for people.
func ExampleExplain() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("small.Vertex"), poolrt.WithLimit(64<<10))
	if err != nil {
		fmt.Println(err)
		return
	}
	for err == nil {
		_, err = pool.Alloc()
	}
	fmt.Println(errors.Is(err, poolrt.ErrLimit), pool.CloseForce())
	for sentence := range strings.SplitSeq(poolrt.Explain(err), ". ") {
		if !strings.HasPrefix(sentence, "Most is held by") { // only with the tags pooldebug and pooltrace
			fmt.Println(sentence)
		}
	}
	// Output:
	// true <nil>
	// Pool small.Vertex could not allocate 32 bytes: limit reached
	// It holds 65536 bytes of a limit of 65536 in 1 chunk: 65536 live in 2048 blocks, 0 free, the largest range 0
	// It would have fitted with a limit of 69632, which leaves room for another chunk of 4096 (SetLimit sets it); or with the rung wait, if other goroutines free blocks soon.
}

// A PoolError has the figures of the moment when a call failed, for programs that act on them.
func ExamplePoolError() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("small.Vertex"), poolrt.WithLimit(64<<10))
	if err != nil {
		fmt.Println(err)
		return
	}
	for err == nil {
		_, err = pool.Alloc()
	}
	var failed *poolrt.PoolError
	if errors.As(err, &failed) {
		fmt.Println(failed.Pool, failed.Op, "of", failed.Request, "bytes:", failed.Err)
		fmt.Println(failed.Live, "bytes are live, the limit is", failed.Limit)
	}
	fmt.Println(pool.CloseForce())
	// Output:
	// small.Vertex alloc of 32 bytes: limit reached
	// 65536 bytes are live, the limit is 65536
	// <nil>
}

// As JSON, a PoolError fits structured logs.
func ExamplePoolError_MarshalJSON() {
	pool, err := quickstart.NewVertexPool(poolrt.WithName("small.Vertex"))
	if err != nil {
		fmt.Println(err)
		return
	}
	err = pool.Free(nil)
	var failed *poolrt.PoolError
	if errors.As(err, &failed) {
		text, err := json.MarshalIndent(failed, "", "  ")
		fmt.Println(string(text), err)
	}
	fmt.Println(pool.Close())
	// Output:
	// {
	//   "pool": "small.Vertex",
	//   "op": "free",
	//   "error": "not a block of this pool",
	//   "detail": "a nil pointer",
	//   "unit": "bytes",
	//   "live": 0,
	//   "reserved": 0,
	//   "limit": 67108864,
	//   "largest_free": 0,
	//   "text": "poolgen: small.Vertex: free: not a block of this pool: a nil pointer (live 0, reserved 0, limit 67108864, largest free range 0)"
	// } <nil>
	// <nil>
}

// A function of the program is called for each event of all pools.
func ExampleOnEvent() {
	stop := poolrt.OnEvent(func(e poolrt.Event) {
		if e.Pool == "heard.Vertex" {
			fmt.Println(e.Kind, e.Bytes)
		}
	})
	defer stop()
	pool, err := quickstart.NewVertexPool(poolrt.WithName("heard.Vertex"))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := pool.Alloc() // obtains a chunk, which Close returns
	fmt.Println(err)
	fmt.Println(pool.Free(v), pool.Close())
	// Output:
	// growth 8388608
	// <nil>
	// trim 8388608
	// <nil> <nil>
}
