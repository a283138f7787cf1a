package blocks

import (
	"fmt"
	"go/types"
	"strings"
)

// Effect is what a function does with a block that is an argument.
type Effect uint8

const (
	Keeps Effect = iota // the function may free, store or hand on the block
	Looks               // the block is still the caller's when the function returns
	Frees               // the block is freed, on every path
)

// Summary is the fact what a function does with blocks. A function without one may do anything.
type Summary struct {
	Params   []Effect // the receiver first, if there is one
	Pools    []string // pool whose free is called for the parameter: "path.Name", "" for none
	Fresh    []string // pool of the new block that is a result, "path.Name"; "" for none
	NoReturn bool
}

// AFact marks Summary as a fact.
func (*Summary) AFact() {}

// String is for tests: frees(0) looks(1) fresh(0: a.Vertex).
func (s *Summary) String() string {
	var words []string
	for i, e := range s.Params {
		switch e {
		case Frees:
			words = append(words, fmt.Sprintf("frees(%d)", i))
		case Looks:
			words = append(words, fmt.Sprintf("looks(%d)", i))
		}
	}
	for i, p := range s.Fresh {
		if p != "" {
			words = append(words, fmt.Sprintf("fresh(%d: %s)", i, p[strings.LastIndex(p, "/")+1:]))
		}
	}
	if s.NoReturn {
		words = append(words, "noreturn")
	}
	return strings.Join(words, " ")
}

// empty reports whether the summary says no more than a missing one.
func (s *Summary) empty() bool {
	return s.String() == ""
}

// parameters returns the receiver and the parameters of a function.
func parameters(sig *types.Signature) (all []*types.Var) {
	if r := sig.Recv(); r != nil {
		all = append(all, r)
	}
	for v := range sig.Params().Variables() {
		all = append(all, v)
	}
	return all
}

// exit is the state at a return of a function.
type exit struct {
	params  []state
	results []result
}

// result is what a function returns on a path.
type result struct {
	pool string // of the new block, "" for none
	null bool   // nil, or the block of an allocation that has failed
}

// summarize derives the summary from all exits.
func (f *function) summarize() *Summary {
	s := &Summary{NoReturn: f.noReturn}
	if len(f.exits) == 0 || f.overflow {
		return s
	}
	for i, site := range f.params {
		s.Params, s.Pools = append(s.Params, f.effect(i, site)), append(s.Pools, "")
		if site > 0 && f.sites[site-1].freedBy != nil {
			s.Pools[i] = f.sites[site-1].freedBy.Path + "." + f.sites[site-1].freedBy.Name
		}
	}
	for i := range f.exits[0].results {
		s.Fresh = append(s.Fresh, f.fresh(i))
	}
	return s
}

func (f *function) effect(i, site int) Effect {
	if site == 0 {
		return Keeps
	}
	e := Keeps
	for n, x := range f.exits {
		var here Effect
		switch x.params[i].status {
		case live:
			here = Looks
		case freed, refused:
			here = Frees
		case unborn: // it was nil
			continue
		case gone, kept:
			return Keeps
		}
		if n > 0 && e != Keeps && e != here {
			return Keeps
		}
		e = here
	}
	return e
}

func (f *function) fresh(i int) string {
	pool := ""
	for _, x := range f.exits {
		r := x.results[i]
		if r.null {
			continue
		}
		if r.pool == "" || pool != "" && pool != r.pool {
			return ""
		}
		pool = r.pool
	}
	return pool
}
