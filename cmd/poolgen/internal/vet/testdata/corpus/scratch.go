package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"example.com/vet/pools"
)

// Pools that are reset: bump and ring.

func scratchResetEachFrame(frames [][]byte, w io.Writer) error {
	p := pools.DefaultScratchPool()
	for _, frame := range frames {
		b, err := p.Alloc(2 * len(frame))
		if err != nil {
			return err
		}
		n := copy(b, bytes.ToUpper(frame))
		if _, err := w.Write(b[:n]); err != nil {
			return errors.Join(err, p.Reset())
		}
		if err := p.Reset(); err != nil {
			return err
		}
	}
	return nil
}

func scratchReadAfterReset(frame []byte, w io.Writer) error {
	p := pools.DefaultScratchPool()
	b, err := p.Alloc(len(frame))
	if err != nil {
		return err
	}
	copy(b, frame)
	if err := p.Reset(); err != nil {
		return err
	}
	_, err = w.Write(b) // WRONG reset: Reset has freed the block
	return err
}

func scratchReleasedToMark(p *pools.ScratchPool, words []string) (longest int, err error) {
	for _, word := range words {
		m := p.Mark()
		b, err := p.Alloc(len(word) + 1)
		if err != nil {
			return 0, err
		}
		n := copy(b, bytes.TrimSpace([]byte(word)))
		longest = max(longest, n)
		if err := p.Release(m); err != nil {
			return 0, err
		}
	}
	return longest, nil
}

func scratchReadAfterRelease(p *pools.ScratchPool, word string) (first byte, err error) {
	m := p.Mark()
	b, err := p.Alloc(len(word) + 1)
	if err != nil {
		return 0, err
	}
	copy(b, word)
	b[len(word)] = 0
	if err := p.Release(m); err != nil {
		return 0, err
	}
	return b[0], nil // WRONG reset: the block is newer than the mark
}

func scratchOlderThanMarkStays(p *pools.ScratchPool, names []string) (string, error) {
	out, err := p.Alloc(16 * len(names))
	if err != nil {
		return "", err
	}
	n := 0
	for _, name := range names {
		m := p.Mark()
		upper, err := p.Alloc(len(name))
		if err != nil {
			return "", err
		}
		copy(upper, bytes.ToUpper([]byte(name)))
		n += copy(out[n:], upper)
		if err := p.Release(m); err != nil {
			return "", err
		}
	}
	return string(out[:n]), nil
}

func ringReadAfterReset(p *pools.RoundPool, lines []string) (total int, err error) {
	var last []byte
	for _, line := range lines {
		b, err := p.Alloc(len(line) + 1)
		if err != nil {
			return 0, err
		}
		total += copy(b, line)
		last = b
	}
	if last == nil {
		return 0, errEmpty
	}
	if err := p.Reset(); err != nil {
		return 0, err
	}
	total += int(last[0]) // WRONG reset: Reset has freed all blocks of the ring
	return total, nil
}

func scratchCopiedBeforeReset(text string) (string, error) {
	p := pools.DefaultScratchPool()
	b, err := p.Alloc(len(text))
	if err != nil {
		return "", err
	}
	for i := range text {
		b[len(text)-1-i] = text[i]
	}
	backwards := string(b)
	return backwards, p.Reset()
}

func scratchReturnedThoughReset(text string) (out []byte, err error) {
	p := pools.DefaultScratchPool()
	defer func() { err = errors.Join(err, p.Reset()) }()
	b, err := p.Alloc(len(text))
	if err != nil {
		return nil, err
	}
	for i := range text {
		b[len(text)-1-i] = text[i]
	}
	return b, nil // WRONG reset: the deferred Reset frees the block that is returned
}

func scratchMarksNest(p *pools.ScratchPool, rows [][]string) (cells int, err error) {
	outer := p.Mark()
	for _, row := range rows {
		line, err := p.Alloc(64)
		if err != nil {
			return cells, err
		}
		inner := p.Mark()
		n := 0
		for _, cell := range row {
			b, err := p.Alloc(len(cell))
			if err != nil {
				return cells, errors.Join(err, p.Release(outer))
			}
			copy(b, cell)
			n += copy(line[n:], b)
			cells++
		}
		if err := p.Release(inner); err != nil {
			return cells, err
		}
		line[0] |= 0x20
	}
	return cells, p.Release(outer)
}

func scratchPoolCopiedForReport(p *pools.ScratchPool, w io.Writer) error {
	b, err := p.Alloc(32)
	if err != nil {
		return err
	}
	clear(b)
	before := *p // WRONG copy: a pool must not be copied after its first use
	if err := p.Reset(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d bytes before, %d after\n", before.Stats().LiveBytes, p.Stats().LiveBytes)
	return err
}
