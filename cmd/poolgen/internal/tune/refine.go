package tune

import (
	"math/rand/v2"
	"slices"
)

// refine returns up to n candidates that were not tried: the best so far of each suballocator and fit, with one setting changed. If there are more,
// it chooses at random.
func (l Load) refine(trials []Trial, n int, random *rand.Rand) (next []Candidate) {
	known := map[Candidate]bool{}
	for _, t := range trials {
		known[t.Candidate] = true
	}
	for _, parent := range parents(trials) {
		for _, key := range refined(parent[Suballocator]) {
			for _, v := range l.values(key, parent) {
				if c := parent.with(key, v); !known[c] {
					known[c] = true
					next = append(next, c)
				}
			}
		}
	}
	random.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
	return next[:min(n, len(next))]
}

// parents returns the trials that no other of the same suballocator and fit beats both in bytes and in calls of the source.
func parents(trials []Trial) (list []Candidate) {
	type kind struct{ allocator, suballocator, fit string }
	var order []kind
	byKind := map[kind][]Trial{}
	for _, t := range trials {
		if !t.served() {
			continue
		}
		k := kind{t.Candidate[Allocator], t.Candidate[Suballocator], t.Candidate[Fit]}
		if !slices.Contains(order, k) {
			order = append(order, k)
		}
		byKind[k] = append(byKind[k], t)
	}
	for _, k := range order {
		var exact []Point
		for _, t := range byKind[k] {
			exact = append(exact, t.exact())
		}
		for _, i := range frontOf(exact, 0) {
			list = append(list, byKind[k][i].Candidate)
		}
	}
	return list
}
