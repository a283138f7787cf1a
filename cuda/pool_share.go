package cuda

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Export, Share, Import and OpenShared are behind Export, Share, ImportFooPool and Open of generated pools that are shareable. Safe for concurrent use.

// Export returns a file by which one other process can import the pool: it inherits or is sent it, and closes it once the pool is imported.
// The file is the caller's to close, which does not close the pool. A pool that was not used is tied to its device before.
func Export(e *poolimpl.Engine) (f *os.File, err error) {
	err = e.Export(func(pool any) error {
		x, err := exporterOf(pool)
		if err == nil {
			f, err = x.export()
		}
		return err
	})
	return f, err
}

// Share describes a live block, whose items are of that many bytes, to processes that have imported the pool. The chunk that it lies in stays with
// the pool until that is closed.
func Share(e *poolimpl.Engine, addr, bytes, item uint64) (s Shared, err error) {
	err = e.Share(addr, bytes, func(pool any, c poolimpl.Chunk) (used bool, err error) {
		x, err := exporterOf(pool)
		if err != nil {
			return false, err
		}
		d, used, err := x.share(c, addr, bytes)
		if err != nil {
			return used, err
		}
		d.item, d.bytes = item, bytes
		s = d.write()
		return used, nil
	})
	return s, err
}

// exporter exports a shareable pool, in the process that made the pool.
type exporter interface {
	// export returns the file by which one other process imports the pool.
	export() (*os.File, error)
	// share makes a block of a chunk known to importers, and describes its place. used reports that they may know the chunk now.
	share(c poolimpl.Chunk, addr, bytes uint64) (d sharing, used bool, err error)
}

// exporterOf finds the exporter in what a source has put in Bound.Driver.
func exporterOf(pool any) (exporter, error) {
	if s, ok := pool.(asyncSource); ok && s.exports != nil {
		return s.exports, nil
	}
	if x, ok := pool.(exporter); ok {
		return x, nil
	}
	return nil, fmt.Errorf("%w: the memory of the allocator in force cannot be shared", poolrt.ErrUnsupported)
}

// identity is who exports.
type identity struct {
	pool   [16]byte // a random number
	device [16]byte // UUID
}

// identify makes the identity of a pool that is about to be bound, if its memory can be shared on the device at all.
func (s site) identify(attribute int32, what string) (id identity, err error) {
	v, r := s.drv.DeviceGetAttribute(int(s.dev), attribute)
	if err := check(r, "DeviceGetAttribute", s.dev, 0); err != nil {
		return id, err
	}
	if v&abi.HandleFD == 0 {
		return id, fmt.Errorf("%w: device %d cannot share %s by file descriptors", poolrt.ErrUnsupported, s.dev, what)
	}
	_, _ = rand.Read(id.pool[:]) // it does not fail
	id.device, r = s.drv.DeviceGetUUID(int(s.dev))
	return id, check(r, "DeviceGetUuid", s.dev, 0)
}

// Import makes a pool that was not used one of the blocks of another process, from the file that the pool exported there. The file
// stays the caller's. A pool that could not be imported is closed.
func Import(e *poolimpl.Engine, f *os.File, options ...poolrt.Option) error {
	return e.Import(func(b poolimpl.Binder) (poolimpl.Binder, error) {
		m, ok := b.(Allocator)
		if !ok {
			return nil, fmt.Errorf("%w: the pool is of host memory", poolrt.ErrUnsupported)
		}
		return importing{m, f}, nil
	}, options...)
}

// OpenShared finds a block of another process in a pool that was imported, with items of that many bytes each. single: blocks of the pool are of one item.
func OpenShared(e *poolimpl.Engine, s Shared, item uint64, single bool) (poolimpl.Block, error) {
	d, bad := s.read()
	if bad == nil {
		bad = d.suits(item, single)
	}
	b, err := e.Adopt(max(d.bytes, 1), func(pool any) (c poolimpl.Chunk, err error) {
		o, ok := pool.(opener)
		switch {
		case bad != nil:
			return c, bad
		case !ok:
			return c, errors.New("the pool was not imported")
		}
		return o.open(d)
	})
	if err == nil {
		b.Items = int(d.bytes / item)
	}
	return b, err
}

// suits says why a block cannot belong to a pool with such blocks.
func (d sharing) suits(item uint64, single bool) error {
	switch {
	case d.item != item:
		return notShared("its items are of %d bytes, and those of this pool of %d: build both programs from one pool file", d.item, item)
	case single && d.bytes != item:
		return notShared("it has %d items, and blocks of this pool have one", d.bytes/item)
	}
	return nil
}

// opener opens the blocks of an imported pool.
type opener interface {
	// open makes the block accessible. The chunk has the block's address, and goes to the source's Free.
	open(d sharing) (poolimpl.Chunk, error)
}
