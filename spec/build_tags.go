package spec

import (
	"errors"
	"go/build/constraint"
	"strings"
)

// unlisted is the constraint of all output. The go command sets the tag only while it lists files for go generate, which fails if an earlier go:generate line,
// by poolgen, removes a file that has been listed already.
var unlisted constraint.Expr = &constraint.NotExpr{X: &constraint.TagExpr{Tag: "generate"}}

// BuildLine returns the build constraint of the generated Go files, or of one that needs more tags.
func (p *Plan) BuildLine(needs ...string) string {
	expr := outputExpr(p.BuildTags)
	for _, tag := range needs {
		expr = &constraint.AndExpr{X: &constraint.TagExpr{Tag: tag}, Y: expr}
	}
	return "//go:build " + expr.String()
}

// outputExpr returns the condition of the output of a file with build tags, which may be nil.
func outputExpr(tags constraint.Expr) constraint.Expr {
	if tags == nil {
		return unlisted
	}
	return &constraint.AndExpr{X: unlisted, Y: tags}
}

// BuildTags returns the build tags that the file sets, nil if it sets none or they are malformed. They are for
// [ScanDir].
func (d *Document) BuildTags() constraint.Expr {
	for _, p := range d.root.pairs {
		if p.key.value == "build_tags" && p.value.kind == scalarNode {
			expr, _ := parseTags(p.value.value)
			return expr
		}
	}
	return nil
}

// builtApart reports whether no build includes both the output of a pool file with build tags and a Go file with some constraints.
func builtApart(tags constraint.Expr, other []constraint.Expr) bool {
	both := outputExpr(tags)
	for _, expr := range other {
		both = &constraint.AndExpr{X: both, Y: expr}
	}
	return tags != nil && !holdsAnywhere(both)
}

// parseTags parses a condition as a go:build line has it.
func parseTags(text string) (constraint.Expr, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("it has several lines")
	}
	expr, err := constraint.Parse("//go:build " + text)
	if bad := (*constraint.SyntaxError)(nil); errors.As(err, &bad) {
		return nil, errors.New(bad.Err)
	}
	return expr, err
}

// mostTags bounds the conditions that holdsAnywhere can decide.
const mostTags = 12

// holdsAnywhere reports whether a condition holds with some tags. With many, it does not look.
func holdsAnywhere(expr constraint.Expr) bool {
	number := map[string]int{}
	count := func(tag string) bool {
		if _, ok := number[tag]; !ok {
			number[tag] = len(number)
		}
		return false
	}
	tagsOf(expr, count)
	if len(number) > mostTags {
		return true
	}
	for set := range 1 << len(number) {
		if expr.Eval(func(tag string) bool { return set>>number[tag]&1 != 0 }) {
			return true
		}
	}
	return false
}

// tagsOf calls see with the tags of a condition.
func tagsOf(expr constraint.Expr, see func(tag string) bool) {
	switch x := expr.(type) {
	case *constraint.AndExpr:
		tagsOf(x.X, see)
		tagsOf(x.Y, see)
	case *constraint.OrExpr:
		tagsOf(x.X, see)
		tagsOf(x.Y, see)
	case *constraint.NotExpr:
		tagsOf(x.X, see)
	case *constraint.TagExpr:
		see(x.Tag)
	}
}

// checkBuildTags reads the condition on which the output is built.
func (f *checker) checkBuildTags(n *node) {
	if n == nil {
		return
	}
	text, ok := f.scalar(n, "build_tags")
	if !ok {
		return
	}
	const help = `write a condition as a go:build line has it: build_tags: "cuda && !windows"`
	expr, err := parseTags(text)
	switch {
	case err != nil:
		f.fail(codeBuildTags, n, help, "build_tags %s is not a build constraint: %v", quote(text), err)
	case !holdsAnywhere(outputExpr(expr)):
		f.fail(codeBuildTags, n, help, "build_tags %s holds in no build", quote(text))
	default:
		f.plan.BuildTags = expr
	}
}
