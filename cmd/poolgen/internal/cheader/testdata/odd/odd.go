// Package odd declares structs whose layout C would get wrong if left alone, for the tests of package cheader.
package odd

import (
	"math"
	"sync/atomic"
	"unsafe"

	other "github.com/poolgen/poolgen/cmd/poolgen/internal/cheader/testdata/other/odd"
)

// Plain needs no padding.
type Plain struct{ X, Y, Z float32 }

// Holes has padding in front, between and behind.
type Holes struct {
	A bool
	B int16
	C uint8
	D float64
	E int8
	F uint32
	G byte
}

// Numbers has every builtin.
type Numbers struct {
	Bool                  bool
	I8                    int8
	I16                   int16
	I32                   int32
	I64                   int64
	U8                    uint8
	U16                   uint16
	U32                   uint32
	U64                   uint64
	F32                   float32
	F64                   float64
	C64                   complex64
	After                 uint8
	C128                  complex128
	Byte                  byte
	Rune                  rune
	Signed                int
	Unsigned              uint
	Address               uintptr
	Rows                  [2][3]int16
	Empty                 [0]int64
	Colour                Colour
	NoRoom                struct{}
	_                     uint16
	Last                  bool
	Infinite, NotANumber_ float32
}

// Colour is a number with a name.
type Colour uint32

// Unnamed stands for a struct without a name.
type Unnamed = struct {
	A uint8
	B uint16
}

// Small takes one byte.
type Small struct{ On bool }

// Nested has structs of this and another package, of one name, and one without a name.
type Nested struct {
	Small
	Mine   Holes
	Theirs other.Holes
	Rows   [2]other.Plain
	Inner  struct {
		A uint8
		B struct{ C, D uint16 }
	}
	Again Holes
	Pair  Pair[uint8, Plain]
}

// Around has Nested and, in it, structs without a name, which it has of its own, too.
type Around struct {
	Nested Nested
	Inner  struct{ A uint16 }
}

// Boxes has instances that differ in what C does not see.
type Boxes struct {
	A Box[int]
	B Box[*int]
}

// Box has nothing of its type argument.
type Box[T any] struct {
	_ [0]func(T)
	A uint8
}

// Pair is generic.
type Pair[A, B any] struct {
	First  A
	Second B
}

// PairOfNumbers is an instance of it.
type PairOfNumbers = Pair[int8, int64]

// Wide is aligned by what C does not see.
type Wide struct {
	_ [0]uint64
	A uint32
	_ uint32
}

// Counted is aligned to 64 bits on every machine.
type Counted struct {
	A uint32
	N atomic.Int64
	B atomic.Bool
}

// Tailed ends with what takes no room, for which Go leaves some.
type Tailed struct {
	A uint64
	_ struct{}
	B [0]uint8
}

// Blank has nothing that C can name.
type Blank struct {
	_ uint32
	_ uint8
}

// Words has fields whose names mean something in C, C++ or CUDA, or look like what the header adds.
type Words struct {
	class, class_, template, int8_t uint8
	__global__, _pad0, linux        uint16
	_Bool, _Static_assert, _x       uint8
	NULL, EOF, INFINITY, NAN, errno uint8
	size_t, I, noreturn             uint8
	POOLGEN_ALIGNAS                 uint8
	größe                           uint64
	_pad1                           uint8
	Odd_Plain                       Plain
}

// Matrix is an array with a name.
type Matrix [4][4]float32

// Handle is a number with a name.
type Handle uint64

// Long has an array whose length the compiler computes.
type Long struct{ A [math.MaxUint8 / 2]uint16 }

// Texts and its kin cannot be told to C.
type (
	Texts   struct{ Inner struct{ Name string } }
	Points  struct{ Next [2]*Points }
	Slices  struct{ Rows []uint8 }
	Maps    struct{ M map[int]int }
	Funcs   struct{ F func() }
	Chans   struct{ C chan int }
	Any     struct{ A any }
	Unsafe  struct{ A unsafe.Pointer }
	Link    *Plain
	Hidden  struct{ _ string }
	Nothing struct{}
	Boxed   = [2]Box[int]
)

// Filled stands for an instance, and Half for all that have a number first.
type (
	Filled      = Pair[int8, Plain]
	Half[B any] = Pair[int8, B]
)
