package nccl

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// UniqueID is what the ranks of a communicator have in common. One rank makes it, and the program sends it to the others: it is 128 bytes that mean nothing.
type UniqueID [128]byte

// NewUniqueID returns the identity of another communicator. The process has to live until all ranks have called [New].
func NewUniqueID() (UniqueID, error) {
	const op = "GetUniqueId"
	lib, err := library(op)
	if err != nil {
		return UniqueID{}, err
	}
	id, r := lib.GetUniqueID()
	if r != abi.NCCLSuccess {
		return UniqueID{}, failure(lib, r, op, noRank, "")
	}
	return UniqueID(id), nil
}

// Comm is a rank of a communicator.
type Comm struct {
	lib    abi.NCCL
	handle abi.Comm
	device cuda.Device
	rank   int
	ranks  int

	borrowed bool // it belongs to another binding

	uses  sync.RWMutex // held for reading during a call
	ended atomic.Bool  // closed or aborted

	pools attached
}

// New makes a rank of a communicator on a device, and waits for the other ranks, which is tenths of a second when all are there. Each rank has a device of its own; ranks
// of one process are goroutines. If ctx is done first, New returns its error; the thread that waits remains until the other ranks come, and the rank is then closed. Call
// it outside of [Group].
func New(ctx context.Context, id UniqueID, ranks, rank int, device cuda.Device) (*Comm, error) {
	const op = "CommInitRank"
	lib, err := library(op)
	switch {
	case err != nil:
		return nil, err
	case ranks < 1:
		return nil, refuse(op, noRank, "%d ranks: there is at least 1", ranks)
	case rank < 0 || rank >= ranks:
		return nil, refuse(op, rank, "ranks are numbered from 0 to %d", ranks-1)
	}
	c := &Comm{lib: lib, device: device, rank: rank, ranks: ranks}
	done := make(chan error, 1)
	go func() { done <- c.connect(id) }()
	select {
	case err := <-done:
		if err != nil {
			return nil, err
		}
		return c, nil
	case <-ctx.Done():
		go func() {
			if <-done == nil {
				_ = c.Close() // nobody else knows it
			}
		}()
		return nil, ctx.Err()
	}
}

// connect makes the rank.
func (c *Comm) connect(id UniqueID) error {
	return c.call("CommInitRank", func() (r abi.NCCLResult) {
		c.handle, r = c.lib.CommInitRank(c.ranks, abi.NCCLID(id), c.rank)
		return r
	})
}

// Adopt returns the rank that another binding made, by its address (ncclComm_t). That binding owns it: Close only ends what was attached.
func Adopt(pointer uintptr) (*Comm, error) {
	const op = "CommCount"
	lib, err := library(op)
	switch {
	case err != nil:
		return nil, err
	case pointer == 0:
		return nil, refuse(op, noRank, "the address is 0")
	}
	c := &Comm{lib: lib, handle: abi.Comm(pointer), borrowed: true}
	var device int
	for _, about := range []struct {
		op    string
		value *int
		get   func(abi.Comm) (int, abi.NCCLResult)
	}{{op, &c.ranks, lib.CommCount}, {"CommUserRank", &c.rank, lib.CommUserRank}, {"CommCuDevice", &device, lib.CommCuDevice}} {
		n, r := about.get(c.handle)
		if r != abi.NCCLSuccess {
			return nil, failure(lib, r, about.op, noRank, "")
		}
		*about.value = n
	}
	c.device = cuda.Device(device)
	return c, nil
}

// Rank returns the number of the rank, from 0.
func (c *Comm) Rank() int { return c.rank }

// Ranks returns the number of ranks.
func (c *Comm) Ranks() int { return c.ranks }

// Device returns the device of the rank.
func (c *Comm) Device() cuda.Device { return c.device }

// Handle returns the address of the rank (ncclComm_t), for use with other bindings.
func (c *Comm) Handle() uintptr { return uintptr(c.handle) }
