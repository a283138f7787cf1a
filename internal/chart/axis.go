package chart

import (
	"fmt"
	"math"
	"slices"
)

// Axis is one of the two axes of a panel.
type Axis struct {
	Label string
	Kind  AxisKind
	Name  func(v float64) string // of a value; nil: three digits
}

// AxisKind is the scale of an axis.
type AxisKind int

const (
	Linear AxisKind = iota // from 0 on, divided by 1, 2 or 5 times a power of ten
	Binary                 // the same, divided by a power of two
	Spread                 // from the least to the largest value
	Twos                   // by powers of two, from 1 on
	Tens                   // by powers of ten
)

// most is the largest number of lines of a linear axis.
const most = 7

func (a Axis) name(v float64) string {
	if a.Name != nil {
		return a.Name(v)
	}
	digits := 3
	if whole := math.Abs(v); whole >= 1000 && whole < 1e9 {
		digits = 10 // no exponent: people can read these numbers
		v = math.Round(v)
	}
	return fmt.Sprintf("%.*g", digits, v)
}

// scale converts values to places from 0 to 1.
type scale struct {
	place func(v float64) float64
	ticks []float64
}

// scale returns a scale for all values. There is at least one.
func (a Axis) scale(values []float64) scale {
	low, high := slices.Min(values), slices.Max(values)
	switch a.Kind {
	case Twos:
		return powers(2, 1, high)
	case Tens:
		if low <= 0 { // such a value has no logarithm
			low = leastAbove0(values)
		}
		return powers(10, math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high))))
	case Spread:
		step := decimal((high - low) / most)
		return even(math.Floor(low/step)*step, high, step)
	case Binary:
		return even(0, high, math.Exp2(math.Ceil(math.Log2(high/most))))
	}
	return even(0, high, decimal(high/most))
}

// leastAbove0 returns the least value above 0; 1 if there is none.
func leastAbove0(values []float64) float64 {
	least := math.Inf(1)
	for _, v := range values {
		if v > 0 {
			least = min(least, v)
		}
	}
	if math.IsInf(least, 1) {
		return 1
	}
	return least
}

// decimal returns the least of 1, 2 and 5 times a power of ten that is not below v.
func decimal(v float64) float64 {
	if v <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 2, 5} {
		if n*unit >= v {
			return n * unit
		}
	}
	return 10 * unit
}

// even returns lines at equal distances.
func even(low, high, step float64) scale {
	if step <= 0 || math.IsInf(step, 0) || math.IsNaN(step) {
		step = 1
	}
	end := low + step*max(math.Ceil((high-low)/step-1e-9), 1)
	s := scale{place: func(v float64) float64 { return (v - low) / (end - low) }}
	for k := 0.0; low+k*step <= end+step/2; k++ {
		s.ticks = append(s.ticks, low+k*step)
	}
	return s
}

// powers returns lines at powers of a base. Values below the first line are drawn on it.
func powers(base, low, high float64) scale {
	if high <= low {
		high = low * base
	}
	s := scale{place: func(v float64) float64 { return math.Log(max(v, low)/low) / math.Log(high/low) }}
	for v := low; v <= high*1.01; v *= base {
		s.ticks = append(s.ticks, v)
	}
	return s
}
