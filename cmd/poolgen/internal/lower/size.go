package lower

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/poolgen/poolgen/spec"
)

// Size is an amount that is a number here or, where a user's type decides, an expression for the Go compiler: generation never loads the type. The
// expression is Of, rounded up to a multiple of Up, at least Least, at most Most, multiplied by Times. A part that is zero is left out.
type Size struct {
	Known int64  // zero: Of decides
	Of    string // unsafe.Sizeof of the item, or the constant with the distance of blocks; "" with a Known
	Up    int64  // a power of two
	Least int64
	Most  int64 // a power of two
	Times int64
}

// known is a Size that is a number.
func known(n int64) Size { return Size{Known: n} }

// isZero reports whether the amount is zero, which means none.
func (s Size) isZero() bool { return s.Known == 0 && s.Of == "" }

// expr returns the amount as an expression of an integer type. Numbers are written as people write them.
func (s Size) expr(integer string) string {
	if s.Of == "" {
		return Bytes(s.Known)
	}
	text := integer + "(" + s.Of + ")"
	if s.Up > 1 {
		text = fmt.Sprintf("(%s + %d) &^ %d", text, s.Up-1, s.Up-1)
	}
	if s.Least > 0 {
		text = fmt.Sprintf("max(%s, %s)", Bytes(s.Least), text)
	}
	if s.Most > 0 {
		text = fmt.Sprintf("min(%s, 1<<%d)", text, bits.TrailingZeros64(uint64(s.Most)))
	}
	if s.Times > 0 {
		text = fmt.Sprintf("%d * %s", s.Times, text)
	}
	return text
}

// param returns the amount as the value of a template's parameter, of type uint64: numbers in decimal.
func (s Size) param() string {
	if s.Of == "" {
		return decimal(s.Known)
	}
	return s.expr("uint64")
}

// Bytes writes a number of bytes as people do: 8 << 20 for whole mebibytes.
func Bytes(n int64) string {
	if n == spec.NoLimit {
		return "poolrt.NoLimit"
	}
	for _, shift := range []int{40, 30, 20, 10} {
		if n > 0 && n%(1<<shift) == 0 {
			return fmt.Sprintf("%d << %d", n>>shift, shift)
		}
	}
	return decimal(n)
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

func roundDown(n, unit int64) int64 { return n / unit * unit }
