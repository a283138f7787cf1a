package poolrt

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"
)

// heapBlocks is a pool that has room for limit bytes, overwrites what is freed, and refuses what is not a live block.
type heapBlocks struct {
	limit int
	live  map[*byte]int
}

func newBlocks(limit int) *heapBlocks { return &heapBlocks{limit, map[*byte]int{}} }

func (p *heapBlocks) Alloc(n int) ([]byte, error) {
	sum := n
	for _, size := range p.live {
		sum += size
	}
	if sum > p.limit {
		return nil, ErrLimit
	}
	b := bytes.Repeat([]byte{0xaa}, n)
	p.live[unsafe.SliceData(b)] = n
	return b[:n:n], nil
}

func (p *heapBlocks) Free(b []byte) error {
	if n, ok := p.live[unsafe.SliceData(b)]; !ok || n != len(b) {
		return ErrForeign
	}
	delete(p.live, unsafe.SliceData(b))
	for i := range b {
		b[i] = 0xdd
	}
	return nil
}

// A Writer has the content that a bytes.Buffer has after the same calls.
func TestWriterAgainstBuffer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p := newBlocks(1 << 20)
		w := WriterOf(p)
		var want bytes.Buffer
		for range 60 {
			text := strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(1+r.IntN(900)))
			var n int64
			var err error
			switch r.IntN(7) {
			case 0:
				var m int
				m, err = w.WriteString(text)
				n = int64(m)
				want.WriteString(text)
			case 1:
				var m int
				m, err = w.Write([]byte(text))
				n = int64(m)
				want.WriteString(text)
			case 2:
				text = "z"
				n, err = 1, w.WriteByte('z')
				want.WriteString(text)
			case 3:
				n, err = w.ReadFrom(iotest.HalfReader(strings.NewReader(text)))
				want.WriteString(text)
			case 4: // a part of itself, which may move meanwhile
				part := w.Bytes()[w.Len()/2:]
				text = string(part)
				var m int
				m, err = w.Write(part)
				n = int64(m)
				want.WriteString(text)
			case 5:
				text = ""
				if r.IntN(10) == 0 {
					w.Reset()
					want.Reset()
				}
			case 6:
				var got strings.Builder
				n, err = w.WriteTo(&got)
				text = got.String()
			}
			if err != nil || n != int64(len(text)) || w.Len() != want.Len() || !bytes.Equal(w.Bytes(), want.Bytes()) || w.Len() > w.Cap() || len(p.live) > 1 {
				t.Fatalf("%d of %d bytes, %v, length %d, want %d, %d blocks", n, len(text), err, w.Len(), want.Len(), len(p.live))
			}
		}
		if err := w.Close(); err != nil || len(p.live) > 0 || w.Len() > 0 || w.Cap() > 0 {
			t.Fatalf("Close: %v, %d blocks", err, len(p.live))
		}
	}
}

// Where there is no block of twice the size, the content still moves seldom: a byte more does not move all bytes each time.
func TestWriterNearTheLimit(t *testing.T) {
	p := newBlocks(2990)
	w := WriterOf(p)
	if _, err := w.Write(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	moved, at := 0, w.Cap()
	for range 400 {
		if err := w.WriteByte(1); err != nil {
			t.Fatal(err)
		}
		if w.Cap() != at {
			moved, at = moved+1, w.Cap()
		}
	}
	if moved > 5 {
		t.Errorf("the content was moved %d times", moved)
	}
}

// Where there is no larger block, the content stays as it was. A block of twice the size is not insisted on.
func TestWriterAtTheLimit(t *testing.T) {
	p := newBlocks(100 + 130)
	w := WriterOf(p)
	text := strings.Repeat("a", 100)
	if n, err := w.WriteString(text); n != 100 || err != nil {
		t.Fatal(n, err)
	}
	for _, write := range []func() (int, error){
		func() (int, error) { return w.WriteString(strings.Repeat("b", 31)) },
		func() (int, error) { return w.Write(make([]byte, 31)) },
		func() (int, error) { n, err := w.ReadFrom(strings.NewReader("b")); return int(n), err },
	} {
		if n, err := write(); n != 0 || err != ErrLimit || string(w.Bytes()) != text {
			t.Errorf("%d, %v, %q", n, err, w.Bytes())
		}
	}
	if n, err := w.WriteString(strings.Repeat("c", 30)); n != 30 || err != nil || w.Cap() != 130 {
		t.Errorf("%d, %v, capacity %d", n, err, w.Cap())
	}
	if err := w.WriteByte('d'); err != ErrLimit || w.Len() != 130 {
		t.Error(err)
	}
	if err := w.Close(); err != nil || len(p.live) > 0 {
		t.Error(err)
	}
	if err := w.WriteByte('e'); err != nil || string(w.Bytes()) != "e" {
		t.Errorf("after Close: %v, %q", err, w.Bytes())
	}
}

// Appending to the content does not write into the block.
func TestWriterBytes(t *testing.T) {
	w := WriterOf(newBlocks(1000))
	if _, err := w.WriteString("ab"); err != nil {
		t.Fatal(err)
	}
	_ = append(w.Bytes(), 'x')
	if _, err := w.ReadFrom(strings.NewReader("c")); err != nil {
		t.Fatal(err)
	}
	if string(w.Bytes()) != "abc" {
		t.Errorf("%q", w.Bytes())
	}
}

// counts is a reader and a writer that returns any count.
type counts struct {
	n   int
	err error
}

func (c counts) Read([]byte) (int, error)  { return c.n, c.err }
func (c counts) Write([]byte) (int, error) { return c.n, c.err }

// Readers and writers that break their contract do not break the Writer.
func TestWriterOfBadCounts(t *testing.T) {
	failed := errors.New("failed")
	for _, test := range []struct {
		counts
		read, written int64
		from, to      error
	}{
		{counts{-1, nil}, 0, 0, errBadCount, errBadCount},
		{counts{1 << 30, nil}, 0, 0, errBadCount, errBadCount},
		{counts{1, failed}, 1, 1, failed, failed},
		{counts{2, io.EOF}, 2, 2, nil, io.EOF},
		{counts{0, io.EOF}, 0, 0, nil, io.EOF},
	} {
		w := WriterOf(newBlocks(10_000))
		if _, err := w.WriteString("text"); err != nil {
			t.Fatal(err)
		}
		n, err := w.ReadFrom(test.counts)
		if n != test.read || err != test.from || w.Len() != 4+int(n) {
			t.Errorf("ReadFrom %v: %d, %v", test.counts, n, err)
		}
		if n, err := w.WriteTo(test.counts); n != test.written || err != test.to {
			t.Errorf("WriteTo %v: %d, %v", test.counts, n, err)
		}
	}
	w := WriterOf(newBlocks(1000))
	if n, err := w.WriteTo(counts{1, failed}); n != 0 || err != nil {
		t.Errorf("an empty writer: %d, %v", n, err)
	}
	if _, err := w.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	if n, err := w.WriteTo(counts{3, nil}); n != 3 || err != io.ErrShortWrite {
		t.Errorf("a short write: %d, %v", n, err)
	}
}

// The zero Writer says what it lacks, and does nothing else.
func TestWriterWithoutPool(t *testing.T) {
	var w Writer
	if n, err := w.WriteString("a"); n != 0 || !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "NewFooWriter") {
		t.Error(n, err)
	}
	if err := w.WriteByte(1); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
	if n, err := w.WriteString(""); n != 0 || err != nil || len(w.Bytes()) != 0 || w.Close() != nil {
		t.Error(n, err)
	}
}

// The block may be gone when the Writer replaces it or closes, after a Reset of the pool. The error says so, once, and the new content is whole.
func TestWriterAfterReset(t *testing.T) {
	p := newBlocks(10_000)
	w := WriterOf(p)
	if _, err := w.WriteString(strings.Repeat("a", 64)); err != nil {
		t.Fatal(err)
	}
	clear(p.live)
	if n, err := w.WriteString("b"); n != 1 || err != ErrForeign || w.Len() != 65 {
		t.Error(n, err)
	}
	clear(p.live)
	if first, second := w.Close(), w.Close(); first != ErrForeign || second != nil {
		t.Error(first, second)
	}
}
