package cuda

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime"
)

// reserved is one reservation of addresses with physical memory in it, as far as sharing has to know it.
type reserved interface {
	// bounds are those of the reservation.
	bounds() (base abi.Ptr, size int64)
	// covering lists the physical memory that a part of a chunk lies in.
	covering(c runtime.Chunk, addr, bytes uint64) []physical
}

// physical is a piece of physical memory in a reservation.
type physical struct {
	piece
	handle abi.Memory
}

// handleExport makes the physical memory of a reservation known to other processes. Each has a channel, and gets the handles of what was shared
// in the order in which it was. What was shared stays mapped until the pool is closed.
type handleExport struct {
	site
	identity
	memory reserved

	mu       sync.Mutex
	channels []*outlet
	handles  []physical      // that were shared
	known    map[uint64]bool // by where they are mapped
}

// outlet is the channel to one process.
type outlet struct {
	channel
	sent int // of the handles
}

// exports makes a pool of virtual memory shareable.
func (s site) exports(memory reserved) (*handleExport, error) {
	id, err := s.identify(abi.AttributeHandleTypePosixFD, "physical memory")
	return &handleExport{site: s, identity: id, memory: memory, known: map[uint64]bool{}}, err
}

// export makes another channel, which begins with all that was shared before.
func (x *handleExport) export() (*os.File, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c, theirs, err := newChannel()
	if err != nil {
		return nil, err
	}
	_, size := x.memory.bounds()
	o := &outlet{channel: c}
	err = c.send(hello{x.identity, uint64(size)}.write(), nil)
	if err == nil {
		err = x.send(o)
	}
	if err != nil {
		c.close()
		return nil, errors.Join(fmt.Errorf("channel to another process: %w", err), theirs.Close())
	}
	x.channels = append(x.channels, o)
	return theirs, nil
}

func (x *handleExport) share(c runtime.Chunk, addr, bytes uint64) (sharing, bool, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	base, size := x.memory.bounds()
	for _, p := range x.memory.covering(c, addr, bytes) {
		if !x.known[p.from] {
			x.known[p.from] = true
			x.handles = append(x.handles, p)
		}
	}
	d := sharing{means: byHandles, pool: x.pool, device: x.device, extent: uint64(size), offset: addr - uint64(base)}
	return d, true, x.sendAll()
}

// sendAll brings all channels up to date, and forgets those whose other end is closed.
func (x *handleExport) sendAll() error {
	var errs []error
	left := x.channels[:0]
	for _, o := range x.channels {
		err := x.send(o)
		if errors.Is(err, errChannelGone) {
			o.close()
			continue
		}
		left = append(left, o)
		if err != nil {
			errs = append(errs, fmt.Errorf("channel to another process: %w", err))
		}
	}
	clear(x.channels[len(left):])
	x.channels = left
	return errors.Join(errs...)
}

// send sends the handles that a channel has not got yet.
func (x *handleExport) send(o *outlet) error {
	for o.sent < len(x.handles) {
		next := x.handles[o.sent:min(len(x.handles), o.sent+piecesPerMessage)]
		if err := x.sendSome(o, next); err != nil {
			return err
		}
		o.sent += len(next)
	}
	return nil
}

// sendSome sends one message of handles.
func (x *handleExport) sendSome(o *outlet, list []physical) error {
	var pieces []piece
	var fds []int
	defer func() { closeAll(fds) }()
	for _, p := range list {
		fd, r := x.drv.MemExportFD(p.handle)
		if err := check(r, "MemExportToShareableHandle", x.dev, int64(p.size)); err != nil {
			return err
		}
		pieces, fds = append(pieces, p.piece), append(fds, fd)
	}
	return o.channel.send(writePieces(pieces), fds)
}

// close closes all channels: the pool ends.
func (x *handleExport) close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, o := range x.channels {
		o.close()
	}
	x.channels = nil
	return nil
}
