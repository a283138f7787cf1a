package simulator

import (
	"math"
	"slices"
	"sync"
	"unsafe"
)

// aligned returns bytes at an address that suits any number.
func aligned(n uint64) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// The numbers of operations.
const (
	opSum = iota
	opProd
	opMax
	opMin
	opAvg
)

// reducers reduce items, by the number of their type.
var reducers = [...]func(op int32, parts [][]byte) []byte{
	reduceAs[int8], reduceAs[uint8], reduceAs[int32], reduceAs[uint32], reduceAs[int64], reduceAs[uint64],
	reduceHalf, reduceAs[float32], reduceAs[float64], reduceBrain,
}

// reduce returns what an operation makes of parts of the same length.
func reduce(op, typ int32, parts [][]byte) []byte { return reducers[typ](op, parts) }

type number interface {
	int8 | uint8 | int32 | uint32 | int64 | uint64 | float32 | float64
}

func reduceAs[T number](op int32, parts [][]byte) []byte {
	out := aligned(uint64(len(parts[0])))
	copy(out, parts[0])
	sum := itemsOf[T](out)
	for _, p := range parts[1:] {
		for i, v := range itemsOf[T](p) {
			sum[i] = combine(op, sum[i], v)
		}
	}
	if op == opAvg {
		for i := range sum {
			sum[i] /= T(len(parts))
		}
	}
	return out
}

func combine[T number](op int32, a, b T) T {
	switch op {
	case opProd:
		return a * b
	case opMax:
		return max(a, b)
	case opMin:
		return min(a, b)
	}
	return a + b
}

func itemsOf[T any](b []byte) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))/unsafe.Sizeof(t))
}

// reduceHalf and reduceBrain reduce as float32, and round once.
func reduceHalf(op int32, parts [][]byte) []byte { return reduceWide(op, parts, fromHalf, toHalf) }
func reduceBrain(op int32, parts [][]byte) []byte {
	return reduceWide(op, parts, fromBrain, toBrain)
}

func reduceWide(op int32, parts [][]byte, widen func(uint16) float32, narrow func(float32) uint16) []byte {
	wide := make([][]byte, len(parts))
	for i, p := range parts {
		wide[i] = aligned(2 * uint64(len(p)))
		for j, v := range itemsOf[uint16](p) {
			itemsOf[float32](wide[i])[j] = widen(v)
		}
	}
	out := aligned(uint64(len(parts[0])))
	for i, v := range itemsOf[float32](reduceAs[float32](op, wide)) {
		itemsOf[uint16](out)[i] = narrow(v)
	}
	return out
}

func fromBrain(v uint16) float32 { return math.Float32frombits(uint32(v) << 16) }

// toBrain rounds to the nearest, and ties to even.
func toBrain(f float32) uint16 {
	b := math.Float32bits(f)
	if f != f {
		return uint16(b>>16) | 1
	}
	return uint16((b + 0x7FFF + b>>16&1) >> 16)
}

// halves are the values of the numbers of 16 bits without sign, ascending; the last is infinity.
var halves = sync.OnceValue(func() []float32 {
	values := make([]float32, 0x7C01)
	for i := range values {
		exponent, fraction := i>>10, i&0x3FF
		if exponent == 0 {
			values[i] = float32(math.Ldexp(float64(fraction), -24))
		} else {
			values[i] = float32(math.Ldexp(float64(0x400+fraction), exponent-25))
		}
	}
	return values
})

func fromHalf(v uint16) float32 {
	at := int(v & 0x7FFF)
	f := float32(math.NaN())
	switch last := len(halves()) - 1; {
	case at < last:
		f = halves()[at]
	case at == last:
		f = float32(math.Inf(1))
	}
	return float32(math.Copysign(float64(f), float64(1-2*int(v>>15))))
}

// toHalf rounds to the nearest, and ties to even. The first value beyond the finite ones is where infinity begins.
func toHalf(f float32) uint16 {
	sign := uint16(math.Float32bits(f) >> 16 & 0x8000)
	if f != f {
		return sign | 0x7E00
	}
	f = float32(math.Abs(float64(f)))
	values := halves()
	at, exact := slices.BinarySearch(values, f)
	switch {
	case exact:
	case at == len(values):
		at--
	case at > 0:
		below, above := f-values[at-1], values[at]-f
		if below < above || below == above && at&1 == 1 {
			at--
		}
	}
	return sign | uint16(at)
}
