package compile

import (
	"fmt"

	"github.com/poolgen/poolgen/spec"
)

// unsupported finds what the language has and this build cannot generate yet.
func unsupported(plan *spec.Plan) spec.Diagnostics {
	var found spec.Diagnostics
	for i := range plan.Pools {
		p := &plan.Pools[i]
		for _, m := range missing {
			if !m.asked(p) {
				continue
			}
			d := spec.Diagnostic{
				Code: spec.CodeUnsupported, File: plan.File, Pos: p.Pos, Help: m.help,
				Message: fmt.Sprintf("pool %q: this build of poolgen cannot generate %s yet", p.Name, m.what(p)),
			}
			for _, v := range p.Values {
				if v.Key == m.key && v.Pos != (spec.Position{}) {
					d.Pos = v.Pos
				}
			}
			found = append(found, d)
		}
	}
	return found
}

// missing lists the gaps: the key that asks for each, and what works instead.
var missing = []struct {
	key   string
	asked func(*spec.Pool) bool
	what  func(*spec.Pool) string
	help  string
}{
	{"tests", func(p *spec.Pool) bool { return p.Tests }, func(*spec.Pool) string { return "tests: true" }, "leave tests out"},
}
