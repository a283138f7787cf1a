package cuda

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Shared describes a block of a shareable pool to processes that have imported the pool. The pool's Share makes it, and Open of the imported
// pool opens the block. It is an array of bytes without pointers, which can be sent by any means. The description of one block is always the
// same. It has a checksum, which detects accidents but not forgery.
type Shared [sharedBytes]byte

// sharedBytes is the length of a Shared: the fields of sharing, and the checksum.
const sharedBytes = 152

// Bytes returns the length of the block, 0 if s describes none.
func (s Shared) Bytes() int64 {
	d, err := s.read()
	if err != nil {
		return 0
	}
	return int64(d.bytes)
}

// String names the block: its length, its place, and its pool.
func (s Shared) String() string {
	d, err := s.read()
	if err != nil {
		return "no shared block"
	}
	return fmt.Sprintf("%d bytes at %#x+%#x of pool %x", d.bytes, d.chunk, d.offset, d.pool[:4])
}

// sharing is the content of a Shared.
type sharing struct {
	means  means
	pool   [16]byte // a random number that the exporting pool has
	device [16]byte // UUID
	item   uint64   // bytes of one item
	bytes  uint64   // of the block
	chunk  uint64   // start of the memory of the block in the exporting process; 0 if there is only one
	extent uint64   // its length
	offset uint64   // of the block in it
	token  PoolPtr  // the driver's description; zero if there is none
}

// means is the way in which memory is shared.
type means byte

const (
	byPool    means = 1 // a pool of the driver, and pointers into it
	byHandles means = 2 // physical memory, handle by handle
)

// sharedMagic begins each Shared. The last byte is the version of the format.
const sharedMagic = "pgs\x01"

var sharedSum = crc64.MakeTable(crc64.ECMA)

// write encodes a description.
func (d sharing) write() (s Shared) {
	b := append(s[:0], sharedMagic...)
	b = append(b, byte(d.means), 0, 0, 0)
	b = append(append(b, d.pool[:]...), d.device[:]...)
	for _, n := range []uint64{d.item, d.bytes, d.chunk, d.extent, d.offset} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	b = append(b, d.token[:]...)
	binary.LittleEndian.PutUint64(s[len(b):], crc64.Checksum(b, sharedSum))
	return s
}

// read decodes a description.
func (s Shared) read() (d sharing, err error) {
	const sum = sharedBytes - 8
	switch {
	case string(s[:3]) != sharedMagic[:3]:
		return d, notShared("what was given is not what Share made")
	case s[3] != sharedMagic[3]:
		return d, notShared("it is of another version of poolgen's runtime, %d: build both programs with one", s[3])
	case binary.LittleEndian.Uint64(s[sum:]) != crc64.Checksum(s[:sum], sharedSum):
		return d, notShared("it was changed on its way")
	}
	d.means = means(s[4])
	copy(d.pool[:], s[8:])
	copy(d.device[:], s[24:])
	for i, at := range []*uint64{&d.item, &d.bytes, &d.chunk, &d.extent, &d.offset} {
		*at = binary.LittleEndian.Uint64(s[40+8*i:])
	}
	copy(d.token[:], s[80:])
	if d.bytes == 0 || d.item == 0 || d.bytes%d.item != 0 || d.offset > d.extent || d.bytes > d.extent-d.offset || d.extent > 1<<62 {
		return sharing{}, notShared("its sizes do not fit together")
	}
	return d, nil
}

// notShared is the error for a description that describes no block of the pool.
func notShared(format string, args ...any) error {
	return fmt.Errorf("%w: the description of the shared block: "+format, append([]any{poolrt.ErrForeign}, args...)...)
}
