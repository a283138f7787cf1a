package main

import (
	"fmt"
	"strings"
)

// refs are the medians of the references, by name, in ns.
type refs map[string]float64

// target is the longest time that a case should take: a sum of multiples of references. Cases without a target are only printed.
type target []term

// term is a multiple of a reference.
type term struct {
	times float64
	ref   string
}

// times is a target of one multiple of a reference.
func times(x float64, ref string) target { return target{{x, ref}} }

// locked is the target of the unlocked case, a number of atomic adds, plus a share of two bare locks.
func locked(adds, locks float64) target { return target{{adds, "R_add"}, {locks, "R_mu2"}} }

// most is the target in ns.
func (t target) most(r refs) (ns float64) {
	for _, one := range t {
		ns += one.times * r[one.ref]
	}
	return ns
}

func (t target) String() string {
	var parts []string
	for _, one := range t {
		parts = append(parts, fmt.Sprintf("%g %s", one.times, one.ref))
	}
	return strings.Join(parts, " + ")
}
