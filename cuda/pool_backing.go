package cuda

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// backing is memory of the host for the contents of pages asleep. It is mapped in huge pages where the system has them, touched by several goroutines, and then
// page-locked: that is several times as fast as memory that the driver allocates, which it clears on one thread.
type backing struct {
	site
	pool    string // its name
	policy  *poolimpl.SleepPolicy
	parts   []hostPart   // in the order in which they are filled
	buffers []hostPart   // page-locked, of a batch each; with backing staged, two or none
	size    atomic.Int64 // bytes of all of them
	of      uint64       // simulated machine that the memory is page-locked for
}

// hostPart is one mapping.
type hostPart struct {
	poolimpl.Chunk
	locked bool
}

// backingPart is the size of a part, except the last that a sleep obtains: some milliseconds' worth.
const backingPart = 64 << 20

// hugePage is the size of a huge page of most processors.
const hugePage = 2 << 20

// bytes returns the memory of a part.
func (p hostPart) bytes() []byte { return unsafe.Slice((*byte)(p.Ptr), p.Size) }

// reserve obtains what the parts and the buffers lack for so many bytes. What it has obtained when it fails stays.
func (b *backing) reserve(ctx context.Context, bytes int64) error {
	lacking := b.lacking(bytes)
	unused := int64(0)
	for _, n := range lacking {
		unused += n
	}
	if err := b.policy.Claim(b.pool, unused); err != nil {
		return err
	}
	defer func() { b.policy.Return(unused) }()
	for _, n := range lacking {
		if err := ctx.Err(); err != nil {
			return err
		}
		buffer := b.policy.Staged && len(b.buffers) < 2
		p, err := b.obtain(n, buffer || !b.policy.Staged)
		if err != nil {
			return err
		}
		if buffer {
			b.buffers = append(b.buffers, p)
		} else {
			b.parts = append(b.parts, p)
		}
		unused -= n
		b.size.Add(n)
	}
	return nil
}

// lacking lists the sizes of the buffers and the parts that have to be obtained for so many bytes.
func (b *backing) lacking(bytes int64) (sizes []int64) {
	if b.policy.Staged && bytes > 0 {
		for range 2 - len(b.buffers) {
			sizes = append(sizes, b.policy.BatchBytes())
		}
	}
	for _, p := range b.parts {
		bytes -= p.Size
	}
	for ; bytes > 0; bytes -= backingPart {
		sizes = append(sizes, min(backingPart, bytes))
	}
	return sizes
}

// obtain maps memory, and page-locks it if that is wanted.
func (b *backing) obtain(n int64, locked bool) (hostPart, error) {
	c, err := poolimpl.Host().Alloc(n, hugePage)
	if err != nil {
		return hostPart{}, err
	}
	p := hostPart{c, locked}
	advise(p.bytes())
	inParallel(int(n), func(from, to int) {
		for memory := p.bytes()[from:to]; len(memory) > 0; memory = memory[min(smallPage, len(memory)):] {
			memory[0] = 0
		}
	})
	if !locked {
		return p, nil
	}
	if err := check(b.drv.MemHostRegister(b.ctx, c.Ptr, uint64(n), abi.HostPortable), "MemHostRegister", b.dev, n); err != nil {
		return hostPart{}, errors.Join(err, poolimpl.Host().Free(c))
	}
	return p, nil
}

// smallPage is the size of the smallest page of memory.
const smallPage = 4 << 10

// give returns a part. After an error the part stays, and can be given again.
func (b *backing) give(p *hostPart) error {
	if p.locked {
		if err := check(b.drv.MemHostUnregister(b.ctx, p.Ptr), "MemHostUnregister", b.dev, p.Size); err != nil {
			return err
		}
		p.locked = false
	}
	if err := poolimpl.Host().Free(p.Chunk); err != nil {
		return err
	}
	b.size.Add(-p.Size)
	b.policy.Return(p.Size)
	return nil
}

// giveAll returns the parts of a list that are not kept, and what remains.
func (b *backing) giveAll(list []hostPart, kept func(hostPart) bool) (left []hostPart, err error) {
	var errs []error
	for _, p := range list {
		if kept(p) {
			left = append(left, p)
		} else if err := b.give(&p); err != nil {
			errs, left = append(errs, err), append(left, p)
		}
	}
	return left, errors.Join(errs...)
}

// renew gives memory back that was page-locked for an earlier simulated machine, and reports whether it was.
func (b *backing) renew() bool {
	machine := b.simulated()
	if machine == b.of {
		return false
	}
	b.of = machine
	for _, p := range slices.Concat(b.parts, b.buffers) {
		p.locked = false
		_ = b.give(&p)
	}
	b.parts, b.buffers = nil, nil
	return true
}

// room returns the memory of the parts behind so many bytes, n bytes of it.
func (b *backing) room(behind int64, n uint64) (pieces [][]byte) {
	for _, p := range b.parts {
		if behind < p.Size && n > 0 {
			piece := p.bytes()[behind:][:min(n, uint64(p.Size-behind))]
			pieces = append(pieces, piece)
			n -= uint64(len(piece))
		}
		behind = max(behind-p.Size, 0)
	}
	return pieces
}

// gather copies pieces to a buffer, and scatter copies a buffer to pieces.
func gather(buffer []byte, pieces [][]byte) {
	for _, p := range pieces {
		inParallel(len(p), func(from, to int) { copy(buffer[from:to], p[from:to]) })
		buffer = buffer[len(p):]
	}
}

func scatter(pieces [][]byte, buffer []byte) {
	for _, p := range pieces {
		inParallel(len(p), func(from, to int) { copy(p[from:to], buffer[from:to]) })
		buffer = buffer[len(p):]
	}
}

// inParallel divides n bytes among a few goroutines: one cannot copy as fast as a device does.
func inParallel(n int, f func(from, to int)) {
	const most, least = 8, 1 << 20
	workers := max(min(runtime.GOMAXPROCS(0), most, n/least), 1)
	share := (n/workers + smallPage - 1) &^ (smallPage - 1)
	var all sync.WaitGroup
	for from := share; from < n; from += share {
		all.Go(func() { f(from, min(from+share, n)) })
	}
	f(0, min(share, n))
	all.Wait()
}
