// Package numbers turns the result of a suballocator, a range and an offset, into numbered resources: ID for one, and IDs for
// several in a row. A shell template (item, span) is linked with this or another package of memory.
package numbers

import (
	"math"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// ID is the number of one resource.
type ID uint64

// IDs is several resources with consecutive numbers.
type IDs struct {
	first ID
	n     uint64
}

// First returns the lowest number.
func (s IDs) First() ID { return s.first }

// Len returns how many numbers there are.
func (s IDs) Len() int { return int(s.n) }

// At returns number i, counted from 0. It does not check that i is at least 0 and below Len.
func (s IDs) At(i int) ID { return s.first + ID(i) }

// Ref is one resource.
type Ref = ID

// Span is several resources.
type Span = IDs

// Address is the number of a block: its first one.
type Address = uint64

// ItemSize is 1: sizes count numbers.
const ItemSize = uint64(1)

// MaxItems is the largest count of numbers in a block: the largest int.
const MaxItems = uint64(math.MaxInt)

// At returns the number at an offset of a range.
func At(e *poolimpl.Engine, slot uint32, off uint64) Ref { return ID(e.Addr(slot) + off) }

// OnlyAt returns the number at an offset of the only range.
func OnlyAt(e *poolimpl.Engine, off uint64) Ref { return ID(e.OnlyAddr() + off) }

// SpanAt returns the n numbers at an offset of a range.
func SpanAt(e *poolimpl.Engine, slot uint32, off uint64, n int) Span {
	return IDs{first: ID(e.Addr(slot) + off), n: uint64(n)}
}

// Of returns the number of a block that the engine allocated.
func Of(b poolimpl.Block) Ref { return ID(b.Addr) }

// SpanOf returns the numbers of a block that the engine allocated.
func SpanOf(b poolimpl.Block) Span { return IDs{first: ID(b.Addr), n: uint64(b.Items)} }

// Addr returns the number, which is the address in the suballocator.
func Addr(r Ref) uint64 { return uint64(r) }

// SpanAddr returns the first number, which is the address in the suballocator.
func SpanAddr(s Span) uint64 { return uint64(s.first) }

// SpanBytes returns how many numbers there are.
func SpanBytes(s Span) uint64 { return s.n }

// Place returns the number.
func Place(r Ref) uint64 { return uint64(r) }

// SpanPlace returns the first number.
func SpanPlace(s Span) uint64 { return uint64(s.first) }

// Zero does nothing: a number has no memory.
func Zero(*poolimpl.Engine, Ref) {}

// ZeroSpan does nothing: numbers have no memory.
func ZeroSpan(*poolimpl.Engine, Span) {}
