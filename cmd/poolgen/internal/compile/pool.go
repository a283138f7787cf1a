package compile

import (
	"unicode"
	"unicode/utf8"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/facade"
	"github.com/poolgen/poolgen/spec"
)

// pool is a pool on its way to text.
type pool struct {
	facade.Pool
	file   string // start of its file names
	shares *core  // its suballocator
}

func newPool(plan *spec.Plan, s *spec.Pool) *pool {
	p := &pool{file: spec.FileStem(s.Name)}
	p.Pool = facade.Pool{
		Pool:    s,
		Package: plan.Package,
		Prefix:  prefix(s.Name),
		Source:  baseName(plan),
	}
	for _, b := range plan.Budgets {
		if b.Name == s.Budget {
			p.BudgetLimit = b.Limit
		}
	}
	for i := range plan.Pools {
		for _, r := range plan.Pools[i].OnExhausted {
			p.Spilled = p.Spilled || r.Kind == spec.RungPool && r.Pool == s.Name
		}
	}
	return p
}

// coreOf names the template package of each suballocator.
var coreOf = map[spec.Suballocator]string{
	spec.Fixed:          "fixed",
	spec.Heap:           "heap",
	spec.Binned:         "binned",
	spec.Classes:        "classes",
	spec.Ring:           "ring",
	spec.Bump:           "bump",
	spec.NoSuballocator: "direct",
}

// core names the template package that the shell is linked with. Those where goroutines do not take the pool's lock have the suballocator behind
// them, or are one of their own.
func (p *pool) core() string {
	switch {
	case !p.Shared():
		return coreOf[p.Suballocator]
	case p.Suballocator == spec.Fixed:
		return "strict"
	case p.Suballocator == spec.Bump:
		return "strips"
	case len(p.SlabBins()) > 0:
		return "slabs" // which have shards behind them
	default:
		return "shards"
	}
}

// prefix is how unexported names of a pool begin: its name with the leading capitals lowered, the last one
// kept when a word follows it (HTTPConn: httpConn).
func prefix(name string) string {
	r := []rune(name)
	for i := range r {
		if !unicode.IsUpper(r[i]) || i > 0 && i+1 < len(r) && unicode.IsLower(r[i+1]) {
			break
		}
		r[i] = unicode.ToLower(r[i])
	}
	return string(r)
}

func title(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
