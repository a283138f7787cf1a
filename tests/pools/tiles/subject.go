package tiles

import (
	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Row is a row of any pool.
type Row interface {
	Handle() uint64
	Memory() cuda.Memory
	First() int
	Offset() int64
	Len() int
	Bytes() int64
}

// Pool has the methods that all pools have.
type Pool interface {
	Stats() poolrt.Stats
	Trim(int64) (int64, error)
	Close() error
}

// Subject presents a pool of any type. The functions of a pool of rows of equal length accept only that length.
type Subject struct {
	Pool
	Name    string
	Lengths []int // that can be allocated, in tiles
	Alloc   func(tiles int) (Row, error)
	Free    func(Row) error // nil: rows are not freed one by one
}

// Subjects returns new pools of all suballocators.
func Subjects() []Subject {
	long := []int{1, 4, 1, 7, 2, 1, 8, 3}
	page, fit, class, turn := new(PagePool), new(FitPool), new(ClassPool), new(TurnPool)
	bin, sharedBin := new(BinPool), new(SharedBinPool)
	frame, alone, single, quad, mine := new(FramePool), new(AlonePool), new(SinglePool), new(QuadPool), new(MinePool)
	return []Subject{
		subject("page", page, long, page.Alloc, page.Free),
		subject("fit", fit, long, fit.Alloc, fit.Free),
		subject("class", class, long, class.Alloc, class.Free),
		subject("bin", bin, long, bin.Alloc, bin.Free),
		subject("shared bin", sharedBin, long, sharedBin.Alloc, sharedBin.Free),
		subject("turn", turn, long, turn.Alloc, turn.Free),
		subject("frame", frame, long, frame.Alloc, nil),
		subject("alone", alone, []int{1, 32, 40}, alone.Alloc, alone.Free),
		subject("single", single, []int{1}, only(single.Alloc), single.Free),
		subject("quad", quad, []int{4}, only(quad.Alloc), quad.Free),
		subject("mine", mine, long, mine.Alloc, mine.Free),
	}
}

func subject[R Row](name string, p Pool, lengths []int, alloc func(int) (R, error), free func(R) error) Subject {
	s := Subject{Pool: p, Name: name, Lengths: lengths, Alloc: func(tiles int) (Row, error) { return alloc(tiles) }}
	if free != nil {
		s.Free = func(r Row) error { return free(r.(R)) }
	}
	return s
}

// only makes the function of a pool of rows of equal length one that takes a length.
func only[R Row](alloc func() (R, error)) func(int) (R, error) {
	return func(int) (R, error) { return alloc() }
}
