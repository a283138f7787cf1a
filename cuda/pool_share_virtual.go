package cuda

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// handleExport shares the physical memory of a reservation with other processes. Each has a channel, and gets the handles of shared memory in
// the order of sharing. Shared memory stays mapped until the pool is closed.
type handleExport struct {
	site
	identity
	memory *reservation

	mu       sync.Mutex
	channels []*outlet
	handles  []piece        // that were shared
	known    map[int64]bool // by where they are mapped
}

// outlet is the channel to one process.
type outlet struct {
	channel
	sent int // of the handles
}

// exports makes a pool of virtual memory shareable.
func (s site) exports(memory *reservation) (*handleExport, error) {
	id, err := s.identify(abi.AttributeHandleTypePosixFD, "physical memory")
	return &handleExport{site: s, identity: id, memory: memory, known: map[int64]bool{}}, err
}

// export makes another channel, which begins with all memory that was shared before.
func (x *handleExport) export() (*os.File, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c, theirs, err := newChannel()
	if err != nil {
		return nil, err
	}
	o := &outlet{channel: c}
	err = c.send(hello{x.identity, x.memory.size}.write(), nil)
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

func (x *handleExport) share(_ poolimpl.Chunk, addr, bytes uint64) (sharing, bool, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at := x.memory.offsets(addr, int64(bytes))
	for _, p := range x.memory.covering(at) {
		if !x.known[p.from] {
			x.known[p.from] = true
			x.handles = append(x.handles, p)
		}
	}
	d := sharing{means: byHandles, pool: x.pool, device: x.device, extent: uint64(x.memory.size), offset: uint64(at.from)}
	return d, true, x.sendAll()
}

// sendAll brings all channels up to date, and drops those whose other end is closed.
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

// send sends the handles that were not sent on a channel so far.
func (x *handleExport) send(o *outlet) error {
	for o.sent < len(x.handles) {
		next := x.handles[o.sent:min(len(x.handles), o.sent+extentsPerMessage)]
		if err := x.sendSome(o, next); err != nil {
			return err
		}
		o.sent += len(next)
	}
	return nil
}

// sendSome sends one message of handles.
func (x *handleExport) sendSome(o *outlet, list []piece) error {
	var at []extent
	var fds []int
	defer func() { closeAll(fds) }()
	for _, p := range list {
		fd, r := exported(func() (int, abi.Result) { return x.drv.MemExportFD(p.memory.handle) })
		if err := check(r, "MemExportToShareableHandle", x.dev, p.to-p.from); err != nil {
			return err
		}
		at, fds = append(at, p.extent), append(fds, fd)
	}
	return o.channel.send(writeExtents(at), fds)
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
