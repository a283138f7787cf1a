package cuda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// AfterStreams makes Sleep of a pool wait for the work of these streams, in place of all work of its devices. No other stream may be using the pool.
func AfterStreams(streams ...Stream) poolrt.SleepOption {
	keys := make([]poolimpl.Stream, len(streams))
	for i, s := range streams {
		keys[i] = s.Key()
	}
	return poolimpl.AfterStreams(keys)
}

// sleeper is the poolimpl.Sleeper of a pool with pages. It copies on the stream for the pools' own work.
type sleeper struct {
	mapped
	line    *timeline
	parts   [][]byte     // page-locked memory of the host, in the order in which it is filled
	backing atomic.Int64 // bytes of the parts
	used    int64        // bytes of all parts together that are filled
	saved   []savedPart  // by address
	of      uint64       // simulated machine of the memory
}

// savedPart is memory of the device that was copied to a part.
type savedPart struct {
	addr abi.Ptr
	to   []byte
}

// backingPart is the size of a part, except the last that a sleep obtains. To page-lock one takes the driver some tens of milliseconds.
const backingPart = 64 << 20

func newSleeper(m mapped) *sleeper { return &sleeper{mapped: m, line: m.timeline()} }

// Await waits for streams, or for all work on the devices that may use the pages.
func (s *sleeper) Await(streams []poolimpl.Stream) error {
	if captures.under.Load() != 0 {
		return fmt.Errorf("%w: a stream is being captured, and a wait would end the capture", poolrt.ErrUnsupported)
	}
	if streams != nil {
		return s.awaitStreams(streams)
	}
	for _, d := range s.peers { // the pool's own device is one of them
		drv, ctx, err := Device(d).table()
		if err == nil {
			err = check(drv.CtxSynchronize(ctx), "CtxSynchronize", Device(d), 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *sleeper) awaitStreams(streams []poolimpl.Stream) error {
	for _, one := range streams {
		at, err := s.line.of(one)
		if err == nil {
			err = check(at.drv.StreamSynchronize(at.ctx, abi.Stream(one.Handle)), "StreamSynchronize", at.dev, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Reserve forgets what was saved, and obtains what the parts lack.
func (s *sleeper) Reserve(ctx context.Context, bytes int64) error {
	s.renew()
	s.used, s.saved = 0, nil
	for have := s.backing.Load(); have < bytes; have = s.backing.Load() {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(backingPart, bytes-have)
		p, r := s.drv.MemHostAlloc(s.ctx, uint64(n), abi.HostPortable)
		if err := check(r, "MemHostAlloc", s.dev, n); err != nil {
			return err
		}
		s.parts = append(s.parts, unsafe.Slice((*byte)(p), n))
		s.backing.Add(n)
	}
	return nil
}

// Save copies pages to the parts, behind what is filled.
func (s *sleeper) Save(x poolimpl.Extent) error {
	for at := abi.Ptr(x.Addr); x.Size > 0; {
		to := s.room(x.Size)
		err := s.onOwn(func(h abi.Stream) error { return s.fetch(h, to, uint64(at)) })
		if err != nil {
			return err
		}
		s.used += int64(len(to))
		s.saved = slices.Insert(s.saved, s.first(at), savedPart{at, to})
		at, x.Size = at+abi.Ptr(len(to)), x.Size-uint64(len(to))
	}
	return nil
}

// room returns the rest of the part that is being filled, up to n bytes.
func (s *sleeper) room(n uint64) []byte {
	before := s.used
	for _, p := range s.parts {
		if before < int64(len(p)) {
			return p[before:][:min(n, uint64(len(p))-uint64(before))]
		}
		before -= int64(len(p))
	}
	return nil // not reached: Reserve has made room
}

// Saved waits for all copies.
func (s *sleeper) Saved() error { return s.onOwn(s.line.wait) }

// first returns the index of the first saved part that does not end before an address.
func (s *sleeper) first(at abi.Ptr) int {
	i, _ := slices.BinarySearchFunc(s.saved, at, func(p savedPart, at abi.Ptr) int { return cmp.Compare(p.end(), at+1) })
	return i
}

// Restore copies the saved parts of pages back.
func (s *sleeper) Restore(x poolimpl.Extent) error {
	from, to := abi.Ptr(x.Addr), abi.Ptr(x.Addr+x.Size)
	for _, p := range s.saved[s.first(from):] {
		if p.addr >= to {
			break
		}
		at := max(p.addr, from)
		src := p.to[at-p.addr : min(p.end(), to)-p.addr]
		err := s.onOwn(func(h abi.Stream) error {
			return check(s.drv.MemcpyHtoDAsync(s.ctx, at, bytesAt(src), uint64(len(src)), h), "MemcpyHtoDAsync", s.dev, int64(len(src)))
		})
		if err != nil {
			return err
		}
		x.Size -= uint64(len(src))
	}
	if x.Size > 0 {
		return fmt.Errorf("%d bytes of the pages at %#x were not saved", x.Size, x.Addr)
	}
	return nil
}

// Restored waits for all copies.
func (s *sleeper) Restored() error { return s.onOwn(s.line.wait) }

// onOwn calls f with the stream for the pools' own work. The checker of hazards, which knows which blocks the program holds, overlooks that work.
func (s *sleeper) onOwn(f func(abi.Stream) error) error {
	return s.line.onOwn(func(h abi.Stream) error {
		defer s.overlooked(h)()
		return f(h)
	})
}

// Drop frees the parts, except those with contents of some pages.
func (s *sleeper) Drop(except []poolimpl.Extent) error {
	s.renew()
	if len(except) == 0 {
		s.used, s.saved = 0, nil
	}
	needed := map[*byte]bool{}
	for _, p := range s.saved {
		if p.overlaps(except) {
			needed[s.partOf(p)] = true
		}
	}
	var left [][]byte
	var errs []error
	for _, part := range s.parts {
		if needed[&part[0]] {
			left = append(left, part)
			continue
		}
		if err := check(s.drv.MemFreeHost(s.ctx, unsafe.Pointer(&part[0])), "MemFreeHost", s.dev, int64(len(part))); err != nil {
			errs, left = append(errs, err), append(left, part)
			continue
		}
		s.backing.Add(-int64(len(part)))
		s.saved = slices.DeleteFunc(s.saved, func(p savedPart) bool { return within(p.to, part) })
	}
	s.parts = left
	return errors.Join(errs...)
}

// partOf returns the start of the part that something was saved in.
func (s *sleeper) partOf(p savedPart) *byte {
	at := slices.IndexFunc(s.parts, func(part []byte) bool { return within(p.to, part) })
	return &s.parts[at][0]
}

// within reports whether memory begins in a part.
func within(b, part []byte) bool {
	return uintptr(unsafe.Pointer(&b[0]))-uintptr(unsafe.Pointer(&part[0])) < uintptr(len(part))
}

func (p savedPart) end() abi.Ptr { return p.addr + abi.Ptr(len(p.to)) }

// overlaps reports whether some of the pages were saved here.
func (p savedPart) overlaps(pages []poolimpl.Extent) bool {
	return slices.ContainsFunc(pages, func(x poolimpl.Extent) bool {
		return abi.Ptr(x.Addr) < p.end() && p.addr < abi.Ptr(x.Addr+x.Size)
	})
}

// Backing returns the bytes of the parts.
func (s *sleeper) Backing() int64 { return s.backing.Load() }

// renew forgets memory of an earlier simulated machine, with which it has gone.
func (s *sleeper) renew() {
	if machine := s.simulated(); machine != s.of {
		s.of, s.parts, s.used, s.saved = machine, nil, 0, nil
		s.backing.Store(0)
	}
}

// close frees all parts when the pool is closed.
func (s *sleeper) close() error { return s.Drop(nil) }
