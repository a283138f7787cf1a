//go:build cudasim

package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/nccl"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// The ranks of a transfer have to call the same: what differs is reported, and no rank waits for ever.
func TestRanksDiffer(t *testing.T) {
	for name, call := range map[string]func(r *rank) error{
		"count": func(r *rank) error { return r.AllReduce(r.dst, r.src, 1+r.Rank(), nccl.Int8, nccl.Sum, r.s) },
		"type": func(r *rank) error {
			return r.AllReduce(r.dst, r.src, 1, nccl.Type(r.Rank()), nccl.Sum, r.s)
		},
		"op":   func(r *rank) error { return r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Op(r.Rank()), r.s) },
		"root": func(r *rank) error { return r.Broadcast(r.dst, r.src, 1, nccl.Int8, r.Rank(), r.s) },
		"order": func(r *rank) error {
			if r.Rank() == 0 {
				return r.AllGather(r.dst, r.src, 1, nccl.Int8, r.s)
			}
			return r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Sum, r.s)
		},
	} {
		machine(t, 2, sim.Config{}, func(r *rank) {
			must(t, call(r))
			must(t, r.s.Synchronize())
			if err := r.AsyncError(); err == nil || !strings.Contains(err.Error(), "invalid usage") {
				t.Errorf("%s: rank %d learns of %v", name, r.Rank(), err)
			}
		})
		if found := sim.Findings(); len(found) != 1 || !strings.Contains(found[0], "ranks differ") {
			t.Errorf("%s: found %q", name, found)
		}
	}
}

// Two ranks that send first and receive then, without a group, wait for each other.
func TestWithoutGroup(t *testing.T) {
	machine(t, 2, sim.Config{}, func(r *rank) {
		must(t, r.Send(r.src, 1, nccl.Int8, 1-r.Rank(), r.s))
		must(t, r.Recv(r.dst, 1, nccl.Int8, 1-r.Rank(), r.s))
		must(t, r.s.Synchronize())
	})
	if found := sim.Findings(); len(found) != 1 || !strings.Contains(found[0], "into one group") {
		t.Errorf("found %q", found)
	}
}

// A transfer that never ends is ended by Abort, of which the other ranks learn.
func TestAbort(t *testing.T) {
	var aborted sync.WaitGroup
	aborted.Add(1)
	machine(t, 2, sim.Config{}, func(r *rank) {
		if r.Rank() == 0 {
			sim.StallTransfer(1)
			must(t, r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Sum, r.s))
			must(t, r.Abort())
			must(t, r.Abort())
			aborted.Done()
			if err := r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Sum, r.s); !errors.Is(err, poolrt.ErrClosed) {
				t.Errorf("an aborted rank returns %v", err)
			}
			return
		}
		aborted.Wait()
		if err := r.AsyncError(); err == nil || err.(*nccl.Error).Code != nccl.ResultRemoteError {
			t.Errorf("rank 1 learns of %v", err)
		}
	})
	noFindings(t)
}

// Wrong arguments are refused before NCCL has them, with what is wrong.
func TestRefused(t *testing.T) {
	machine(t, 2, sim.Config{}, func(r *rank) {
		other, err := cuda.Device(1 - r.Rank()).DefaultStream()
		must(t, err)
		for want, err := range map[string]error{
			"-1 items":             r.AllReduce(r.dst, r.src, -1, nccl.Int8, nccl.Sum, r.s),
			"no type 10":           r.AllGather(r.dst, r.src, 1, 10, r.s),
			"no operation -1":      r.ReduceScatter(r.dst, r.src, 1, nccl.Int8, -1, r.s),
			"no rank 2":            r.Send(r.src, 1, nccl.Int8, 2, r.s),
			"no rank -1":           r.Broadcast(r.dst, r.src, 1, nccl.Int8, -1, r.s),
			"the stream is of":     r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Sum, other),
			"at least 1":           newError(0, 0),
			"numbered from 0 to 1": newError(2, 2),
			"the address is 0":     second(nccl.Adopt(0)),
		} {
			if e := new(nccl.Error); !errors.As(err, &e) || e.Code != nccl.ResultInvalidArgument || !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
	})
	noFindings(t)
}

func newError(ranks, rank int) error {
	return second(nccl.New(context.Background(), nccl.UniqueID{}, ranks, rank, 0))
}

func second[T any](_ T, err error) error { return err }

// A rank waits for the others as long as its context says. When they come later, it is closed.
func TestNewIsCancelled(t *testing.T) {
	sim.Reset(sim.Config{})
	id, err := nccl.NewUniqueID()
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := nccl.New(ctx, id, 2, 0, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for sim.Live()[sim.KindComm] == 0 {
		time.Sleep(time.Millisecond)
	}
	c, err := nccl.New(context.Background(), id, 2, 1, 1)
	must(t, err)
	must(t, c.Close())
	for sim.Live()[sim.KindComm] != 0 {
		time.Sleep(time.Millisecond)
	}
}

// An adopted rank says what it is, works, and stays when it is closed.
func TestAdopt(t *testing.T) {
	machine(t, 2, sim.Config{}, func(r *rank) {
		a, err := nccl.Adopt(r.Handle())
		must(t, err)
		if a.Rank() != r.Rank() || a.Ranks() != 2 || a.Device() != r.Device() {
			t.Errorf("adopted rank %d of %d on device %d", a.Rank(), a.Ranks(), a.Device())
		}
		if err := a.Abort(); err == nil || !strings.Contains(err.Error(), "another binding") {
			t.Errorf("Abort of another binding's rank: %v", err)
		}
		must(t, a.Close())
		must(t, r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Sum, r.s))
	})
	noFindings(t)
}

// What the library refuses is an error that says which call and why, and the thread has its context back.
func TestFaults(t *testing.T) {
	machine(t, 1, sim.Config{}, func(r *rank) {
		for function, call := range map[string]func() error{
			"ncclAllReduce":         func() error { return r.AllReduce(r.dst, r.src, 1, nccl.Int8, nccl.Sum, r.s) },
			"ncclCommGetAsyncError": r.AsyncError,
			"ncclGroupStart":        func() error { return nccl.Group(func() error { return nil }) },
			"ncclGroupEnd":          func() error { return nccl.Group(func() error { return nil }) },
			"ncclGetUniqueId":       func() error { return second(nccl.NewUniqueID()) },
			"ncclGetVersion":        func() error { return second(nccl.Version()) },
			"ncclCommCount":         func() error { return second(nccl.Adopt(r.Handle())) },
		} {
			sim.Fail(function, 1, 2)
			want := fmt.Sprintf("nccl: %s", strings.TrimPrefix(function, "nccl"))
			if err := call(); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "unhandled system error") {
				t.Errorf("%s fails with %v", function, err)
			}
			must(t, call())
		}
	})
	noFindings(t)
	if v, err := nccl.Version(); v != "2.28.9" || err != nil || nccl.LibraryPath() != "simulator" {
		t.Errorf("version %q at %q, %v", v, nccl.LibraryPath(), err)
	}
}
