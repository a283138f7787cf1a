package poolrt

import (
	"errors"
	"io"
)

// Blocks is a pool of bytes, as a [Writer] uses it. Generated pools that hand out []byte and free single blocks are Blocks.
type Blocks interface {
	Alloc(n int) ([]byte, error)
	Free(block []byte) error
}

// Writer collects bytes in a block of a pool, as a bytes.Buffer does in memory of the Go heap. When the block is full, a larger one takes its place. Close frees it.
//
// A call that finds no larger block returns the error of the pool, and the content stays as it was. A Writer is for one goroutine at a time; a copy of one that has
// content must not be used beside it. The zero Writer has no pool: generated code makes one for each pool, such as NewFooWriter.
type Writer struct {
	blocks Blocks
	block  []byte // nil: none
	n      int    // length of the content, which is at the start of the block
}

// WriterOf returns an empty Writer for a pool.
func WriterOf(pool Blocks) Writer { return Writer{blocks: pool} }

const (
	leastBlock = 64  // bytes of the first block
	leastRead  = 512 // bytes that ReadFrom makes room for when a block is full
)

// Write appends p, all of it or nothing.
func (w *Writer) Write(p []byte) (int, error) { return appendTo(w, p) }

// WriteString appends s, all of it or nothing.
func (w *Writer) WriteString(s string) (int, error) { return appendTo(w, s) }

// WriteByte appends one byte.
func (w *Writer) WriteByte(c byte) error {
	var old []byte
	if w.n == len(w.block) {
		var err error
		if old, err = w.grow(1); err != nil {
			return err
		}
	}
	w.block[w.n] = c
	w.n++
	return w.drop(old)
}

// appendTo appends p to the content of w. p may be a part of that content, so the old block is freed after p was copied.
func appendTo[T []byte | string](w *Writer, p T) (int, error) {
	var old []byte
	if len(p) > len(w.block)-w.n {
		var err error
		if old, err = w.grow(len(p)); err != nil {
			return 0, err
		}
	}
	w.n += copy(w.block[w.n:], p)
	return len(p), w.drop(old)
}

// grow moves the content to a block with room for n more bytes, and returns the block it was in, for drop.
func (w *Writer) grow(n int) (old []byte, err error) {
	need := w.n + n
	switch {
	case need < n:
		return nil, refuseWrite(ErrTooLarge, "the length does not fit an int")
	case w.blocks == nil:
		return nil, refuseWrite(ErrUnsupported, "the Writer has no pool: make it with the function of a pool, such as NewFooWriter")
	}
	most := max(2*len(w.block), need, leastBlock)
	block, err := w.blocks.Alloc(most)
	for _, less := range [...]int{need + need/8, need} { // there may be room for less; an eighth, so that the next byte need not move the content again
		if err != nil && less < most {
			block, err = w.blocks.Alloc(less)
		}
	}
	if err != nil {
		return nil, err
	}
	old, w.block = w.block, block
	copy(block, old[:w.n])
	return old, nil
}

// drop frees a block that a larger one has replaced. The pool refuses it if somebody else has freed it, as Reset of the pool does.
func (w *Writer) drop(old []byte) error {
	if old == nil {
		return nil
	}
	return w.blocks.Free(old)
}

func refuseWrite(err error, why string) error {
	return &PoolError{Pool: "no pool", Op: "write", Err: err, Detail: why, Unit: "none"}
}

var errBadCount = errors.New("poolgen: a reader or writer returned a count out of range")

// ReadFrom appends what r returns until io.EOF, and returns the number of bytes. When the pool has no larger block, or r fails, what was read until then is kept. It
// asks for room before it reads, also when the content fills the block and r has no more.
func (w *Writer) ReadFrom(r io.Reader) (n int64, err error) {
	for {
		if w.n == len(w.block) {
			old, err := w.grow(leastRead)
			if err == nil {
				err = w.drop(old)
			}
			if err != nil {
				return n, err
			}
		}
		m, err := r.Read(w.block[w.n:])
		if m < 0 || m > len(w.block)-w.n {
			return n, errBadCount
		}
		w.n += m
		n += int64(m)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// WriteTo writes the content to dst, which stays in w: Reset empties w. It returns the number of bytes that dst has taken.
func (w *Writer) WriteTo(dst io.Writer) (int64, error) {
	if w.n == 0 {
		return 0, nil
	}
	m, err := dst.Write(w.Bytes())
	switch {
	case m < 0 || m > w.n:
		return 0, errBadCount
	case err == nil && m < w.n:
		err = io.ErrShortWrite
	}
	return int64(m), err
}

// Bytes returns the content, without a copy. It is valid until the next call that changes w. Appending to it does not change w.
func (w *Writer) Bytes() []byte { return w.block[:w.n:w.n] }

// Len returns the length of the content.
func (w *Writer) Len() int { return w.n }

// Cap returns how long the content can become in the block that w has.
func (w *Writer) Cap() int { return len(w.block) }

// Reset empties w, which keeps its block.
func (w *Writer) Reset() { w.n = 0 }

// Close empties w and frees its block. w can be used again, and then has to be closed again; closing an empty Writer is no error.
func (w *Writer) Close() error {
	old := w.block
	w.block, w.n = nil, 0
	return w.drop(old)
}
