package nccl

import (
	"errors"
	"runtime"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// Type is the type of the items that are exchanged.
type Type int32

// The types.
const (
	Int8 Type = iota
	Uint8
	Int32
	Uint32
	Int64
	Uint64
	Float16
	Float32
	Float64
	BFloat16
)

// Op is how items are combined.
type Op int32

// The operations.
const (
	Sum Op = iota
	Prod
	Max
	Min
	Avg // the sum divided by the number of ranks
)

// AllReduce combines the n items at src of all ranks, and gives each the result at dst, which may be src. Like all transfers it is work of a stream of the rank's device, and
// memory is on that device: for a span of a pool, pass span.Addr(), and as n span.Len() times the numbers in an item. Each rank calls it with the same n, type and
// operation, in the same order among the collectives of the communicator.
func (c *Comm) AllReduce(dst, src cuda.DevicePtr, n int, t Type, op Op, s cuda.Stream) error {
	return c.transfer("AllReduce", n, s, abi.Transfer{Kind: abi.AllReduce, Send: abi.Ptr(src), Recv: abi.Ptr(dst), Type: int32(t), Op: int32(op)})
}

// AllGather gives each rank the n items at src of all ranks, at dst in the order of the ranks. src may be the rank's part of dst.
func (c *Comm) AllGather(dst, src cuda.DevicePtr, n int, t Type, s cuda.Stream) error {
	return c.transfer("AllGather", n, s, abi.Transfer{Kind: abi.AllGather, Send: abi.Ptr(src), Recv: abi.Ptr(dst), Type: int32(t)})
}

// ReduceScatter combines the items at src of all ranks, n times the number of ranks, and gives each rank its n of the result, at dst. dst may be the rank's part of src.
func (c *Comm) ReduceScatter(dst, src cuda.DevicePtr, n int, t Type, op Op, s cuda.Stream) error {
	return c.transfer("ReduceScatter", n, s, abi.Transfer{Kind: abi.ReduceScatter, Send: abi.Ptr(src), Recv: abi.Ptr(dst), Type: int32(t), Op: int32(op)})
}

// Broadcast gives each rank the n items at src of the rank root, at dst. The src of other ranks is ignored.
func (c *Comm) Broadcast(dst, src cuda.DevicePtr, n int, t Type, root int, s cuda.Stream) error {
	return c.transferWith("Broadcast", root, n, s, abi.Transfer{Kind: abi.Broadcast, Send: abi.Ptr(src), Recv: abi.Ptr(dst), Type: int32(t)})
}

// Send sends n items to a rank, which calls [Comm.Recv] for them. Calls that need each other, as when two ranks exchange items, belong into one [Group].
func (c *Comm) Send(src cuda.DevicePtr, n int, t Type, to int, s cuda.Stream) error {
	return c.transferWith("Send", to, n, s, abi.Transfer{Kind: abi.Send, Send: abi.Ptr(src), Type: int32(t)})
}

// Recv receives n items from a rank, which calls [Comm.Send].
func (c *Comm) Recv(dst cuda.DevicePtr, n int, t Type, from int, s cuda.Stream) error {
	return c.transferWith("Recv", from, n, s, abi.Transfer{Kind: abi.Recv, Recv: abi.Ptr(dst), Type: int32(t)})
}

// transferWith is transfer with another rank.
func (c *Comm) transferWith(op string, peer, n int, s cuda.Stream, t abi.Transfer) error {
	if peer < 0 || peer >= c.ranks {
		return refuse(op, c.rank, "there is no rank %d: ranks are numbered from 0 to %d", peer, c.ranks-1)
	}
	t.Peer = int32(peer)
	return c.transfer(op, n, s, t)
}

// transfer checks what NCCL takes on trust, and calls it.
func (c *Comm) transfer(op string, n int, s cuda.Stream, t abi.Transfer) error {
	switch {
	case n < 0:
		return refuse(op, c.rank, "%d items", n)
	case uint(t.Type) >= uint(len(abi.NCCLTypes)):
		return refuse(op, c.rank, "there is no type %d", t.Type)
	case uint(t.Op) >= abi.NCCLOps:
		return refuse(op, c.rank, "there is no operation %d", t.Op)
	case s.Device() != c.device:
		return refuse(op, c.rank, "the stream is of device %d, the rank of device %d", s.Device(), c.device)
	}
	t.Count, t.Comm, t.Stream = uint64(n), c.handle, abi.Stream(s.Handle())
	ctx, err := c.device.PrimaryContext()
	if err != nil {
		return err
	}
	return c.unlessEnded(op, func() error { return c.result(c.lib.Transfer(abi.Context(ctx), &t), op) })
}

// Group makes the calls in f one: NCCL begins their work together when f has returned, and only then do streams have it. It is needed where calls wait for each other: when
// one goroutine calls for several ranks, and when ranks send to each other. f stays on its goroutine. If f returns an error, what it called before is begun nevertheless.
func Group(f func() error) (err error) {
	lib, err := library("GroupStart")
	if err != nil {
		return err
	}
	runtime.LockOSThread() // a group belongs to a thread
	defer runtime.UnlockOSThread()
	driver := driver.Table()
	if before, r := driver.CtxGetCurrent(); r == abi.Success {
		defer driver.CtxSetCurrent(before) // the end of a group leaves another one current
	}
	if r := lib.GroupStart(); r != abi.NCCLSuccess {
		return failure(lib, r, "GroupStart", noRank, "")
	}
	defer func() {
		if r := lib.GroupEnd(); r != abi.NCCLSuccess {
			err = errors.Join(err, failure(lib, r, "GroupEnd", noRank, ""))
		}
	}()
	return f()
}
