package poolimpl

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/internal/figure"
)

// fillZone fills red zones, as is customary in debug builds.
const fillZone byte = 0xFD

// damage is a write to memory that the program must not write to.
type damage struct {
	from  int64 // offset from the start of the block
	bytes []byte
}

// fill fills bytes.
func fill(v []byte, with byte) {
	n := min(len(v), 64)
	for i := range v[:n] {
		v[i] = with
	}
	for n < len(v) {
		n += copy(v[n:], v[:n])
	}
}

// compare compares filled bytes with the fill value. They lie at an offset of a block, or are a copy of what lies there. If they differ, it returns the bytes
// from the first difference to the last.
func compare(v []byte, at int64, with byte) (d damage, ok bool) {
	if len(v) == 0 || v[0] == with && bytes.Equal(v[1:], v[:len(v)-1]) {
		return damage{}, true
	}
	wrong := func(b byte) bool { return b != with }
	first := slices.IndexFunc(v, wrong)
	last := len(v) - 1
	for !wrong(v[last]) {
		last--
	}
	return damage{at + int64(first), bytes.Clone(v[first : last+1])}, false
}

// zoneDamage returns what is wrong with the contents of the red zones in front of a block of so many bytes and behind it, "" if nothing is.
func zoneDamage(front, tail []byte, bytes uint64) string {
	var found []string
	if d, ok := compare(tail, int64(bytes), fillZone); !ok {
		found = append(found, fmt.Sprintf("%s behind the block %s written to, from its byte %d on: %s", d.length(), d.were(), d.from, d.hex()))
	}
	if d, ok := compare(front, -int64(len(front)), fillZone); !ok {
		found = append(found, fmt.Sprintf("%s in front of the block %s written to, from %d before it on: %s", d.length(), d.were(), -d.from, d.hex()))
	}
	return strings.Join(found, "; ")
}

// length and were format the number of bytes.
func (d damage) length() string { return figure.Count(int64(len(d.bytes)), "byte") }
func (d damage) were() string {
	if len(d.bytes) == 1 {
		return "was"
	}
	return "were"
}

// hex formats the first bytes.
func (d damage) hex() string {
	const most = 16
	if len(d.bytes) > most {
		return fmt.Sprintf("% x ...", d.bytes[:most])
	}
	return fmt.Sprintf("% x", d.bytes)
}
