package blocks

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
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
	Alias    []Alias  // for each result, the parameter that it is made from
	Busy     []int    // for each parameter, from 1, the parameter with the stream that is given work on the block; 0 for none
	Fields   []Freed  // fields whose blocks are freed, on every path
	Still    bool     // nothing that the callers know of fields and elements changes
	NoReturn bool
}

// Alias says that a result is, or is a part of, the block that was an argument.
type Alias struct {
	Param int   // from 1; 0 for none
	Cut   uint8 // which part
}

// Freed is a field, of what a parameter points to, whose block is freed.
type Freed struct {
	Param      int
	Name, Pool string
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
	for i, a := range s.Alias {
		if a.Param > 0 {
			words = append(words, fmt.Sprintf("alias(%d: %d)", i, a.Param-1))
		}
	}
	for i, p := range s.Busy {
		if p > 0 {
			words = append(words, fmt.Sprintf("busy(%d: %d)", i, p-1))
		}
	}
	for _, x := range s.Fields {
		words = append(words, fmt.Sprintf("frees(%d.%s)", x.Param, x.Name))
	}
	if s.Still {
		words = append(words, "still")
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
	fields  map[field]string // fields of parameters whose blocks were freed, with the pools
	results []result
}

// result is what a function returns on a path.
type result struct {
	pool  string // of the new block, "" for none
	null  bool   // nil, or the block of an allocation that has failed
	alias Alias  // the parameter that it is made from
}

// summarize derives the summary from all exits.
func (f *function) summarize() *Summary {
	s := &Summary{NoReturn: f.noReturn, Still: !f.noReturn && f.stillBody()}
	if len(f.exits) == 0 || f.overflow {
		return s
	}
	for i, site := range f.params {
		s.Params, s.Pools = append(s.Params, f.effect(i, site)), append(s.Pools, "")
		s.Busy = append(s.Busy, f.busyOn(i))
		if site > 0 && f.sites[site-1].freedBy != nil {
			s.Pools[i] = f.sites[site-1].freedBy.Path + "." + f.sites[site-1].freedBy.Name
		}
	}
	for i := range f.exits[0].results {
		s.Fresh, s.Alias = append(s.Fresh, f.fresh(i)), append(s.Alias, f.alias(i))
	}
	f.withoutReturned(s)
	s.Fields = f.freedFields()
	return s
}

// alias returns the parameter that a result is made from on all paths.
func (f *function) alias(i int) (a Alias) {
	for _, x := range f.exits {
		r := x.results[i]
		if r.null {
			continue
		}
		if r.alias.Param == 0 || a.Param != 0 && a != r.alias {
			return Alias{}
		}
		a = r.alias
	}
	return a
}

// withoutReturned corrects the effects on parameters that are returned on some path, but not as a known result.
func (f *function) withoutReturned(s *Summary) {
	for _, x := range f.exits {
		for i, r := range x.results {
			if r.alias.Param > 0 && s.Alias[i] != r.alias {
				s.Params[r.alias.Param-1] = Keeps
			}
		}
	}
}

// busy returns the parameter with the stream that has work on a block at all exits, from 1; 0 if there is none.
func (f *function) busyOn(i int) int {
	stream := ""
	for n, x := range f.exits {
		if n > 0 && x.params[i].stream != stream {
			return 0
		}
		stream = x.params[i].stream
	}
	return 1 + slices.IndexFunc(f.paramVars(), func(p *types.Var) bool { return stream != "" && p.Name() == stream })
}

// freedFields returns the fields of parameters whose blocks are freed at all exits.
func (f *function) freedFields() (all []Freed) {
	for x, pool := range f.exits[0].fields {
		if !slices.ContainsFunc(f.exits, func(e exit) bool { _, ok := e.fields[x]; return !ok }) {
			all = append(all, Freed{x.param, x.name, pool})
		}
	}
	slices.SortFunc(all, func(a, b Freed) int { return cmp.Or(a.Param-b.Param, strings.Compare(a.Name, b.Name)) })
	return all
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
