package trace

import (
	"encoding/binary"
	"io"
	"time"
)

// Calls is one sample of a profile.
type Calls struct {
	Pool   string
	Stack  []uintptr
	Values []int64 // one for each kind of the form
}

// Form is what a profile has of each call stack.
type Form struct {
	Kinds  [][2]string // names and units of the values
	Shown  string      // the kind that pprof shows by default
	Period int64       // bytes allocated for each sample; 0: they are sampled in another way
}

// Forms of the profiles of allocations.
var (
	// Traced is that of programs built with the tag pooltrace.
	Traced = Form{Kinds: [][2]string{{"alloc_blocks", "count"}, {"alloc_bytes", "bytes"}, {"live_blocks", "count"}, {"live_bytes", "bytes"}}, Shown: "live_bytes"}
	// Heap is that of the profile of Go's heap. pprof merges profiles whose kinds of values and of period are the same.
	Heap = Form{
		Kinds: [][2]string{{"alloc_objects", "count"}, {"alloc_space", "bytes"}, {"inuse_objects", "count"}, {"inuse_space", "bytes"}}, Shown: "inuse_space", Period: Rate,
	}
)

// WriteProfile writes a profile for go tool pprof.
func WriteProfile(w io.Writer, form Form, all []Calls) error {
	p := profile{strings: []string{""}, texts: map[string]uint64{"": 0}, places: map[Frame]uint64{}}
	for _, kind := range form.Kinds {
		p.out = message(p.out, 1, p.kind(kind))
	}
	for _, x := range all {
		var at, values []byte
		for f := range Frames(x.Stack) {
			at = binary.AppendUvarint(at, p.place(f))
		}
		for _, v := range x.Values {
			values = binary.AppendUvarint(values, uint64(v))
		}
		label := number(number(nil, 1, p.text("pool")), 2, p.text(x.Pool))
		p.out = message(p.out, 2, message(message(message(nil, 1, at), 2, values), 3, label))
	}
	p.out = number(p.out, 9, uint64(time.Now().UnixNano()))
	if form.Period > 0 {
		p.out = number(message(p.out, 11, p.kind([2]string{"space", "bytes"})), 12, uint64(form.Period))
	}
	p.out = number(p.out, 14, p.text(form.Shown))
	for _, s := range p.strings {
		p.out = message(p.out, 6, []byte(s))
	}
	_, err := w.Write(p.out)
	return err
}

// profile is the encoder of a profile, which is a protocol buffer. The file github.com/google/pprof/blob/main/proto/profile.proto defines the numbers of the fields.
type profile struct {
	out     []byte
	strings []string
	texts   map[string]uint64 // numbers of the strings
	places  map[Frame]uint64  // numbers of the locations
}

// kind returns a kind of values, with its unit.
func (p *profile) kind(of [2]string) []byte {
	return number(number(nil, 1, p.text(of[0])), 2, p.text(of[1]))
}

// text returns the number of a string.
func (p *profile) text(s string) uint64 {
	at, known := p.texts[s]
	if !known {
		at = uint64(len(p.strings))
		p.texts[s] = at
		p.strings = append(p.strings, s)
	}
	return at
}

// place returns the number of the location of a frame. A new location is written together with a function of its own.
func (p *profile) place(f Frame) uint64 {
	if id := p.places[f]; id != 0 {
		return id
	}
	id := uint64(len(p.places) + 1)
	p.places[f] = id
	name := p.text(f.Function)
	p.out = message(p.out, 5, number(number(number(number(nil, 1, id), 2, name), 3, name), 4, p.text(f.File)))
	line := number(number(nil, 1, id), 2, uint64(f.Line))
	p.out = message(p.out, 4, message(number(nil, 1, id), 4, line))
	return id
}

// number appends a field whose value is a number.
func number(b []byte, field, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, field<<3), v)
}

// message appends a field whose value is bytes: a message, a string or packed numbers.
func message(b []byte, field uint64, v []byte) []byte {
	b = binary.AppendUvarint(b, field<<3|2)
	return append(binary.AppendUvarint(b, uint64(len(v))), v...)
}
