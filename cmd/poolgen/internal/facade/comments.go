package facade

import (
	"fmt"
	"path"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
)

// CoreComment returns the comment on the file of a suballocator: which templates it is made of.
func CoreComment(c *lower.Core) string {
	return fmt.Sprintf("// The suballocator %s is made of %s. To see its parameters, run poolgen explain %s --templates.",
		c.Type, `"`+strings.Join(c.Layers, `" in front of "`)+`"`, c.Pools[0].Spec.Name)
}

// ShellComment returns the comment on the file of a shell, below the header: where its suballocator is, if that is named after another pool.
func ShellComment(p *lower.Pool) string {
	if p.Core.Pools[0] == p {
		return ""
	}
	return fmt.Sprintf("\n\n// The suballocator is %s, in %s.", p.Core.Type, p.Core.File)
}

// ShellDocs returns what the pool file adds to the doc comments of the shell, by the names of the template: the pool's doc to that of FooPool and,
// if there are no package functions that say it, what callers of a method have to know.
func ShellDocs(pkg *lower.Package, of *lower.Pool) map[string]string {
	p := &pool{Pool: of, pkg: pkg}
	if p.Can.EachDevice { // the type and the methods that users see are not those of the shell
		return nil
	}
	template := path.Base(p.Instance.Root) + ".Pool"
	docs := map[string]string{template: escape(p.Spec.Doc)}
	if !p.Spec.PackageFunctions {
		for method, text := range map[string]string{
			"Alloc": "Alloc takes " + p.cost() + "; " + p.safety() + ".\n\n" + p.ownerDoc() + "\n\n" + p.errorsDoc(),
			"Free":  "Free takes " + p.cost() + "; " + p.safety() + ".",
		} {
			docs[template+"."+method] = p.onMethods(text)
		}
	}
	return docs
}
