// Package atomic has the names of sync/atomic. Its operations are scheduling points of package explore.
package atomic

import (
	"unsafe"

	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// number is a number of any type. It is kept in 64 bits.
type number[T ~int32 | ~int64 | ~uint32 | ~uint64] struct {
	mark explore.Mark
	v    uint64
}

// Cell returns the variable, for relaxed stores.
func (a *number[T]) Cell() explore.Cell { return explore.In(&a.mark, unsafe.Pointer(&a.v), 8) }

func value[T ~int32 | ~int64 | ~uint32 | ~uint64](v T) explore.Value {
	return explore.Value{N: uint64(v)}
}

func (a *number[T]) Load() T   { return T(a.Cell().Load("Load").N) }
func (a *number[T]) Store(v T) { a.Cell().Store(value(v), "Store") }
func (a *number[T]) Swap(v T) T {
	return T(a.Cell().Swap(value(v), "Swap").N)
}

func (a *number[T]) CompareAndSwap(old, now T) bool {
	return a.Cell().CompareAndSwap(value(old), value(now), "CompareAndSwap")
}

func (a *number[T]) Add(d T) T {
	return a.update("Add", func(v T) T { return v + d }) + d
}
func (a *number[T]) Or(m T) T  { return a.update("Or", func(v T) T { return v | m }) }
func (a *number[T]) And(m T) T { return a.update("And", func(v T) T { return v & m }) }

func (a *number[T]) update(what string, f func(T) T) (old T) {
	return T(a.Cell().Update(what, func(v explore.Value) explore.Value { return value(f(T(v.N))) }).N)
}

type (
	Int32  struct{ number[int32] }
	Int64  struct{ number[int64] }
	Uint32 struct{ number[uint32] }
	Uint64 struct{ number[uint64] }
)

// Bool is sync/atomic's.
type Bool struct{ n number[uint64] }

// Peek is Load, and no scheduling point.
func (a *Bool) Peek() bool       { return a.n.v != 0 }
func (a *Bool) Load() bool       { return a.n.Load() != 0 }
func (a *Bool) Store(v bool)     { a.n.Store(explore.Truth(v)) }
func (a *Bool) Swap(v bool) bool { return a.n.Swap(explore.Truth(v)) != 0 }
func (a *Bool) CompareAndSwap(old, now bool) bool {
	return a.n.CompareAndSwap(explore.Truth(old), explore.Truth(now))
}

// Pointer is sync/atomic's.
type Pointer[T any] struct {
	mark explore.Mark
	p    unsafe.Pointer
	_    [0]*T
}

// Cell returns the variable, for relaxed stores.
func (a *Pointer[T]) Cell() explore.Cell {
	return explore.In(&a.mark, unsafe.Pointer(&a.p), explore.Pointer)
}

func pointer[T any](p *T) explore.Value { return explore.Value{P: unsafe.Pointer(p)} }

func (a *Pointer[T]) Load() *T     { return (*T)(a.Cell().Load("Load").P) }
func (a *Pointer[T]) Store(v *T)   { a.Cell().Store(pointer(v), "Store") }
func (a *Pointer[T]) Swap(v *T) *T { return (*T)(a.Cell().Swap(pointer(v), "Swap").P) }
func (a *Pointer[T]) CompareAndSwap(old, now *T) bool {
	return a.Cell().CompareAndSwap(pointer(old), pointer(now), "CompareAndSwap")
}

func LoadUint32(p *uint32) uint32 { return uint32(word(p).Load("LoadUint32").N) }

func StoreUint32(p *uint32, v uint32) { word(p).Store(value(v), "StoreUint32") }

func CompareAndSwapUint32(p *uint32, old, now uint32) bool {
	return word(p).CompareAndSwap(value(old), value(now), "CompareAndSwapUint32")
}

func word(p *uint32) explore.Cell { return explore.At(unsafe.Pointer(p), 4) }

func StoreUint64(p *uint64, v uint64) {
	explore.At(unsafe.Pointer(p), 8).Store(value(v), "StoreUint64")
}

func LoadPointer(p *unsafe.Pointer) unsafe.Pointer {
	return explore.At(unsafe.Pointer(p), explore.Pointer).Load("LoadPointer").P
}

func StorePointer(p *unsafe.Pointer, v unsafe.Pointer) {
	explore.At(unsafe.Pointer(p), explore.Pointer).Store(explore.Value{P: v}, "StorePointer")
}

func LoadUint64(p *uint64) uint64 { return explore.At(unsafe.Pointer(p), 8).Load("LoadUint64").N }

func AddUint32(p *uint32, d uint32) uint32 {
	return uint32(word(p).Update("AddUint32", func(v explore.Value) explore.Value { return value(uint32(v.N) + d) }).N) + d
}
