package recycling

import (
	"bytes"
	"encoding/hex"
)

// arena is memory for one request at a time, and how much of it is used. It grows to the largest request that ever came, and stays as large.
type arena struct {
	memory []byte
	used   int
}

func (a *arena) alloc(n int) []byte {
	if len(a.memory)-a.used < n {
		a.memory, a.used = make([]byte, max(2*len(a.memory), n, 64<<10)), 0 // the old memory is garbage when the request ends
	}
	a.used += n
	return a.memory[a.used-n : a.used : a.used]
}

// mark returns where the arena stands, and release goes back there: even if the mark is that of another request, and the memory behind it in use.
func (a *arena) mark() int        { return a.used }
func (a *arena) release(mark int) { a.used = mark }

func (a *arena) reset() { a.used = 0 }

// largest returns the largest value of a request, byte by byte. The values are in hexadecimal.
func (a *arena) largest(request []byte) (largest []byte, err error) {
	defer a.reset()
	for text := range bytes.FieldsSeq(request) {
		value := a.alloc(len(text)) // twice what it needs, and never 0
		n, err := hex.Decode(value, text)
		if err != nil {
			return nil, err
		}
		if bytes.Compare(value[:n], largest) > 0 {
			largest = value[:n]
		}
	}
	return bytes.Clone(largest), nil
}
