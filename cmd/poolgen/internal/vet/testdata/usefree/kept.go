package usefree

import (
	"errors"
	"fmt"

	"example.com/vet/pools"
)

// Blocks that outlive the call of With.

var kept, current, emptied, used *pools.Vertex

func keptInPackage() error {
	return pools.WithVertex(func(v *pools.Vertex) error {
		kept = v // want `PG102: the block of pool Vertex is kept in kept, and With frees it when this function returns`
		return nil
	})
}

func keptInResult() (v *pools.Vertex, err error) {
	err = pools.WithVertex(func(w *pools.Vertex) error { v = w; return nil })
	return // want `PG102`
}

func keptInOnlyResult() (v *pools.Vertex) {
	_ = pools.WithVertex(func(w *pools.Vertex) error { v = w; return nil })
	return // want `PG102`
}

func arrayOfBatch() (float32, error) {
	var list [4]*pools.Vertex
	if _, err := pools.AllocVertexBatch(list[:]); err != nil {
		return 0, err
	}
	if err := pools.FreeVertexBatch(list[:]); err != nil {
		return 0, err
	}
	return list[0].X, nil // want `PG102: the batch of pool Vertex is used after it was freed`
}

func arrayFreedTwice() error {
	var list [4]*pools.Vertex
	if _, err := pools.AllocVertexBatch(list[:]); err != nil {
		return err
	}
	if err := pools.FreeVertexBatch(list[:]); err != nil {
		return err
	}
	return pools.FreeVertexBatch(list[:]) // want `PG103`
}

// From here on, all is well.

func step() error {
	_, err := fmt.Println(current.X)
	return err
}

func currentIsUsedInside() error {
	return pools.WithVertex(func(v *pools.Vertex) error {
		current = v
		return step()
	})
}

func clearedInside() error {
	return pools.WithVertex(func(v *pools.Vertex) error {
		defer func() { emptied = nil }()
		emptied = v
		return nil
	})
}

func clearedAfterwards() error {
	err := pools.WithVertex(func(v *pools.Vertex) error {
		emptied = v
		return nil
	})
	emptied = nil
	return err
}

func forgets() { emptied = nil }

func clearedByHelper() error {
	defer forgets()
	return pools.WithVertex(func(v *pools.Vertex) error {
		emptied = v
		return nil
	})
}

func clearedAtExit() error {
	defer func() { emptied = nil }()
	return pools.WithVertex(func(v *pools.Vertex) error {
		emptied = v
		return nil
	})
}

func usedUnderLock() error {
	return pools.WithVertex(func(v *pools.Vertex) error {
		used = v
		x := used.X
		used = nil
		if x > 0 {
			return nil
		}
		return errors.New("no")
	})
}

func copied() (v *pools.Vertex, err error) {
	err = pools.WithVertex(func(w *pools.Vertex) error {
		v = w
		return nil
	})
	if err != nil {
		return
	}
	v = &pools.Vertex{X: 1}
	return
}

func resultIsCleared() (v *pools.Vertex, err error) {
	defer func() { v = nil }()
	err = pools.WithVertex(func(w *pools.Vertex) error { v = w; return nil })
	return
}

func failsLater() (v *pools.Vertex, err error) {
	err = pools.WithVertex(func(w *pools.Vertex) error { v = w; return nil })
	if err == nil {
		err = errors.New("always")
	}
	return
}

func arrayFreedWhole() error {
	var list [4]*pools.Vertex
	if _, err := pools.AllocVertexBatch(list[:]); err != nil {
		return err
	}
	for _, v := range list {
		v.X = 1
	}
	list[0].Y = 2
	return pools.FreeVertexBatch(list[:])
}

func arrayRefilled() error {
	var list [4]*pools.Vertex
	for range 3 {
		if _, err := pools.AllocVertexBatch(list[:]); err != nil {
			return err
		}
		list[0].X = 1
		if err := pools.FreeVertexBatch(list[:]); err != nil {
			return err
		}
	}
	return nil
}

func arrayByOtherName() error {
	var list [4]*pools.Vertex
	all := list[:]
	if _, err := pools.AllocVertexBatch(list[:]); err != nil {
		return err
	}
	return pools.FreeVertexBatch(all)
}

func inHalves() error {
	var list [4]*pools.Vertex
	if _, err := pools.AllocVertexBatch(list[:2]); err != nil {
		return err
	}
	if _, err := pools.AllocVertexBatch(list[2:]); err != nil {
		return errors.Join(err, pools.FreeVertexBatch(list[:2]))
	}
	return pools.FreeVertexBatch(list[:])
}

func halfIsFreed() (float32, error) {
	var list [4]*pools.Vertex
	if _, err := pools.AllocVertexBatch(list[:]); err != nil {
		return 0, err
	}
	if err := pools.FreeVertexBatch(list[:2]); err != nil {
		return 0, err
	}
	x := list[2].X
	return x, pools.FreeVertexBatch(list[2:])
}
