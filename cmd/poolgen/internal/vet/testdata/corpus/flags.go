package corpus

import (
	"errors"
	"log"

	"example.com/vet/pools"
)

// Flags that say whether a block is free, who owns it, and which pool it is from.

func flagSetWhereFreed(list []float32) (err error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	freed := false
	for _, x := range list {
		if x < 0 {
			err = pools.FreeVertex(v)
			freed = true
			break
		}
		move(v, x)
	}
	if !freed {
		err = errors.Join(check(v), pools.FreeVertex(v))
	}
	return err
}

func flagSetWhereNotFreed(list []float32) (err error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	done := false
	for _, x := range list {
		if x < 0 {
			log.Printf("%v: no more numbers", x)
			done = true
			break
		}
		move(v, x)
	}
	if !done {
		err = errors.Join(check(v), pools.FreeVertex(v))
	}
	return err // WRONG leak: done is set, and the block is live
}

func flagNotSetAfterEarlyFree(list []float32) error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	freed := false
	if len(list) == 0 {
		log.Print(errEmpty)
		err = pools.FreeVertex(v)
	} else {
		move(v, list[0])
	}
	if !freed {
		err = errors.Join(err, pools.FreeVertex(v)) // WRONG double: freed was not set by the free above
	}
	return err
}

func flagOwnsOnlyOwnBlock(v *pools.Vertex, x float32) (err error) {
	owned := v == nil
	if owned {
		if v, err = pools.AllocVertex(); err != nil {
			return err
		}
		*v = pools.Vertex{}
	}
	move(v, x)
	err = check(v)
	if owned {
		err = errors.Join(err, pools.FreeVertex(v))
	}
	return err
}

func flagDirtyWritesAfterFree(x float32) (total float32, err error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return 0, err
	}
	v.X = x
	dirty := v.X > 1
	if err := pools.FreeVertex(v); err != nil {
		return 0, err
	}
	if dirty {
		total = length(v) // WRONG use: the block is free already
	}
	return total, nil
}

func eitherPoolFreedByFlag(sharp bool, x float32) (err error) {
	var v *pools.Vertex
	if sharp {
		v, err = pools.AllocCorner()
	} else {
		v, err = pools.AllocVertex()
	}
	if err != nil {
		return err
	}
	move(v, x)
	err = check(v)
	if sharp {
		return errors.Join(err, pools.FreeCorner(v))
	}
	return errors.Join(err, pools.FreeVertex(v))
}

func eitherPoolFreedByInvertedFlag(sharp bool, x float32) (err error) {
	var v *pools.Vertex
	if sharp {
		v, err = pools.AllocCorner()
	} else {
		v, err = pools.AllocVertex()
	}
	if err != nil {
		return err
	}
	move(v, x)
	err = check(v)
	if !sharp {
		return errors.Join(err, pools.FreeCorner(v)) // WRONG pool: the block is of Vertex if sharp is false
	}
	return errors.Join(err, pools.FreeVertex(v))
}

func eitherPoolFallbackFreedInFirst(x float32) error {
	v, ok := pools.TryAllocVertex()
	if !ok {
		var err error
		if v, err = pools.AllocCorner(); err != nil {
			return err
		}
	}
	v.X = x
	if err := check(v); err != nil {
		log.Print(err)
	}
	return pools.FreeVertex(v) // WRONG pool: the block may be of Corner
}

func eitherPoolFallbackRemembersFree(text string) error {
	free := pools.FreeText
	b, ok := pools.TryAllocText(len(text))
	if !ok {
		var err error
		if b, err = pools.AllocLine(len(text)); err != nil {
			return err
		}
		free = pools.FreeLine
	}
	copy(b, text)
	log.Printf("%s", b)
	return free(b)
}

func keepFlagHandsOver(table map[string]*pools.Vertex, name string, x float32) error {
	v, err := newVertex(x)
	if err != nil {
		return err
	}
	keep := check(v) == nil && name != ""
	if keep {
		if old := table[name]; old != nil {
			discard(old)
		}
		table[name] = v
	}
	log.Printf("%s: %v", name, keep)
	if keep {
		return nil
	}
	return pools.FreeVertex(v)
}
