package corpus

import (
	"bytes"
	"errors"
	"io"
	"log"

	"example.com/vet/pools"
	"github.com/poolgen/poolgen/cuda"
)

// With, which lends a block to a function.

func withUsesBlockInside(r io.Reader) (checksum byte, err error) {
	err = pools.WithText(512, func(b []byte) error {
		n, err := io.ReadFull(r, b)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		for _, c := range b[:n] {
			checksum ^= c
		}
		return nil
	})
	return checksum, err
}

func withKeepsBlock(r io.Reader) (int, error) {
	var line []byte
	err := pools.WithText(512, func(b []byte) error {
		n, err := io.ReadFull(r, b)
		line = b[:n]
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return bytes.IndexByte(line, '\n'), nil // WRONG use: the block is free since WithText returned
}

func withCopiesOut(r io.Reader) (line []byte, err error) {
	err = pools.WithLine(128, func(b []byte) error {
		n, err := r.Read(b)
		if err != nil {
			return err
		}
		line = append(line, b[:n]...)
		return nil
	})
	return bytes.TrimSpace(line), err
}

func withFreesTheBlockItself(x float32) error {
	return pools.WithVertex(func(v *pools.Vertex) error {
		*v = pools.Vertex{X: x}
		if err := check(v); err != nil {
			return errors.Join(err, pools.FreeVertex(v)) // WRONG double: WithVertex frees it as well
		}
		log.Print(length(v))
		return nil
	})
}

func withWaitsForStream(k cuda.Kernel, src, dst []float32, s cuda.Stream) error {
	return pools.WithBatch(len(src), func(b pools.BatchSpan) error {
		err := errors.Join(
			pools.CopyBatchToDevice(b, src, s),
			launch(k, b.Addr(), b.Len(), s),
			pools.CopyBatchToHost(dst, b, s))
		return errors.Join(err, s.Synchronize())
	})
}

func withReturnsWhileStreamWorks(k cuda.Kernel, src []float32, s cuda.Stream) error {
	return pools.WithBatch(len(src), func(b pools.BatchSpan) error {
		if err := pools.CopyBatchToDevice(b, src, s); err != nil {
			return errors.Join(err, s.Synchronize())
		}
		return launch(k, b.Addr(), b.Len(), s) // WRONG busy: WithBatch frees the block, and the stream still uses it
	})
}

func withInsideWith(key, value string, send func(key, value []byte) error) error {
	return pools.WithText(len(key), func(k []byte) error {
		copy(k, key)
		return pools.WithLine(len(value), func(v []byte) error {
			copy(v, value)
			return send(k, v)
		})
	})
}

func withStartsGoroutineOnBlock(x float32, results chan<- float32) error {
	return pools.WithCorner(func(v *pools.Vertex) error {
		*v = pools.Vertex{X: x, Y: x}
		if err := check(v); err != nil {
			return err
		}
		go func() {
			results <- length(v) // WRONG use: nothing makes WithCorner wait for the goroutine
		}()
		return nil
	})
}

func withWaitsForGoroutine(x float32) (total float32, err error) {
	err = pools.WithCorner(func(v *pools.Vertex) error {
		*v = pools.Vertex{X: x, Y: x}
		done := make(chan error)
		go func() { done <- check(v) }()
		total = length(v)
		return <-done
	})
	return total, err
}

type withCursor struct {
	name    string
	current *pools.Vertex
}

func (c *withCursor) withStoresBlockInStruct(x float32) (float32, error) {
	err := pools.WithVertex(func(v *pools.Vertex) error {
		v.X = x
		c.current = v
		return check(v)
	})
	if err != nil {
		log.Printf("%s: %v", c.name, err)
		c.current = nil
		return 0, err
	}
	return c.current.X, nil // WRONG use: the block is free since WithVertex returned
}
