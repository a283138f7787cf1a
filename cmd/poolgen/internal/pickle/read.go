package pickle

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Protocols that are read. Older ones are text, and have not been the default since Python 3.0.
const (
	oldest = 2
	newest = 5
)

// Is reports whether a file begins as a pickle does. Two bytes of it are enough.
func Is(head []byte) bool {
	return len(head) >= 2 && head[0] == opProto && head[1] >= oldest && head[1] <= newest
}

// The approximate bytes of memory that values take. Strings also take their length.
const (
	slotBytes  = 16 // a value in a list, a dict, the memo, or on the stack
	boxBytes   = 16 // a number, or the head of a string
	listBytes  = 48
	indexBytes = 48 // a key in the index of a dict
)

// Read reads one pickle of protocol 2 to 5 and returns what it holds: nil, bool, int64, uint64 (above the largest int64), float64, string, [Bytes],
// [*List], [Tuple] or [*Dict]. What is shared in the pickle is shared in the result, which may contain itself. The result takes no more than about
// most bytes of memory. Only data is read: a pickle that names a function, class or object of a program is refused. Errors begin with the byte.
func Read(r io.Reader, most int64) (any, error) {
	d := reader{in: bufio.NewReader(r), left: most}
	for {
		at := d.at
		v, done, err := d.step()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("byte %d: the pickle ends here, and is not complete", d.at)
		case err != nil:
			return nil, fmt.Errorf("byte %d: %w", at, err)
		case done:
			return v, nil
		}
	}
}

// reader is the stack machine.
type reader struct {
	in    *bufio.Reader
	at    int64 // bytes read
	left  int64 // bytes of memory that may still be taken
	stack []any
	deep  int   // the most values on the stack so far
	marks []int // heights of the stack
	memo  []any // the memo: values by number
}

// step executes one opcode, and reports whether it was the last.
func (d *reader) step() (v any, done bool, err error) {
	first := d.at == 0
	code, err := d.byte()
	if err != nil {
		return nil, false, err
	}
	step := &steps[code]
	switch {
	case first && code != opProto:
		return nil, false, fmt.Errorf("not a pickle of protocol %d to %d", oldest, newest)
	case code == opStop:
		if len(d.stack) != 1 {
			return nil, false, fmt.Errorf("the pickle ends with %d values", len(d.stack))
		}
		return d.stack[0], true, nil
	case step.name == "":
		return nil, false, fmt.Errorf("%#02x is no step of a pickle", code)
	case step.do == nil:
		return nil, false, fmt.Errorf("%s stands for an object of a program; only data is read", step.name)
	}
	if err := step.do(d); err != nil {
		return nil, false, fmt.Errorf("%s: %w", step.name, err)
	}
	return nil, false, nil
}

var (
	errMemory = errors.New("too large to be read")
	errStack  = errors.New("there is nothing to take it from")
)

// charge counts memory against the bound.
func (d *reader) charge(bytes int64) error {
	if bytes < 0 || bytes > d.left {
		return errMemory
	}
	d.left -= bytes
	return nil
}

func (d *reader) byte() (byte, error) {
	b, err := d.in.ReadByte()
	if err == nil {
		d.at++
	}
	return b, err
}

// number reads a little-endian number of n bytes.
func (d *reader) number(bytes int) (uint64, error) {
	var b [8]byte
	n, err := io.ReadFull(d.in, b[:bytes])
	d.at += int64(n)
	return binary.LittleEndian.Uint64(b[:]), err
}

// wholeStrings is the length up to which strings are read at once. A longer string takes memory only as its bytes arrive.
const wholeStrings = 1 << 16

// bytes reads a string after its length, a number of n bytes.
func (d *reader) bytes(length int) ([]byte, error) {
	n, err := d.number(length)
	if err != nil {
		return nil, err
	}
	if err := d.charge(int64(min(n, 1<<62))); err != nil {
		return nil, err
	}
	if n <= wholeStrings {
		b := make([]byte, n)
		got, err := io.ReadFull(d.in, b)
		d.at += int64(got)
		return b, err
	}
	var b bytes.Buffer
	got, err := io.CopyN(&b, d.in, int64(n))
	d.at += got
	return b.Bytes(), err
}

// push pushes a value that takes additional bytes of memory.
func (d *reader) push(v any, bytes int64) error {
	d.stack = append(d.stack, v)
	if len(d.stack) > d.deep {
		d.deep = len(d.stack)
		bytes += slotBytes
	}
	return d.charge(bytes)
}

// floor is the height of the stack at the last mark: what is below belongs to something else.
func (d *reader) floor() int {
	if len(d.marks) == 0 {
		return 0
	}
	return d.marks[len(d.marks)-1]
}

// pop pops n values. They are valid until the next push.
func (d *reader) pop(n int) ([]any, error) {
	if len(d.stack)-d.floor() < n {
		return nil, errStack
	}
	taken := d.stack[len(d.stack)-n:]
	d.stack = d.stack[:len(d.stack)-n]
	return taken, nil
}

// popMark pops all values above the last mark, and the mark.
func (d *reader) popMark() ([]any, error) {
	if len(d.marks) == 0 {
		return nil, errors.New("there is no mark")
	}
	taken, err := d.pop(len(d.stack) - d.floor())
	d.marks = d.marks[:len(d.marks)-1]
	return taken, err
}

// top returns the value that was pushed last.
func (d *reader) top() (any, error) {
	if len(d.stack) <= d.floor() {
		return nil, errStack
	}
	return d.stack[len(d.stack)-1], nil
}
