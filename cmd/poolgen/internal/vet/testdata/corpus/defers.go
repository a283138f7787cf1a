package corpus

import (
	"errors"
	"io"

	"example.com/vet/pools"
)

// Deferred frees: in loops, of variables that change, and beside other frees.

func deferInFunctionOfEachRound(lines []string, w io.Writer) error {
	for _, line := range lines {
		err := func() (err error) {
			b, err := pools.AllocText(len(line) + 1)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, pools.FreeText(b)) }()
			copy(b, line)
			b[len(line)] = '\n'
			_, err = w.Write(b)
			return err
		}()
		if err != nil {
			return err
		}
	}
	return nil
}

func deferredClosureFollowsVariable(list []float32) (err error) {
	var v *pools.Vertex
	defer func() {
		if v != nil {
			err = errors.Join(err, pools.FreeVertex(v))
		}
	}()
	for _, x := range list {
		if last := v; last != nil {
			v = nil
			if err := pools.FreeVertex(last); err != nil {
				return err
			}
		}
		if v, err = pools.AllocVertex(); err != nil {
			return err
		}
		move(v, x)
	}
	return nil
}

func deferredClosureFreesOnlyTheLast(list []float32) (err error) {
	var v *pools.Vertex
	defer func() {
		if v != nil {
			err = errors.Join(err, pools.FreeVertex(v))
		}
	}()
	for _, x := range list {
		if v, err = pools.AllocVertex(); err != nil { // WRONG leak: the block of the round before is lost
			return err
		}
		move(v, x)
		if err = check(v); err != nil {
			return err
		}
	}
	return nil
}

func deferArgumentIsOfTheFirstRound(list []float32) error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	defer pools.FreeVertex(v)
	for _, x := range list {
		move(v, x)
		if length(v) < 1000 {
			continue
		}
		if err := pools.FreeVertex(v); err != nil { // WRONG double: the deferred call frees the first block again
			return err
		}
		if v, err = pools.AllocVertex(); err != nil {
			return err
		}
	}
	return nil
}

func deferInLoopUntilAllAreUsed(names []string) (string, error) {
	var parts [][]byte
	for _, name := range names {
		b, err := pools.AllocLine(len(name))
		if err != nil {
			return "", err
		}
		defer pools.FreeLine(b)
		copy(b, name)
		parts = append(parts, b)
	}
	var joined []byte
	for _, p := range parts {
		joined = append(joined, p...)
		joined = append(joined, ' ')
	}
	return string(joined), nil
}

func deferBesideFreeOnSuccess(r io.Reader) (sum int, err error) {
	b, err := pools.AllocText(512)
	if err != nil {
		return 0, err
	}
	defer func() { _ = pools.FreeText(b) }()
	n, err := io.ReadFull(r, b)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	for _, c := range b[:n] {
		sum += int(c)
	}
	return sum, pools.FreeText(b) // WRONG double: the deferred function frees the block again
}

func deferCalledOffByNil(x float32) (*pools.Vertex, error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return nil, err
	}
	defer func() {
		if v != nil {
			_ = pools.FreeVertex(v)
		}
	}()
	v.X = x
	if err := check(v); err != nil {
		return nil, err
	}
	kept := v
	v = nil
	return kept, nil
}

func deferFreesWhatIsReturned(text string) ([]byte, error) {
	b, err := pools.AllocText(len(text))
	if err != nil {
		return nil, err
	}
	defer pools.FreeText(b)
	for i := range text {
		b[i] = text[len(text)-1-i]
	}
	return b, nil // WRONG use: the deferred call frees the block that is returned
}

func deferFreesOnErrorOnly(text string) (b []byte, err error) {
	b, err = pools.AllocText(len(text))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, pools.FreeText(b))
			b = nil
		}
	}()
	for i := range text {
		if text[i] == 0 {
			return b, errRange
		}
		b[i] = text[i]
	}
	return b, nil
}

func deferOnlyForLongLines(line string, w io.Writer) error {
	b, err := pools.AllocLine(len(line))
	if err != nil {
		return err
	}
	if len(line) > 80 {
		defer pools.FreeLine(b)
	}
	copy(b, line)
	_, err = w.Write(b)
	return err // WRONG leak: the block of a short line is not freed
}
