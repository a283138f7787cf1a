package corpus

import (
	"errors"
	"io"
	"log"
	"unsafe"

	"example.com/vet/pools"
	"github.com/poolgen/poolgen/cuda"
)

// Blocks as numbers: addresses, handles and indices.

func handleIsTheBlock(x float32) (uintptr, error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return 0, err
	}
	v.X = x
	return uintptr(unsafe.Pointer(v)), nil
}

func handleBecomesBlockAgain(handles map[string]uintptr, name string) (float32, error) {
	h, ok := handles[name]
	if !ok {
		return 0, errEmpty
	}
	delete(handles, name)
	v := *(**pools.Vertex)(unsafe.Pointer(&h))
	total := length(v)
	return total, pools.FreeVertex(v)
}

func handleOfFreedBlock(x float32) (uintptr, error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return 0, err
	}
	*v = pools.Vertex{X: x, Y: x}
	h := uintptr(unsafe.Pointer(v))
	if err := check(v); err != nil {
		log.Printf("handle %#x: %v", h, err)
	}
	if err := pools.FreeVertex(v); err != nil {
		return 0, err
	}
	return h, nil // WRONG use: the handle points into a block that is free
}

func indexOfBlockInTable(table *[]*pools.Vertex, x float32) (int32, error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return -1, err
	}
	*v = pools.Vertex{Y: x}
	index := int32(len(*table))
	*table = append(*table, v)
	return index, nil
}

func indexWithoutTable(names map[string]int, name string, x float32) (int, error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return -1, err
	}
	*v = pools.Vertex{Y: x}
	index := len(names)
	names[name] = index
	if err := check(v); err != nil {
		log.Printf("%s: %v", name, err)
	}
	return index, nil // WRONG leak: the index is stored, the block is not
}

func addrReturnedAndBlockKept(owned map[cuda.DevicePtr]pools.BatchSpan, src []float32, s cuda.Stream) (cuda.DevicePtr, error) {
	b, err := pools.AllocBatch(len(src))
	if err != nil {
		return 0, err
	}
	if err := errors.Join(b.CopyFrom(src, s), s.Synchronize()); err != nil {
		return 0, errors.Join(err, pools.FreeBatch(b))
	}
	at := b.Addr()
	owned[at] = b
	return at, nil
}

func addrOfFreedSpan(src []float32, s cuda.Stream) (cuda.DevicePtr, error) {
	b, err := pools.AllocBatch(len(src))
	if err != nil {
		return 0, err
	}
	err = errors.Join(b.CopyFrom(src, s), s.Synchronize())
	if err := errors.Join(err, pools.FreeBatch(b)); err != nil {
		return 0, err
	}
	return b.Addr(), nil // WRONG use: the memory at the address is free
}

func bytesOfBlockAreWritten(w io.Writer, x float32) (err error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	*v = pools.Vertex{X: x, Y: x, Z: x}
	raw := (*[unsafe.Sizeof(*v)]byte)(unsafe.Pointer(v))[:]
	_, err = w.Write(raw)
	return errors.Join(err, pools.FreeVertex(v))
}

func bytesOfBlockOutliveIt(w io.Writer, list []float32) error {
	b, err := pools.AllocStage(len(list))
	if err != nil {
		return err
	}
	copy(b, list)
	raw := asBytes(b)
	header := []byte{byte(len(raw)), byte(len(raw) >> 8)}
	if err := pools.FreeStage(b); err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	_, err = w.Write(raw) // WRONG use: the bytes are those of the freed block
	return err
}

func addressIsLoggedAndLost(x float32) error {
	v, err := pools.AllocCorner()
	if err != nil {
		return err
	}
	v.X = x
	at := uintptr(unsafe.Pointer(v))
	if at%unsafe.Alignof(*v) != 0 {
		log.Printf("%#x is not aligned", at)
	}
	move(v, 1)
	log.Printf("corner at %#x: %v", at, v.X)
	return nil // WRONG leak: only the address was passed on, to be printed
}
