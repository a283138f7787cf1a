// Package harness runs an allocation trace through a generated pool, and measures.
//
// It is compiled together with the pool, in the user's module: the replay command overlays its source beside the generated package without writing it
// there, with a file in that package that describes each pool (see package replay). Therefore it imports only the standard library; what it needs
// from the CUDA driver is in a package of its own below. The loops call the methods of their pool directly, as the user's code does. Work that is not
// the pool's is done here, before or after the loops.
package harness

import (
	"encoding/binary"
	"fmt"
	"os"
	"sort"
)

// Tape is a trace that is ready to run. IDs become slots, numbered from 0 and reused once their block is freed: a slice of
// slots holds the live blocks; streams are numbered from 0 in the order in which they appear.
type Tape struct {
	Slots   int
	Streams int
	Codes   []uint32 // slot<<1, plus 1 for a free
	On      []uint16 // the stream
	Sizes   []uint64 // bytes of an alloc
	Times   []uint64 // microseconds
}

// record is the number of bytes of one event in a file.
const record = 4 + 2 + 8 + 8

// Load reads a tape that [Tape.Encode] has written to a file.
func Load(path string) (*Tape, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) < 16 || (len(data)-16)%record != 0 {
		return nil, fmt.Errorf("%s: not a tape", path)
	}
	tape := &Tape{Slots: int(binary.LittleEndian.Uint64(data)), Streams: int(binary.LittleEndian.Uint64(data[8:]))}
	for data = data[16:]; len(data) > 0; data = data[record:] {
		tape.Codes = append(tape.Codes, binary.LittleEndian.Uint32(data))
		tape.On = append(tape.On, binary.LittleEndian.Uint16(data[4:]))
		tape.Sizes = append(tape.Sizes, binary.LittleEndian.Uint64(data[6:]))
		tape.Times = append(tape.Times, binary.LittleEndian.Uint64(data[14:]))
	}
	return tape, nil
}

// Encode returns the bytes of the tape.
func (t *Tape) Encode() []byte {
	data := make([]byte, 0, 16+record*len(t.Codes))
	data = binary.LittleEndian.AppendUint64(data, uint64(t.Slots))
	data = binary.LittleEndian.AppendUint64(data, uint64(t.Streams))
	for i, code := range t.Codes {
		data = binary.LittleEndian.AppendUint32(data, code)
		data = binary.LittleEndian.AppendUint16(data, t.On[i])
		data = binary.LittleEndian.AppendUint64(data, t.Sizes[i])
		data = binary.LittleEndian.AppendUint64(data, t.Times[i])
	}
	return data
}

// Span is how long the tape took when it was recorded, in microseconds; 0 if that is not known.
func (t *Tape) Span() uint64 {
	return t.Times[len(t.Times)-1] - min(t.Times[0], t.Times[len(t.Times)-1])
}

// Columns divides the tape into equal times, or equal numbers of events where there are no times. It returns the first event of each column,
// followed by the number of events.
func (t *Tape) Columns(n int) []int {
	firsts := make([]int, n+1)
	for c := range firsts {
		if span := t.Span(); span > 0 {
			until := float64(span) * float64(c) / float64(n)
			firsts[c] = sort.Search(len(t.Times), func(i int) bool { return float64(t.Times[i]-t.Times[0]) >= until })
		} else {
			firsts[c] = len(t.Codes) * c / n
		}
	}
	firsts[0], firsts[n] = 0, len(t.Codes)
	return firsts
}

// Live returns the most bytes that are live in each column.
func (t *Tape) Live(n int) []int64 {
	held := make([]uint64, t.Slots)
	firsts, most := t.Columns(n), make([]int64, n)
	live := uint64(0)
	for c := range most {
		most[c] = int64(live)
		for i := firsts[c]; i < firsts[c+1]; i++ {
			slot := t.Codes[i] >> 1
			live += t.Sizes[i] - held[slot]
			held[slot] = t.Sizes[i]
			most[c] = max(most[c], int64(live))
		}
	}
	return most
}
