package residual

import (
	"strings"
	"testing"

	"github.com/poolgen/poolgen/templates/specialize"
	"github.com/poolgen/poolgen/tests/large"
)

// TestWrongVariantIsFound plants a template that is correct at its defaults, where its own tests pass, and wrong where a parameter
// prunes its other branch; and one whose variant is correct, but fails go vet.
func TestWrongVariantIsFound(t *testing.T) {
	large.Only(t) // builds and runs packages
	planted := func(other string) source {
		return source{
			lib: specialize.Library{At("planted"): {"planted.go": `package planted

import "fmt"

// slow chooses how to double.
//
//poolgen:param
const slow = true

// Twice returns 2n.
func Twice(n int) int {
	if slow {
		return n + n
	} else {
		` + other + `
	}
}

// Name names n.
func Name(n int) string { return fmt.Sprintf("%d", n) }
`}},
			tests: specialize.Library{At("planted"): {"planted_test.go": `package planted

import "testing"

func TestTwice(t *testing.T) {
	for n := range 5 {
		if Twice(n) != 2*n {
			t.Errorf("Twice(%d) = %d", n, Twice(n))
		}
	}
}
`}},
		}
	}
	sub := subject{name: "planted", pkg: "planted", params: []param{{"planted.slow", yesNo}}}
	right := cell{sub, "right", tuple{"planted.slow": "true"}}
	wrong := cell{sub, "wrong", tuple{"planted.slow": "false"}}
	for _, test := range []struct{ other, want string }{
		{"return n << 1", ""},
		{"return n * n", "Twice(1) = 1"},
		{`fmt.Printf("%s", n)
		return 2 * n`, "wrong type int"},
		{`k := n
		return 2 * n`, "declared and not used"},
		{`_ = n
		return 2 * n`, "assignment to nothing"},
	} {
		failed := run(t, planted(test.other), []cell{right, wrong})
		if out := failed["right"]; out != "" {
			t.Errorf("%s: at its defaults: %s", test.other, out)
		}
		if out := failed["wrong"]; (out == "") != (test.want == "") || !strings.Contains(out, test.want) {
			t.Errorf("%s: got %q, want %q", test.other, out, test.want)
		}
	}
}
