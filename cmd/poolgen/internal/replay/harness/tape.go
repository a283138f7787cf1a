// Package harness runs an allocation trace through a generated pool, and measures.
//
// It is compiled together with the pool, in the user's module: the replay command lays its source beside the
// generated package without writing it there, with a file in that package that holds one loop for each pool (see
// package replay). So it imports nothing but the standard library. The loops call the methods of their pool
// directly, as the user's code does; all that is not the pool's own work happens here, before or after them.
package harness

import (
	"encoding/binary"
	"fmt"
	"os"
	"unsafe"
)

// Tape is a trace made ready to run: ids are numbered from 0, and numbers are used again once their block is
// freed, so that a slice holds the live blocks.
type Tape struct {
	slots  int
	codes  []uint32 // slot<<1, plus 1 for a free
	sizes  []uint64 // bytes of an alloc
	Events []Event  // set by the loops, for the item size of their pool
}

// Event is one call of Alloc or Free.
type Event struct {
	Items int    // to alloc; 0 when the pool's blocks are too small for the request
	Slot  uint32 // of the block
	Free  bool
}

// Load reads a tape that [Encode] has written to a file.
func Load(path string) (*Tape, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) < 8 || (len(data)-8)%12 != 0 {
		return nil, fmt.Errorf("%s: not a tape", path)
	}
	tape := &Tape{slots: int(binary.LittleEndian.Uint64(data))}
	for data = data[8:]; len(data) > 0; data = data[12:] {
		tape.codes = append(tape.codes, binary.LittleEndian.Uint32(data))
		tape.sizes = append(tape.sizes, binary.LittleEndian.Uint64(data[4:]))
	}
	return tape, nil
}

// Encode returns the bytes of a tape with the given number of slots; see [Tape] for codes and sizes.
func Encode(slots int, codes []uint32, sizes []uint64) []byte {
	data := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+12*len(codes)), uint64(slots))
	for i, code := range codes {
		data = binary.LittleEndian.AppendUint32(data, code)
		data = binary.LittleEndian.AppendUint64(data, sizes[i])
	}
	return data
}

// SpanBlocks prepares the tape for a pool of spans: a request is rounded up to whole items. It returns the place of
// the live blocks.
func SpanBlocks[T any](tape *Tape, _ func(n int) ([]T, error)) [][]T {
	size := sizeOf[T]()
	tape.fill(func(bytes uint64) int { return int((bytes-1)/size + 1) })
	return make([][]T, tape.slots)
}

// ItemBlocks prepares the tape for a pool of single items: a request that is larger than the item cannot be served.
func ItemBlocks[T any](tape *Tape, _ func() (*T, error)) []*T {
	size := sizeOf[T]()
	tape.fill(func(bytes uint64) int {
		if bytes > size {
			return 0
		}
		return 1
	})
	return make([]*T, tape.slots)
}

func (t *Tape) fill(items func(bytes uint64) int) {
	t.Events = make([]Event, len(t.codes))
	for i, code := range t.codes {
		e := Event{Slot: code >> 1, Free: code&1 != 0}
		if !e.Free {
			e.Items = items(t.sizes[i])
		}
		t.Events[i] = e
	}
}

func sizeOf[T any]() uint64 {
	var item T
	return uint64(unsafe.Sizeof(item))
}
