package simulator

import (
	"fmt"
	"os"
	"strings"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"golang.org/x/sys/unix"
)

// shareable says whether memory can be shared by file descriptors.
const shareable = 1

// shared is memory that other processes can map: a file in memory.
type shared struct {
	fd    int
	inode uint64
	size  uint64
	maps  [][]byte
}

// newShared makes a file of a kind for a device, or returns nil.
func newShared(kind string, device int, bytes uint64) *shared {
	fd, err := unix.MemfdCreate(fmt.Sprintf("simulated %s of device %d", kind, device), unix.MFD_CLOEXEC)
	if err != nil {
		return nil
	}
	s := asShared(fd)
	s.size = bytes
	if unix.Ftruncate(fd, int64(bytes)) != nil {
		s.close()
		return nil
	}
	return s
}

// openShared returns the file of a kind that a descriptor refers to, and its device; nil if the descriptor is not of that kind. The caller keeps the
// descriptor.
func openShared(kind string, fd int) (*shared, int) {
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return nil, 0
	}
	device := 0
	name, found := strings.CutPrefix(name, "/memfd:simulated "+kind+" of device ")
	if _, err := fmt.Sscan(name, &device); !found || err != nil {
		return nil, 0
	}
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, 0
	}
	return asShared(own), device
}

func asShared(fd int) *shared {
	s := &shared{fd: fd}
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) == nil {
		s.inode, s.size = stat.Ino, uint64(stat.Size)
	}
	return s
}

func (s *shared) identity() uint64 { return s.inode }

// export returns a descriptor for another process.
func (s *shared) export() (int, abi.Result) {
	fd, err := unix.FcntlInt(uintptr(s.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return 0, abi.Unknown
	}
	return fd, abi.Success
}

// extend makes the file larger and returns the new part, and where it starts.
func (s *shared) extend(bytes uint64) ([]byte, uint64) {
	offset := s.size
	if unix.Ftruncate(s.fd, int64(offset+bytes)) != nil {
		return nil, 0
	}
	s.size += bytes
	memory, _ := s.view(offset, bytes)
	return memory, offset
}

// has reports whether a part lies in the file, including extensions by its maker.
func (s *shared) has(offset, bytes uint64) bool {
	size := asShared(s.fd).size
	return bytes > 0 && offset <= size && bytes <= size-offset
}

// view returns memory that holds a part of the file, and where in it the part starts.
func (s *shared) view(offset, bytes uint64) ([]byte, uint64) {
	start := offset / pageBytes * pageBytes
	memory, err := unix.Mmap(s.fd, int64(start), int(offset+bytes-start), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, 0
	}
	s.maps = append(s.maps, memory)
	return memory, offset - start
}

// drop unmaps a view.
func (s *shared) drop(memory []byte) {
	for i, m := range s.maps {
		if &m[0] == &memory[0] {
			s.maps = append(s.maps[:i], s.maps[i+1:]...)
			_ = unix.Munmap(m)
			return
		}
	}
}

// close closes the file and unmaps all views.
func (s *shared) close() {
	for _, m := range s.maps {
		_ = unix.Munmap(m)
	}
	s.maps = nil
	_ = unix.Close(s.fd)
}
