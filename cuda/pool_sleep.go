package cuda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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
	backing backing
	copies  [2]underway // in turns
	nth     int         // number of copies so far
	used    int64       // bytes of the backing's parts that are filled
	saved   []savedPart // by address
}

// savedPart is memory of the device that was copied to the backing.
type savedPart struct {
	addr abi.Ptr
	to   []byte
}

func newSleeper(m mapped, pool string, p *poolimpl.SleepPolicy) *sleeper {
	return &sleeper{mapped: m, line: m.timeline(), backing: backing{site: m.site, pool: pool, policy: p}}
}

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

// Reserve forgets what was saved, and obtains what the backing lacks.
func (s *sleeper) Reserve(ctx context.Context, bytes int64) error {
	s.renew()
	s.used, s.saved = 0, nil
	return s.backing.reserve(ctx, bytes)
}

// Save copies a batch to the backing, behind what is filled.
func (s *sleeper) Save(x poolimpl.Extent) error {
	pieces := s.backing.room(s.used, x.Size)
	return s.inTurn(func(h abi.Stream, c *underway, buffer []byte) error {
		at := abi.Ptr(x.Addr)
		for _, p := range pieces {
			s.used += int64(len(p))
			s.saved = slices.Insert(s.saved, s.first(at), savedPart{at, p})
			at += abi.Ptr(len(p))
		}
		if buffer != nil {
			c.pieces = pieces
			return s.fetch(h, buffer[:x.Size], x.Addr)
		}
		at = abi.Ptr(x.Addr)
		for _, p := range pieces {
			if err := s.fetch(h, p, uint64(at)); err != nil {
				return err
			}
			at += abi.Ptr(len(p))
		}
		return nil
	})
}

// first returns the index of the first saved part that does not end before an address.
func (s *sleeper) first(at abi.Ptr) int {
	i, _ := slices.BinarySearchFunc(s.saved, at, func(p savedPart, at abi.Ptr) int { return cmp.Compare(p.end(), at+1) })
	return i
}

// Restore copies the saved parts of a batch back.
func (s *sleeper) Restore(x poolimpl.Extent) error {
	pieces, err := s.savedOf(x)
	if err != nil {
		return err
	}
	return s.inTurn(func(h abi.Stream, _ *underway, buffer []byte) error {
		if buffer != nil {
			gather(buffer, pieces)
			pieces = [][]byte{buffer[:x.Size]}
		}
		at := abi.Ptr(x.Addr)
		for _, p := range pieces {
			if err := check(s.drv.MemcpyHtoDAsync(s.ctx, at, bytesAt(p), uint64(len(p)), h), "MemcpyHtoDAsync", s.dev, int64(len(p))); err != nil {
				return err
			}
			at += abi.Ptr(len(p))
		}
		return nil
	})
}

// savedOf returns where memory was saved.
func (s *sleeper) savedOf(x poolimpl.Extent) (pieces [][]byte, err error) {
	at, to := abi.Ptr(x.Addr), abi.Ptr(x.Addr+x.Size)
	for _, p := range s.saved[s.first(at):] {
		if p.addr > at || at == to {
			break
		}
		pieces = append(pieces, p.to[at-p.addr:min(p.end(), to)-p.addr])
		at = min(p.end(), to)
	}
	if at < to {
		return nil, fmt.Errorf("%d bytes of the pages at %#x were not saved", to-at, x.Addr)
	}
	return pieces, nil
}

// Drop frees the backing, except what has contents of some pages.
func (s *sleeper) Drop(except []poolimpl.Extent) (err error) {
	s.renew()
	s.saved = slices.DeleteFunc(s.saved, func(p savedPart) bool { return !p.overlaps(except) })
	if len(s.saved) == 0 {
		s.used = 0
	}
	b := &s.backing
	b.parts, err = b.giveAll(b.parts, func(x hostPart) bool {
		return slices.ContainsFunc(s.saved, func(p savedPart) bool { return within(p.to, x.bytes()) })
	})
	var failed error
	b.buffers, failed = b.giveAll(b.buffers, func(hostPart) bool { return len(s.saved) > 0 })
	return errors.Join(err, failed)
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

// Backing returns the bytes of the backing.
func (s *sleeper) Backing() int64 { return s.backing.size.Load() }

// renew forgets what was saved of an earlier simulated machine.
func (s *sleeper) renew() {
	if s.backing.renew() {
		s.copies, s.used, s.saved = [2]underway{}, 0, nil
	}
}

// close frees the backing when the pool is closed.
func (s *sleeper) close() error { return s.Drop(nil) }
