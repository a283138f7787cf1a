package corpus

import (
	"errors"
	"io"
	"log"

	"example.com/vet/pools"
	"github.com/poolgen/poolgen/cuda"
)

// Refs, which own a block until they are released or detached.

func refReleasedByDefer(list []float32) (total float32, err error) {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Release()) }()
	for _, x := range list {
		move(r.Get(), x)
	}
	return length(r.Get()), nil
}

func refReleasedTwiceOnError(src io.Reader) error {
	r, err := pools.AllocTextRef(256)
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(src, r.Get()); err != nil {
		log.Print(err)
		if err := r.Release(); err != nil {
			return err
		}
	}
	return r.Release() // WRONG double: the error has released it
}

func refDetachedForCaller(x float32) (*pools.Vertex, error) {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return nil, err
	}
	v := r.Get()
	v.X = x
	if err := check(v); err != nil {
		return nil, errors.Join(err, r.Release())
	}
	return r.Detach(), nil
}

func refBlockReadAfterRelease(list []float32) (float32, error) {
	r, err := pools.AllocVertexRef()
	if err != nil {
		return 0, err
	}
	v := r.Get()
	for _, x := range list {
		move(v, x)
	}
	if err := r.Release(); err != nil {
		return 0, err
	}
	return v.X / float32(len(list)), nil // WRONG use: the block went back with the Ref
}

func refGetAfterRelease(text string, w io.Writer) error {
	r, err := pools.AllocTextRef(len(text))
	if err != nil {
		return err
	}
	copy(r.Get(), text)
	if err := r.Release(); err != nil {
		return err
	}
	_, err = w.Write(r.Get()) // WRONG use: the Ref owns no block any more
	return err
}

type refSession struct {
	name  string
	block pools.TextRef
}

func refStoredInSession(name string) (*refSession, error) {
	r, err := pools.AllocTextRef(1024)
	if err != nil {
		return nil, err
	}
	s := &refSession{name: name, block: r}
	copy(s.block.Get(), name)
	return s, nil
}

func refOfEachRoundReleased(lines []string, w io.Writer) error {
	var r pools.LineRef
	for _, line := range lines {
		var err error
		if r, err = pools.AllocLineRef(len(line)); err != nil {
			return err
		}
		n := copy(r.Get(), line)
		_, err = w.Write(r.Get()[:n])
		if err := errors.Join(err, r.Release()); err != nil {
			return err
		}
	}
	return nil
}

func refLostOnEarlyReturn(src []float32, s cuda.Stream) error {
	r, err := pools.AllocBatchRefOn(len(src), s)
	if err != nil {
		return err
	}
	if len(src) > 1<<20 {
		return errRange // WRONG leak: the Ref is not released
	}
	err = pools.CopyBatchToDevice(r.Get(), src, s)
	return errors.Join(err, r.Release())
}

func refCopyReleasedToo(x float32) (err error) {
	r, err := pools.AllocCornerRef()
	if err != nil {
		return err
	}
	backup := r
	r.Get().X = x
	err = errors.Join(check(r.Get()), r.Release())
	if err != nil {
		log.Printf("corner: %v", err)
	}
	return backup.Release() // WRONG double: the copy owns the block that was freed
}

func refReleasedInEachBranch(n int) (float32, error) {
	r, err := pools.AllocStageRef(n)
	if err != nil {
		return 0, err
	}
	list := r.Get()
	clear(list)
	switch {
	case n > 100:
		total := sum(list[:100])
		return total, r.Release()
	case n > 10:
		list[0] = 1
		fallthrough
	default:
		total := sum(list)
		return total, r.Release()
	}
}
