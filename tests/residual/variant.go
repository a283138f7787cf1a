package residual

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"strings"

	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
)

// Variant is a template at some values of its parameters.
type Variant struct {
	Package string            // last element of its path
	Bind    map[string]string // "package.parameter": value
	Replace map[string]string // packages that take the place of others that Package imports, as package compile chooses them
}

// At returns the import path of a template package.
func At(pkg string) string { return templates.Path + "/" + pkg }

// Closure returns the template packages that the variant consists of. The value is true for those whose imports are replaced.
func (v Variant) Closure(lib specialize.Library) (map[string]bool, error) {
	all := map[string]bool{}
	var visit func(pkg string, replace map[string]string) error
	visit = func(pkg string, replace map[string]string) error {
		if _, ok := all[pkg]; ok {
			return nil
		}
		all[pkg] = replace != nil
		for name, text := range lib[At(pkg)] {
			f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, spec := range f.Imports {
				name, ok := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), templates.Path+"/")
				if !ok || lib[At(name)] == nil {
					continue
				}
				under := replace
				if to, ok := replace[name]; ok {
					name, under = to, nil // a replacement may import the package that it replaces
				}
				if err := visit(name, under); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return all, visit(v.Package, v.Replace)
}

// Residuals returns the specialised text of each package, by package and file. The packages have their names as import paths below root.
// check, which may be nil, gets the text and the values of each.
func (v Variant) Residuals(lib specialize.Library, root string, check func(pkg string, texts, values map[string]string) error) (map[string]map[string]string, error) {
	all, err := v.Closure(lib)
	if err != nil {
		return nil, err
	}
	residuals := map[string]map[string]string{}
	for pkg, replaced := range all {
		of := lib
		if replaced {
			of = v.replaced(lib, pkg)
		}
		own, err := v.values(of, pkg)
		if err != nil {
			return nil, err
		}
		texts, err := specialize.Residual(of, At(pkg), own, nil)
		if err == nil && check != nil {
			err = check(pkg, texts, own)
		}
		if err != nil {
			return nil, fmt.Errorf("residual of %s: %w", pkg, err)
		}
		for name, text := range texts {
			texts[name] = imported(strings.ReplaceAll(text, `"`+templates.Path+"/", `"`+root+"/"))
		}
		residuals[pkg] = texts
	}
	return residuals, nil
}

// replaced returns the templates with one whose imports are replaced.
func (v Variant) replaced(lib specialize.Library, pkg string) specialize.Library {
	lib = maps.Clone(lib)
	files := maps.Clone(lib[At(pkg)])
	for name, text := range files {
		for from, to := range v.Replace {
			text = strings.ReplaceAll(text, `"`+At(from)+`"`, `"`+At(to)+`"`)
		}
		files[name] = text
	}
	lib[At(pkg)] = files
	return lib
}

// ofCore finds the parameters of packages that the output imports.
var ofCore = regexp.MustCompile(`\b(\w+)\.Params\{`)

// imported adds the imports of such packages to a file whose template imports that of another suballocator.
func imported(text string) string {
	for _, core := range ofCore.FindAllStringSubmatch(text, -1) {
		if at := path.Dir(templates.Path) + "/runtime/poolimpl/cores/" + core[1]; !strings.Contains(text, `"`+at+`"`) {
			text = strings.Replace(text, "import (\n", "import (\n\t\""+at+"\"\n", 1)
		}
	}
	return text
}

// values returns the values of the parameters of a package, and of those that it imports.
func (v Variant) values(lib specialize.Library, pkg string) (map[string]string, error) {
	packages, err := Variant{Package: pkg}.Closure(lib)
	own := maps.Clone(v.Bind)
	maps.DeleteFunc(own, func(key, _ string) bool {
		of, _, _ := strings.Cut(key, ".")
		_, ok := packages[of]
		return !ok
	})
	return own, err
}
