package quiet

import (
	"errors"
	"log"
	"unsafe"

	"example.com/vet/pools"
)

var errRefused = errors.New("refused")

func second[T any](_ T, err error) error { return err }

func expect(err, want error) {
	if !errors.Is(err, want) {
		log.Fatal(err)
	}
}

// Allocations that are refused: the function that gets all results finds out.
func refused(p *pools.TextPool) error {
	expect(second(p.Alloc(-1)), errRefused)
	cases := []struct{ got, want error }{
		{second(p.Alloc(1 << 40)), errRefused},
		{second(pools.AllocVertex()), errRefused},
	}
	for _, c := range cases {
		expect(c.got, c.want)
	}
	return second(p.AllocAligned(1, 3))
}

func present(v *pools.Vertex, err error) bool { return err == nil && v != nil }

func refusedLater() bool {
	v, err := pools.AllocVertex()
	return present(v, err)
}

// The addresses of blocks are numbers, and no access to the blocks.
func sameAddress() (bool, error) {
	a, err := pools.AllocBatch(10)
	if err != nil {
		return false, err
	}
	if err := pools.FreeBatch(a); err != nil {
		return false, err
	}
	b, err := pools.AllocBatch(10)
	if err != nil {
		return false, err
	}
	log.Print(a.Len(), a.Bytes() == b.Bytes())
	same := a.Addr() == b.Addr() || a.Addr()%64 == 0
	log.Print(a.Addr(), unsafe.Sizeof(a))
	return same, pools.FreeBatch(b)
}

// The number is the block.
func numbers() (uint64, error) {
	id, err := pools.AllocSeat()
	return uint64(id), err
}

// Whoever gets the pool closes it, with all blocks.
func filled() *pools.VertexPool {
	p := new(pools.VertexPool)
	for range 10 {
		if _, err := p.Alloc(); err != nil {
			break
		}
	}
	return p
}
