package recycling

import (
	"bytes"
	"encoding/hex"
	"errors"
)

// scratch is memory for one request at a time. It grows to the limit of the pool, and shrinks again when the request ends.
type scratch struct{ pool ScratchPool }

// largest returns the largest value of a request, byte by byte. The values are in hexadecimal.
func (s *scratch) largest(request []byte) (largest []byte, err error) {
	defer func() { err = errors.Join(err, s.pool.Reset()) }()
	for text := range bytes.FieldsSeq(request) {
		value, err := s.pool.Alloc(len(text)) // twice what it needs, and never 0
		if err != nil {
			return nil, err
		}
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
