//go:build cudasim

package allreduce

import (
	"errors"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/nccl"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// known is how much NCCL knows.
func known() int { return sim.Live()[sim.KindKnown] }

// NCCL knows the chunks that an attached pool has, whenever they came, until Detach.
func TestKnown(t *testing.T) {
	together(t, func(t *testing.T, w *Worker) {
		if w.Comm.Rank() == 1 {
			return
		}
		var blocks [3]GradientSpan
		for i := range blocks {
			var err error
			blocks[i], err = w.Pool.Alloc(3 << 20) // a chunk has room for one
			ok(t, err)
			if known() != i+1 {
				t.Errorf("NCCL knows %d chunks of %d", known(), i+1)
			}
		}
		ok(t, nccl.Detach(w.Pool, w.Comm))
		if known() != 0 {
			t.Errorf("NCCL knows %d chunks of a pool that is not attached", known())
		}
		ok(t, nccl.Attach(w.Pool, w.Comm))
		ok(t, nccl.Attach(w.Pool, w.Comm))
		if known() != 3 {
			t.Errorf("NCCL knows %d chunks of 3", known())
		}
		ok(t, w.Pool.Free(blocks[0]))
		w.Pool.Trim(0)
		if known() != 2 {
			t.Errorf("NCCL knows %d chunks of 2", known())
		}
		ok(t, w.Pool.Free(blocks[1]))
		ok(t, w.Pool.Free(blocks[2]))
	})
}

// A chunk has one handle, also one larger than the others: NCCL maps nothing else in other processes.
func TestOneHandle(t *testing.T) {
	together(t, func(t *testing.T, w *Worker) {
		if w.Comm.Rank() == 1 {
			return
		}
		for i := range 2 {
			g, err := w.Pool.Alloc(10 << 20)
			ok(t, err)
			if n := sim.Live()[sim.KindHandle]; n != 1 {
				t.Errorf("block %d, of 40 MiB, has memory of %d handles", i, n)
			}
			ok(t, w.Pool.Free(g))
			w.Pool.Trim(0)
		}
	})
}

// What NCCL refuses to know, the pool does not have: the request fails, and the next is as good as the first.
func TestRegistrationFails(t *testing.T) {
	together(t, func(t *testing.T, w *Worker) {
		if w.Comm.Rank() == 1 {
			return
		}
		sim.Fail("ncclCommRegister", 1, int(nccl.ResultInternalError))
		_, err := w.Pool.Alloc(1000)
		if e := new(nccl.Error); !errors.As(err, &e) || e.Code != nccl.ResultInternalError {
			t.Errorf("the request fails with %v", err)
		}
		if w.Pool.Stats().Reserved != 0 {
			t.Error("the pool has kept memory that NCCL does not know")
		}
		g, err := w.Pool.Alloc(1000)
		ok(t, err)
		ok(t, w.Pool.Free(g))
		sim.Fail("ncclCommDeregister", 1, int(nccl.ResultInternalError))
		if err := w.Comm.Close(); err == nil || known() != 1 {
			t.Errorf("a rank that could not deregister was closed: %v", err)
		}
		ok(t, w.Comm.Close())
		if err := nccl.Attach(w.Pool, w.Comm); !errors.Is(err, poolrt.ErrClosed) {
			t.Errorf("a closed rank is attached: %v", err)
		}
	})
}

// A pool of another device is refused. A rank that was aborted knows nothing, and the pool goes on.
func TestOtherDevice(t *testing.T) {
	together(t, func(t *testing.T, w *Worker) {
		other, err := NewGradientPool(poolrt.OnDevice(int(1 - w.Comm.Device())))
		ok(t, err)
		g, err := other.Alloc(1)
		ok(t, err)
		if err := nccl.Attach(other, w.Comm); err == nil || !strings.Contains(err.Error(), "the pool is on device") {
			t.Errorf("a pool of device %d is attached: %v", 1-w.Comm.Device(), err)
		}
		ok(t, other.Free(g))
		ok(t, other.Close())
	})
	machine(t)
	id, err := nccl.NewUniqueID()
	ok(t, err)
	w, err := Join(t.Context(), id, 1, 0, cuda.Device(0))
	ok(t, err)
	g, err := w.Pool.Alloc(1)
	ok(t, err)
	ok(t, w.Comm.Abort())
	ok(t, w.Pool.Free(g))
	g, err = w.Pool.Alloc(100 << 20 / 4)
	ok(t, err)
	ok(t, w.Pool.Free(g))
	ok(t, w.Close())
}
