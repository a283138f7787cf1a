package cuda

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// importing is the Binder of an imported pool: it binds the pool to the memory that a file refers to.
type importing struct {
	Allocator
	file *os.File
}

// Bind imports the memory that the file refers to.
func (m importing) Bind(ask poolimpl.Binding) (poolimpl.Bound, error) {
	name, err := m.kind(ask)
	if err != nil {
		return poolimpl.Bound{}, err
	}
	at, err := m.site(ask)
	if err != nil {
		return poolimpl.Bound{}, err
	}
	a, err := kindOf(name)
	if err != nil {
		return poolimpl.Bound{}, err
	}
	bind := m.pooled
	if name == "device_virtual" {
		bind = m.virtual
	}
	b, err := m.tie(a, bind, at, ask)
	if err != nil {
		return b, err
	}
	b.Allocator = name
	return traced(b, ask.Name), nil
}

// kind returns the allocator of the exporting pool, by the kind of the file. It is one of those that the pool file names.
func (m importing) kind(ask poolimpl.Binding) (string, error) {
	name := "device_pool"
	err := onFile(m.file, func(fd int) error {
		if isChannel(fd) {
			name = "device_virtual"
		}
		return nil
	})
	if err == nil && !slices.Contains(ask.Allocators, name) && !slices.Contains(m.Fallback, name) {
		err = badFile("it is not that of a pool of allocator %s", strings.Join(ask.Allocators, ", "))
	}
	return name, err
}

// onFile calls f with the descriptor of a file, which stays open meanwhile.
func onFile(file *os.File, f func(fd int) error) error {
	if file == nil {
		return badFile("it is nil")
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return badFile("%w", err)
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return badFile("%w", err)
	}
	return inner
}

// badFile is the error for a file that no pool can be imported from.
func badFile(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{poolrt.ErrBadFile}, args...)...)
}

// elsewhere returns an error if the exporting pool is not on the device of the importing one.
func (s site) elsewhere(device [16]byte) error {
	id, r := s.drv.DeviceGetUUID(int(s.dev))
	if err := check(r, "DeviceGetUuid", s.dev, 0); err != nil || id == device {
		return err
	}
	return fmt.Errorf("%w: the exporting pool is on the device with UUID %x, and this one on device %d, %x: import it with poolrt.OnDevice",
		poolrt.ErrUnsupported, device, s.dev, id)
}

// pooled imports a pool of the driver.
func (m importing) pooled(_ Allocator, at site, _ poolimpl.Binding) (poolimpl.Bound, error) {
	var h abi.Pool
	err := onFile(m.file, func(fd int) error {
		var r abi.Result
		h, r = at.drv.MemPoolImportFD(fd)
		if r == abi.InvalidValue || r == abi.InvalidHandle || r == abi.OperatingSystem {
			return badFile("the driver does not take it for a pool: %w", check(r, opImportPool, at.dev, 0))
		}
		return check(r, opImportPool, at.dev, 0)
	})
	if err != nil {
		return poolimpl.Bound{}, err
	}
	s := &importedPool{site: at, pool: h, chunks: map[uint64]*importedChunk{}, opened: map[uint64]bool{}}
	end := &ending{[]func() error{func() error { return check(at.drv.MemPoolDestroy(h), "MemPoolDestroy", at.dev, 0) }}}
	for _, p := range m.Peers {
		if err := check(at.drv.MemPoolSetAccess(h, p, abi.AccessReadWrite), "MemPoolSetAccess", at.dev, 0); err != nil {
			return unfinished(poolimpl.Bound{}, err, end.run)
		}
	}
	return poolimpl.Bound{Source: s, Driver: s, Close: end.run}, nil
}

const opImportPool = "MemPoolImportFromShareableHandle"
