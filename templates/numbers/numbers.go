// Package numbers turns what a suballocator hands out, a range and an offset, into numbered resources: an ID, or IDs for
// several in a row. It is one of the memories that a shell template (item, span) is linked with.
package numbers

import (
	"math"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// ID is the number of one resource.
type ID uint64

// IDs is a row of resources with consecutive numbers.
type IDs struct {
	first ID
	n     uint64
}

// First returns the lowest number.
func (s IDs) First() ID { return s.first }

// Len returns how many numbers there are.
func (s IDs) Len() int { return int(s.n) }

// At returns the i-th number; it does not check that i is below Len.
func (s IDs) At(i int) ID { return s.first + ID(i) }

// Ref is one resource.
type Ref = ID

// Span is a row of resources.
type Span = IDs

// ItemSize is 1: sizes of a pool of numbers count numbers.
const ItemSize = uint64(1)

// MaxItems is the largest count of a row that an int can express.
const MaxItems = uint64(math.MaxInt)

// At is the number at an offset of a range.
func At(e *poolimpl.Engine, slot uint32, off uint64) Ref { return ID(e.Addr(slot) + off) }

// SpanAt is the row of n numbers at an offset of a range.
func SpanAt(e *poolimpl.Engine, slot uint32, off uint64, n int) Span {
	return IDs{first: ID(e.Addr(slot) + off), n: uint64(n)}
}

// Of is the number that the engine found.
func Of(b poolimpl.Block) Ref { return ID(b.Addr) }

// SpanOf is the row of numbers that the engine found.
func SpanOf(b poolimpl.Block) Span { return IDs{first: ID(b.Addr), n: uint64(b.Items)} }

// Addr is the number itself.
func Addr(r Ref) uint64 { return uint64(r) }

// SpanAddr is the first number.
func SpanAddr(s Span) uint64 { return uint64(s.first) }

// SpanBytes is how many numbers there are.
func SpanBytes(s Span) uint64 { return s.n }

// Place is the number itself.
func Place(r Ref) uint64 { return uint64(r) }

// SpanPlace is the first number.
func SpanPlace(s Span) uint64 { return uint64(s.first) }

// Zero does nothing: there is no memory behind a number.
func Zero(Ref) {}

// ZeroSpan does nothing: there is no memory behind a number.
func ZeroSpan(Span) {}
