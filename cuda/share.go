package cuda

import (
	"os"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Export returns a file by which another process can open the pool. That process inherits the file or is sent it. The pool must have
// been made with [HandleFileDescriptor]. The caller closes the file, which does not close the pool.
func (p MemPool) Export() (*os.File, error) {
	fd, r := exported(func() (int, abi.Result) { return driver.Table().MemPoolExportFD(abi.Pool(p.handle)) })
	if r != abi.Success {
		return nil, failure(r, "MemPoolExportToShareableHandle", p.device, 0, "")
	}
	return os.NewFile(uintptr(fd), "cuda memory pool"), nil
}

// ImportMemPool opens a pool of another process from the file that it exported. It cannot allocate: ImportPointer opens its
// memory. The caller keeps the file.
func (d Device) ImportMemPool(f *os.File) (MemPool, error) {
	t, _, err := d.table()
	if err != nil {
		return MemPool{}, err
	}
	var h abi.Pool
	err = d.imported(opImportPool, 0, f, func(fd int) (r abi.Result) {
		h, r = t.MemPoolImportFD(fd)
		return r
	})
	return MemPool{uintptr(h), d}, err
}

// imported makes the driver import something from a file. The error matches poolrt.ErrBadFile if there is no file, or it is closed.
func (d Device) imported(op string, bytes int64, f *os.File, from func(fd int) abi.Result) error {
	r := abi.Success
	if err := onFile(f, func(fd int) error { r = from(fd); return nil }); err != nil {
		return &Error{Op: op, Code: ResultInvalidValue, Device: d, Bytes: bytes, Detail: err.Error(), kind: poolrt.ErrBadFile}
	}
	return check(r, op, d, bytes)
}

// PoolPtr describes memory of an exported pool. Its bytes are sent to the process that has imported the pool.
type PoolPtr [64]byte

// ExportPointer describes memory that was allocated from an exported pool.
func ExportPointer(p DevicePtr) (PoolPtr, error) {
	token, r := driver.Table().MemPoolExportPointer(abi.Ptr(p))
	return token, check(r, "MemPoolExportPointer", nowhere, 0)
}

// ImportPointer opens memory that the exporting process described. It must be freed here, by FreeAsync, before the exporting process frees it, and
// must not be used before that process has it ready: the processes have to coordinate that.
func (p MemPool) ImportPointer(token PoolPtr) (DevicePtr, error) {
	at, r := driver.Table().MemPoolImportPointer(abi.Pool(p.handle), token)
	return DevicePtr(at), check(r, "MemPoolImportPointer", p.device, 0)
}

// Export returns a file by which another process can open the memory, which must have been made with
// [HandleFileDescriptor]. The caller closes the file.
func (m Memory) Export() (*os.File, error) {
	fd, r := exported(func() (int, abi.Result) { return driver.Table().MemExportFD(abi.Memory(m.handle)) })
	if r != abi.Success {
		return nil, failure(r, "MemExportToShareableHandle", m.device, m.size, "")
	}
	return os.NewFile(uintptr(fd), "cuda memory"), nil
}

// ImportMemory opens memory of another process. The caller must know its size, and keeps the file.
func (d Device) ImportMemory(f *os.File, bytes int64) (Memory, error) {
	const op = "MemImportFromShareableHandle"
	t, _, err := d.sized(op, bytes)
	if err != nil {
		return Memory{}, err
	}
	var h abi.Memory
	err = d.imported(op, bytes, f, func(fd int) (r abi.Result) {
		h, r = t.MemImportFD(fd)
		return r
	})
	return Memory{handle: uint64(h), size: bytes, device: d}, err
}
