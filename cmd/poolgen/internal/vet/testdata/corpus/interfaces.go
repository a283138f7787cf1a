package corpus

import (
	"errors"
	"io"
	"log"

	"example.com/vet/pools"
)

// Blocks behind interfaces, closures and function values.

func shapeHoldsBlock(radius float32) (shape, error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return nil, err
	}
	*v = pools.Vertex{X: radius}
	return &disc{v: v}, nil
}

func shapeOfBadRadiusLeaks(radius float32) (shape, error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return nil, err
	}
	*v = pools.Vertex{X: radius}
	if radius <= 0 {
		return nil, errRange // WRONG leak: no shape owns the block
	}
	return &disc{v: v}, nil
}

func shapeClosedByDefer(radii []float32) (total float32, err error) {
	for _, r := range radii {
		s, failed := shapeHoldsBlock(r)
		if failed != nil {
			return total, failed
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		total += s.Area()
	}
	return total, nil
}

func shapeClosedAndBlockFreed(radius float32) (area float32, err error) {
	v, err := newVertex(radius)
	if err != nil {
		return 0, err
	}
	d := &disc{v: v}
	defer func() { err = errors.Join(err, d.Close()) }()
	area = d.Area()
	if area > 100 {
		log.Printf("radius %v is large", v.X)
	}
	return area, pools.FreeVertex(v) // WRONG double: Close of the disc frees the block as well
}

func sinkTakesBlocks(to sink, list []float32) error {
	for _, x := range list {
		v, err := newVertex(x)
		if err != nil {
			return err
		}
		if x < 0 {
			if err := pools.FreeVertex(v); err != nil {
				return err
			}
			continue
		}
		to.Take(v)
	}
	return nil
}

func closureCountsAndForgets(list []float32, each func(func(float32))) (float32, error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return 0, err
	}
	*v = pools.Vertex{}
	each(func(x float32) {
		move(v, x*list[0])
	})
	if err := check(v); err != nil {
		return 0, errors.Join(err, pools.FreeVertex(v))
	}
	return length(v), nil // WRONG leak: the closure only reads the block
}

func closureFreesForCaller(text string) (b []byte, free func() error, err error) {
	b, err = pools.AllocText(len(text))
	if err != nil {
		return nil, nil, err
	}
	copy(b, text)
	return b, func() error { return pools.FreeText(b) }, nil
}

func closureFreesTwice(text string, w io.Writer) (err error) {
	b, err := pools.AllocText(len(text))
	if err != nil {
		return err
	}
	free := func() { err = errors.Join(err, pools.FreeText(b)) }
	defer free()
	copy(b, text)
	if _, err := w.Write(b); err != nil {
		free() // WRONG double: free is deferred as well
		return err
	}
	return nil
}

func callbacksRunBeforeFrees(list []float32, callbacks map[string]func(*pools.Vertex) error) (err error) {
	for name, call := range callbacks {
		v, failed := newVertex(list[0])
		if failed != nil {
			return errors.Join(err, failed)
		}
		if failed := call(v); failed != nil {
			log.Printf("%s: %v", name, failed)
			err = errors.Join(err, failed)
		}
		err = errors.Join(err, pools.FreeVertex(v))
	}
	return err
}

func callbackGetsFreedBlock(x float32, done func(*pools.Vertex)) error {
	v, err := newVertex(x)
	if err != nil {
		return err
	}
	move(v, 1)
	if err := check(v); err != nil {
		return errors.Join(err, pools.FreeVertex(v))
	}
	if err := pools.FreeVertex(v); err != nil {
		return err
	}
	done(v) // WRONG use: the callback gets a block that is free
	return nil
}
