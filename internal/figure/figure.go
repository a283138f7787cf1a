// Package figure formats numbers and names for people.
package figure

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// units are binary: 2^64 is 16 EiB.
var units = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// Bytes writes a number of bytes with the given number of digits, three or more, and a binary unit.
func Bytes(n float64, digits int) string {
	if n < 0 {
		return "-" + Bytes(-n, digits)
	}
	unit := 0
	for ; n >= 1024 && unit < len(units)-1; unit++ {
		n /= 1024
	}
	if n >= 1000 {
		digits = max(digits, 4) // no exponent
	}
	return fmt.Sprintf("%.*g %s", digits, n, units[unit])
}

// Amount writes an amount in the unit of a pool, bytes or numbers, or that there is no limit.
func Amount(n int64, unit string) string {
	if n == math.MaxInt64 {
		return "none"
	}
	return Size(float64(n), unit)
}

// Size is Amount for an amount that is not a limit.
func Size(n float64, unit string) string {
	if unit == "bytes" {
		return Bytes(n, 3)
	}
	return fmt.Sprintf("%.0f", n)
}

// Change writes a difference with its sign.
func Change(n int64, unit string) string {
	if n < 0 {
		return Size(float64(n), unit)
	}
	return "+" + Size(float64(n), unit)
}

// Count writes a number of things, with an s for the plural.
func Count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Plain returns a name with a ? for each character that cannot be shown, such as control characters of terminals and characters that XML refuses.
func Plain(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, name)
}

// Cut returns a text of at most the given number of characters. Dots replace an end that is cut off.
func Cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:max(most-len(dots), 0)]) + dots[:min(max(most, 0), len(dots))]
}

// CutFront cuts off the front instead, for names that differ at the end.
func CutFront(text string, most int) string {
	n := utf8.RuneCountInString(text)
	if n <= most {
		return text
	}
	return dots[:min(max(most, 0), len(dots))] + string([]rune(text)[n-max(most-len(dots), 0):])
}

const dots = "..."

// Are is Count with the verb: "1 block is", "2 blocks are".
func Are(n int64, what string) string {
	if n == 1 {
		return Count(n, what) + " is"
	}
	return Count(n, what) + " are"
}

// Left stands for the time that the rest of a job takes, in the text of one of its steps. Who shows the steps puts the time in its place; elsewhere it
// is nothing.
type Left struct{ Done, All int }

func (Left) String() string { return "" }
