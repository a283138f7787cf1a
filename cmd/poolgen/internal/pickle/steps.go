package pickle

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// step is an opcode of a pickle.
type step struct {
	name string
	do   func(*reader) error // nil: it is refused, as it would need the program that wrote it
}

// Opcodes that the reader knows by name: the first and the last of a pickle.
const opProto, opStop = 0x80, '.'

// steps has all opcodes, by byte, under the names of Python's module pickletools.
var steps = [256]step{
	opProto: {"PROTO", (*reader).proto}, 0x95: {"FRAME", (*reader).frame}, opStop: {name: "STOP"},
	'(': {"MARK", (*reader).mark}, '0': {"POP", (*reader).drop}, '1': {"POP_MARK", (*reader).dropMark}, '2': {"DUP", (*reader).again},

	'N': {"NONE", constant(nil)}, 0x88: {"NEWTRUE", constant(true)}, 0x89: {"NEWFALSE", constant(false)},
	'K': {"BININT1", small(1)}, 'M': {"BININT2", small(2)}, 'J': {"BININT", (*reader).int4},
	0x8a: {"LONG1", long(1)}, 0x8b: {"LONG4", long(4)}, 'G': {"BINFLOAT", (*reader).float},

	0x8c: {"SHORT_BINUNICODE", text(1)}, 'X': {"BINUNICODE", text(4)}, 0x8d: {"BINUNICODE8", text(8)},
	'U': {"SHORT_BINSTRING", text(1)}, 'T': {"BINSTRING", text(4)},
	'C': {"SHORT_BINBYTES", binaryText(1)}, 'B': {"BINBYTES", binaryText(4)}, 0x8e: {"BINBYTES8", binaryText(8)}, 0x96: {"BYTEARRAY8", binaryText(8)},

	']': {"EMPTY_LIST", emptyList}, 0x8f: {"EMPTY_SET", emptyList}, '}': {"EMPTY_DICT", emptyDict}, ')': {"EMPTY_TUPLE", tuple(0)},
	0x85: {"TUPLE1", tuple(1)}, 0x86: {"TUPLE2", tuple(2)}, 0x87: {"TUPLE3", tuple(3)}, 't': {"TUPLE", (*reader).tuple},
	'l': {"LIST", (*reader).list}, 0x91: {"FROZENSET", (*reader).list}, 'd': {"DICT", (*reader).dict},
	'a': {"APPEND", (*reader).appendOne}, 'e': {"APPENDS", (*reader).appendAll}, 0x90: {"ADDITEMS", (*reader).appendAll},
	's': {"SETITEM", (*reader).setOne}, 'u': {"SETITEMS", (*reader).setAll},

	0x94: {"MEMOIZE", (*reader).memoize}, 'q': {"BINPUT", put(1)}, 'r': {"LONG_BINPUT", put(4)}, 'h': {"BINGET", get(1)}, 'j': {"LONG_BINGET", get(4)},

	'c': {name: "GLOBAL"}, 0x93: {name: "STACK_GLOBAL"}, 'R': {name: "REDUCE"}, 'b': {name: "BUILD"}, 'i': {name: "INST"}, 'o': {name: "OBJ"},
	0x81: {name: "NEWOBJ"}, 0x92: {name: "NEWOBJ_EX"}, 'P': {name: "PERSID"}, 'Q': {name: "BINPERSID"},
	0x82: {name: "EXT1"}, 0x83: {name: "EXT2"}, 0x84: {name: "EXT4"}, 0x97: {name: "NEXT_BUFFER"}, 0x98: {name: "READONLY_BUFFER"},
}

func (d *reader) proto() error {
	version, err := d.byte()
	if err == nil && (version < oldest || version > newest) {
		err = fmt.Errorf("protocol %d; %d to %d can be read", version, oldest, newest)
	}
	return err
}

// frame skips the length of a frame, which only helps to read ahead.
func (d *reader) frame() error {
	_, err := d.number(8)
	return err
}

func (d *reader) mark() error {
	d.marks = append(d.marks, len(d.stack))
	return d.charge(slotBytes)
}

func (d *reader) drop() error {
	_, err := d.pop(1)
	return err
}

func (d *reader) dropMark() error {
	_, err := d.popMark()
	return err
}

func (d *reader) again() error {
	v, err := d.top()
	if err != nil {
		return err
	}
	return d.push(v, 0)
}

func constant(v any) func(*reader) error {
	return func(d *reader) error { return d.push(v, 0) }
}

// small reads an unsigned number.
func small(bytes int) func(*reader) error {
	return func(d *reader) error {
		n, err := d.number(bytes)
		if err != nil {
			return err
		}
		return d.push(int64(n), boxBytes)
	}
}

func (d *reader) int4() error {
	n, err := d.number(4)
	if err != nil {
		return err
	}
	return d.push(int64(int32(n)), boxBytes)
}

// long reads a number of any length, in two's complement. A number that does not fit in 64 bits is refused.
func long(length int) func(*reader) error {
	return func(d *reader) error {
		b, err := d.bytes(length)
		if err != nil {
			return err
		}
		var wide [8]byte
		n := copy(wide[:], b)
		u := binary.LittleEndian.Uint64(wide[:])
		switch {
		case len(b) == 9 && b[8] == 0 && u > math.MaxInt64:
			return d.push(u, boxBytes)
		case len(b) > 8:
			return fmt.Errorf("a number of %d bytes, and 8 are the most", len(b))
		case n == 0:
			return d.push(int64(0), boxBytes)
		}
		unused := 64 - 8*n
		return d.push(int64(u)<<unused>>unused, boxBytes)
	}
}

// float is the only number whose most significant byte comes first.
func (d *reader) float() error {
	n, err := d.number(8)
	if err != nil {
		return err
	}
	return d.push(math.Float64frombits(bits.ReverseBytes64(n)), boxBytes)
}

func text(length int) func(*reader) error {
	return func(d *reader) error {
		b, err := d.bytes(length)
		if err != nil {
			return err
		}
		return d.push(string(b), boxBytes)
	}
}

func binaryText(length int) func(*reader) error {
	return func(d *reader) error {
		b, err := d.bytes(length)
		if err != nil {
			return err
		}
		return d.push(Bytes(b), boxBytes)
	}
}
