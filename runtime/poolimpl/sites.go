package poolimpl

import (
	"encoding/binary"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// siteTable is the calls that blocks were handed out to. It stays empty in programs that do not know who calls.
type siteTable struct {
	list   []poolrt.Site
	number map[string]uint32 // by the addresses of the calls
}

// of returns the number of some calls, from 1 on.
func (t *siteTable) of(stack []uintptr) uint32 {
	var key []byte
	for _, pc := range stack {
		key = binary.LittleEndian.AppendUint64(key, uint64(pc))
	}
	if n := t.number[string(key)]; n > 0 {
		return n
	}
	if t.number == nil {
		t.number = map[string]uint32{}
	}
	var s poolrt.Site
	for f := range trace.Frames(stack) {
		s.Frames = append(s.Frames, poolrt.Frame(f))
	}
	t.list = append(t.list, s)
	n := uint32(len(t.list))
	t.number[string(key)] = n
	return n
}
