package corpus

import (
	"errors"
	"io"
	"strconv"

	"example.com/vet/pools"
	"github.com/poolgen/poolgen/cuda"
)

// Parts of blocks: spans of device memory and slices of host memory.

func spanHalvesWorkedOnAndFreedWhole(k cuda.Kernel, src []float32, s cuda.Stream) error {
	b, err := pools.AllocBatchOn(len(src), s)
	if err != nil {
		return err
	}
	half := b.Len() / 2
	low, high := b.Slice(0, half), b.Slice(half, b.Len())
	err = errors.Join(
		low.CopyFrom(src[:half], s),
		high.CopyFrom(src[half:], s),
		launch(k, low.Addr(), low.Len(), s),
		launch(k, high.Addr(), high.Len(), s))
	return errors.Join(err, pools.FreeBatchOn(b, s))
}

func spanFreedByHalves(src []float32, s cuda.Stream) error {
	b, err := pools.AllocBatchOn(len(src), s)
	if err != nil {
		return err
	}
	half := b.Len() / 2
	err = b.CopyFrom(src, s)
	return errors.Join(err,
		pools.FreeBatchOn(b.Slice(0, half), s), // WRONG part: only the whole block can be freed
		pools.FreeBatchOn(b.Slice(half, b.Len()), s))
}

func textGrowsIntoLargerBlock(r io.Reader) (n int, err error) {
	b, err := pools.AllocText(64)
	if err != nil {
		return 0, err
	}
	for {
		m, readErr := r.Read(b[n:])
		n += m
		if readErr != nil {
			return n, pools.FreeText(b)
		}
		if n < len(b) {
			continue
		}
		larger, err := pools.AllocText(2 * len(b))
		if err != nil {
			return n, errors.Join(err, pools.FreeText(b))
		}
		copy(larger, b)
		if err := pools.FreeText(b); err != nil {
			return n, errors.Join(err, pools.FreeText(larger))
		}
		b = larger
	}
}

func textCutBeforeFree(r io.Reader, w io.Writer) error {
	b, err := pools.AllocText(4096)
	if err != nil {
		return err
	}
	n, err := io.ReadFull(r, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	b = b[:n]
	if err == nil {
		_, err = w.Write(b)
	}
	return errors.Join(err, pools.FreeText(b)) // WRONG part: the slice is shorter than the block
}

func textCutInAnotherVariable(r io.Reader, w io.Writer) error {
	block, err := pools.AllocText(4096)
	if err != nil {
		return err
	}
	line := block
	for len(line) > 0 {
		n, err := r.Read(line)
		if err != nil {
			break
		}
		line = line[n:]
	}
	_, err = w.Write(block[:len(block)-len(line)])
	return errors.Join(err, pools.FreeText(block))
}

func textFreedBehindHeader(payload string, w io.Writer) error {
	b, err := pools.AllocLine(4 + len(payload))
	if err != nil {
		return err
	}
	b[0], b[1] = byte(len(payload)), byte(len(payload)>>8)
	body := b[4:]
	copy(body, payload)
	if _, err := w.Write(b); err != nil {
		return errors.Join(err, pools.FreeLine(b))
	}
	return pools.FreeLine(body) // WRONG part: the block begins four bytes earlier
}

func textAppendedWithinCapacity(numbers []int, w io.Writer) error {
	block, err := pools.AllocText(21 * len(numbers))
	if err != nil {
		return err
	}
	out := block[:0]
	for _, n := range numbers {
		out = strconv.AppendInt(out, int64(n), 10)
		out = append(out, '\n')
	}
	_, err = w.Write(out)
	return errors.Join(err, pools.FreeText(block))
}

func textAppendedBeyondBlock(tail string, w io.Writer) error {
	b, err := pools.AllocText(16)
	if err != nil {
		return err
	}
	clear(b)
	copy(b, "prefix: ")
	b = append(b, tail...) // WRONG leak: append has moved the text to the Go heap, and the block is lost
	if _, err := w.Write(b); err != nil {
		return errors.Join(err, pools.FreeText(b))
	}
	return pools.FreeText(b)
}

type spanWindow struct {
	whole pools.BatchSpan // to be freed
	part  pools.BatchSpan // to be worked on
}

func spanWindowKeepsTheWhole(n, from, to int) (spanWindow, error) {
	b, err := pools.AllocBatch(n)
	if err != nil {
		return spanWindow{}, err
	}
	if from > to || to > n {
		return spanWindow{}, errors.Join(errRange, pools.FreeBatch(b))
	}
	return spanWindow{whole: b, part: b.Slice(from, to)}, nil
}

func spanAndGoSliceToKernel(k cuda.Kernel, scale []float32, n int, s cuda.Stream) error {
	b, err := pools.AllocBatchOn(n, s)
	if err != nil {
		return err
	}
	err = b.Zero(s)
	if err == nil {
		config := cuda.Config{Grid: [3]uint32{64}, Block: [3]uint32{256}, Stream: s}
		err = k.Launch(config, b.Addr(), uint64(b.Len()), scale) // WRONG hostptr: the kernel cannot read a Go slice
	}
	return errors.Join(err, pools.FreeBatchOn(b, s))
}
