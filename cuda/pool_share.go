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

// Export, Share, Import and OpenShared implement Export, Share, ImportFooPool and Open of shareable generated pools. They are safe for concurrent
// use.

// Export returns a file by which one other process can import the pool. That process inherits the file or is sent it, and closes it once
// the pool is imported. The caller closes the file, which does not close the pool. Export binds an unused pool to its device first.
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

// Share describes a live block, whose items have item bytes each, to processes that have imported the pool. Its chunk stays with the pool until
// the pool is closed.
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
	// share shares a block of a chunk with importers, and describes its place. used reports that importers may have the chunk now.
	share(c poolimpl.Chunk, addr, bytes uint64) (d sharing, used bool, err error)
}

// exporterOf returns the exporter in Bound.Driver of a source.
func exporterOf(pool any) (exporter, error) {
	if s, ok := pool.(asyncSource); ok && s.exports != nil {
		return s.exports, nil
	}
	if x, ok := pool.(exporter); ok {
		return x, nil
	}
	return nil, fmt.Errorf("%w: the memory of the allocator in force cannot be shared", poolrt.ErrUnsupported)
}

// identity identifies an exporting pool.
type identity struct {
	pool   [16]byte // a random number
	device [16]byte // UUID
}

// identify makes the identity of a pool that is about to be bound, if its memory can be shared on the device at all.
func (s site) identify(attribute int32, what string) (id identity, err error) {
	v, err := s.dev.Attribute(Attribute(attribute))
	if err != nil {
		return id, err
	}
	if v&abi.HandleFD == 0 {
		return id, fmt.Errorf("%w: device %d cannot share %s by file descriptors", poolrt.ErrUnsupported, s.dev, what)
	}
	_, _ = rand.Read(id.pool[:]) // rand.Read does not fail
	id.device, err = s.dev.UUID()
	return id, err
}

// Import turns an unused pool into a pool of the blocks of another process, given the file that the pool there exported. The
// caller keeps the file. If the import fails, the pool is closed.
func Import(e *poolimpl.Engine, f *os.File, options ...poolrt.Option) error {
	return e.Import(func(b poolimpl.Binder) (poolimpl.Binder, error) {
		m, ok := b.(Allocator)
		if !ok {
			return nil, fmt.Errorf("%w: the pool is of host memory", poolrt.ErrUnsupported)
		}
		return importing{m, f}, nil
	}, options...)
}

// OpenShared opens a block of another process in an imported pool, whose items have item bytes each. single says that blocks of the pool have one item.
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

// suits returns why a block cannot belong to a pool with such blocks.
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
