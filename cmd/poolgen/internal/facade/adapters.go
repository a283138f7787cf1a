package facade

import (
	"fmt"
	"go/format"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// adapterTexts are the parts of the output for the words of the key adapters, in this order.
var adapterTexts = []struct{ word, text string }{
	{spec.AdaptPool, cacheText}, {spec.AdaptWriter, writerText}, {spec.AdaptGRPC, buffersText}, {spec.AdaptArrow, allocatorText},
}

// Adapters renders the file of a pool with its adapters. Their methods call the pool directly; what they do when it has refused a call is in the runtime.
func Adapters(header string, pkg *lower.Package, of *lower.Pool) ([]byte, error) {
	p := &pool{Pool: of, pkg: pkg}
	body := ""
	for _, a := range adapterTexts {
		if p.Spec.Adapts(a.word) {
			body += a.text
		}
	}
	zeroed := p.Spec.Zero == spec.ZeroAlways
	body = strings.NewReplacer("$LOST", lostText,
		"$CLEARALL", choose(zeroed, "", "\tclear(b)\n"), "$CLEARREST", choose(zeroed, "", "\tclear(larger[len(b):])\n")).Replace(body)
	body = strings.NewReplacer("New$NAME", spec.NameOf("New", p.Spec.Name, ""), "$NAME", p.Spec.Name, "$POOL", p.Names.Pool, "$SAFETY", p.safety(), "$CONTENT", strings.ReplaceAll(p.contentDoc(), "\n", " "),
		"$ALIGNMENT", decimal(p.Spec.Alignment)).Replace(body)
	text, err := format.Source([]byte(header + "\n\npackage " + pkg.Plan.Package + "\n\n" + adapterImports(body) + body))
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, body)
	}
	return text, nil
}

// adapterImports declares the packages that a text uses.
func adapterImports(body string) string {
	imports := "import (\n"
	for name, path := range map[string]string{"poolrt.": "poolrt \"" + lower.RuntimePath + "\"", "poolimpl.": "\"" + lower.ImplPath + "\""} {
		if strings.Contains(body, name) {
			imports += path + "\n"
		}
	}
	return imports + ")\n"
}
