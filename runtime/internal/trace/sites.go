package trace

import (
	"encoding/binary"
	"slices"
)

// Sites numbers call stacks in order of first use. The zero value is empty.
type Sites struct {
	list   [][]Frame
	number map[string]uint32 // by the program counters of the stack
}

// Of returns the number of a call stack, from 1 on.
func (s *Sites) Of(stack []uintptr) uint32 {
	var key []byte
	for _, pc := range stack {
		key = binary.LittleEndian.AppendUint64(key, uint64(pc))
	}
	if n := s.number[string(key)]; n > 0 {
		return n
	}
	if s.number == nil {
		s.number = map[string]uint32{}
	}
	s.list = append(s.list, slices.Collect(Frames(stack)))
	n := uint32(len(s.list))
	s.number[string(key)] = n
	return n
}

// List returns the call stacks by number, from number 1 on.
func (s *Sites) List() [][]Frame { return s.list }
