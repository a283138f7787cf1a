//go:build pooldebug

package debugging

import (
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/forms"
)

func TestLeaksAtClose(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		for range 3 {
			p.Take(t)
		}
		one := p.Take(t)
		tells(t, is(t, p.Close(), poolrt.ErrLive), "4 blocks are live", "3 blocks with 120 bytes in all", "1 block with 40 bytes in all", "Pool.Take", "ago by goroutine")
		leaks := p.Leaks()
		if len(leaks) != 2 || leaks[0].Count != 3 || leaks[0].Bytes != 120 {
			t.Fatalf("%+v", leaks)
		}
		if err := p.Free(one); err != nil || len(p.Leaks()) != 1 {
			t.Errorf("%v, %d left", err, len(p.Leaks()))
		}
	})
}

func TestLeaksByForce(t *testing.T) {
	p := new(pools.HeapPool)
	if _, err := p.Alloc(size); err != nil {
		t.Fatal(err)
	}
	var report error
	defer poolrt.OnEvent(func(e poolrt.Event) {
		if e.Kind == poolrt.EventLeak {
			report = e.Err
		}
	})()
	fatal.If(t, p.CloseForce())
	tells(t, is(t, report, poolrt.ErrLive), "1 block is live", "TestLeaksByForce")
}

// The error of an allocation that fails names the calls that hold the most.
func TestSitesOfAFailure(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		var held [][]byte
		for {
			b, err := p.Alloc()
			if err == nil {
				held = append(held, b)
				continue
			}
			var e *poolrt.PoolError
			if !errors.As(err, &e) || len(e.Sites) != 1 || e.Sites[0].Count != int64(len(held)) || e.Sites[0].Bytes != size*e.Sites[0].Count {
				t.Fatalf("%d blocks are held by one call; the error says %+v", len(held), e.Sites)
			}
			tells(t, poolrt.Explain(err), "Most is held by ", "forms.go")
			break
		}
		for _, b := range held {
			fatal.If(t, p.Free(b))
		}
	})
}
