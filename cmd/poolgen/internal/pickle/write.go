package pickle

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
)

// written is the protocol that Write writes. Python reads it since 3.4, and it is the latest that PyTorch's viewer reads.
const written = 4

// batch is how many items are appended to a list at a time, as Python does. The viewer fails with many more.
const batch = 1000

// Write writes a value: nil, bool, int, int64, uint64, float64, string, [Tuple], [*List], [*Dict], or an iter.Seq[any], which is a list that is
// written while it is made. A list that occurs again is shared, and so are equal texts. Values must not contain themselves.
func Write(w io.Writer, v any) error {
	e := writer{out: bufio.NewWriter(w), texts: map[string]uint32{}, lists: map[*List]uint32{}}
	e.bytes(opProto, written)
	err := e.value(v)
	e.bytes(opStop)
	if err != nil {
		return err
	}
	return e.out.Flush()
}

// writer writes a pickle. Flushing returns errors of the disk.
type writer struct {
	out   *bufio.Writer
	texts map[string]uint32
	lists map[*List]uint32
	next  uint32 // next number in the memo
}

func (e *writer) value(v any) error {
	switch v := v.(type) {
	case nil:
		e.bytes(opNone)
	case bool:
		if v {
			e.bytes(opTrue)
		} else {
			e.bytes(opFalse)
		}
	case int:
		e.number(int64(v))
	case int64:
		e.number(v)
	case uint64:
		if v > math.MaxInt64 {
			e.bytes(opLong, 9)
			e.bytes(append(binary.LittleEndian.AppendUint64(nil, v), 0)...)
		} else {
			e.number(int64(v))
		}
	case float64:
		e.bytes(opFloat)
		e.bytes(binary.BigEndian.AppendUint64(nil, math.Float64bits(v))...)
	case string:
		e.text(v)
	case Tuple:
		e.bytes(opMark)
		for _, item := range v {
			if err := e.value(item); err != nil {
				return err
			}
		}
		e.bytes(opTuple)
	case *List:
		return e.list(v)
	case *Dict:
		return e.dict(v)
	case iter.Seq[any]:
		e.bytes(opList)
		return e.items(v)
	default:
		return fmt.Errorf("a pickle of %T", v)
	}
	return nil
}

func (e *writer) bytes(b ...byte) { e.out.Write(b) }

// number writes a number in the shortest form.
func (e *writer) number(n int64) {
	wide := binary.LittleEndian.AppendUint64(nil, uint64(n))
	switch {
	case n >= 0 && n <= math.MaxUint8:
		e.bytes(opInt1, wide[0])
	case n >= 0 && n <= math.MaxUint16:
		e.bytes(opInt2, wide[0], wide[1])
	case int64(int32(n)) == n:
		e.bytes(opInt4)
		e.bytes(wide[:4]...)
	default:
		e.bytes(opLong, 8)
		e.bytes(wide...)
	}
}

func (e *writer) text(s string) {
	if number, ok := e.texts[s]; ok {
		e.get(number)
		return
	}
	if len(s) <= math.MaxUint8 {
		e.bytes(opText1, byte(len(s)))
	} else {
		e.bytes(opText4)
		e.bytes(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))...)
	}
	e.out.WriteString(s)
	e.texts[s] = e.memoize()
}

// memoize stores the value that was written last in the memo.
func (e *writer) memoize() uint32 {
	e.bytes(opMemoize)
	e.next++
	return e.next - 1
}

// get writes a reference to a value in the memo.
func (e *writer) get(number uint32) {
	if number <= math.MaxUint8 {
		e.bytes(opGet1, byte(number))
		return
	}
	e.bytes(opGet4)
	e.bytes(binary.LittleEndian.AppendUint32(nil, number)...)
}

func (e *writer) list(l *List) error {
	if number, ok := e.lists[l]; ok {
		e.get(number)
		return nil
	}
	e.bytes(opList)
	e.lists[l] = e.memoize()
	return e.items(func(yield func(any) bool) {
		for _, item := range l.Items {
			if !yield(item) {
				return
			}
		}
	})
}

// items appends the items of the list that was begun last.
func (e *writer) items(all iter.Seq[any]) error {
	n := 0
	for item := range all {
		if n%batch == 0 {
			e.bytes(opMark)
		}
		if err := e.value(item); err != nil {
			return err
		}
		if n++; n%batch == 0 {
			e.bytes(opAppends)
		}
	}
	if n%batch != 0 {
		e.bytes(opAppends)
	}
	return nil
}

func (e *writer) dict(d *Dict) error {
	e.bytes(opDict, opMark)
	for _, v := range d.pairs {
		if err := e.value(v); err != nil {
			return err
		}
	}
	e.bytes(opSetItems)
	return nil
}
