// Package foreign reads records of allocations by other programs: snapshots of PyTorch with a history, which package pickle decodes, and logs of RMM,
// NVIDIA's memory manager. Package replay turns the result into traces.
//
// A file may be hostile. Whatever its content, it is refused with the place, or becomes events in which each free is of a live block.
package foreign

import (
	"bufio"
	"bytes"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/pickle"
)

// Log is the record of one allocator.
type Log struct {
	Name   string // of the file, and of the device where a file has several
	Events []Event
	Notes  []string // notes on what is missing in the record, or contradicts itself
}

// Event is an allocation or a free.
type Event struct {
	ID     uint32 // of the block; a block that reuses an address has another ID
	Free   bool
	Bytes  uint64 // of an allocation
	Stream uint64
	Micros uint64 // since the first event
	Line   int    // of the file; in a snapshot, the number of the event, from 1
}

// The kind of a file is the first that recognises its beginning.
var kinds = []struct {
	is   func(head []byte) bool
	read func(name string, in *bufio.Reader, most int) ([]Log, error)
}{
	{pickle.Is, readTorch},
	{isRMM, readRMM},
}

// headBytes is the number of bytes that suffice to recognise a file.
const headBytes = 256

// Read reads a file of a known kind, with at most a given number of events. Errors begin with the name, and with the line or byte.
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
