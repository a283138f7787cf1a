// Package foreign reads what other programs have recorded of their allocations: snapshots of PyTorch with a history, which package pickle takes apart, and logs of
// RMM, NVIDIA's memory manager. Package replay makes traces of what it returns.
//
// A file may be hostile: whatever it says, it is refused with the place, or becomes events in which each free is one of a live block.
package foreign

import (
	"bufio"
	"bytes"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/pickle"
)

// Log is what one allocator did.
type Log struct {
	Name   string // of the file, and of the device where a file has several
	Events []Event
	Notes  []string // what it does not say, or says otherwise than an allocator could have
}

// Event is an allocation or a free.
type Event struct {
	ID     uint32 // of the block. An address that comes up again has another one
	Free   bool
	Bytes  uint64 // of an allocation
	Stream uint64
	Micros uint64 // since the first event
	Line   int    // of the file; in a snapshot, the number of the event, from 1
}

// A file is of the first kind that knows it by how it begins.
var kinds = []struct {
	is   func(head []byte) bool
	read func(name string, in *bufio.Reader, most int) ([]Log, error)
}{
	{pickle.Is, readTorch},
	{isRMM, readRMM},
}

// headBytes are enough to know a file by.
const headBytes = 256

// Read reads a file, of so many events at most, if it is of a kind that it knows. Errors begin with the name, and with the line or byte.
func Read(name string, in *bufio.Reader, most int) (logs []Log, known bool, err error) {
	head, _ := in.Peek(headBytes)
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	for _, kind := range kinds {
		if kind.is(head) {
			logs, err = kind.read(name, in, most)
			return logs, true, err
		}
	}
	return nil, false, nil
}
