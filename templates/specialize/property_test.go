package specialize_test

import (
	"bytes"
	"errors"
	"go/format"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
	"github.com/poolgen/poolgen/tests/fatal"
)

// eachCase calls f with every archive of testdata.
func eachCase(t testing.TB, f func(name string, c *testCase)) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		fatal.If(t, err)
		f(filepath.Base(file), parseCase(t, ar))
	}
}

// TestDeterministic runs everything many times, by several goroutines on one Specializer, and wants the same
// bytes each time, whether or not another instance came before.
func TestDeterministic(t *testing.T) {
	lib := templates.Library()
	var group sync.WaitGroup
	for name, inst := range realInstances() {
		group.Go(func() {
			first, err := real.Specialize(inst)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			for range 2 {
				again, err := real.Specialize(inst)
				if err != nil || !same(again, first) {
					t.Errorf("%s: differs the second time: %v", name, err)
				}
			}
			if alone, err := specialize.Specialize(lib, inst); err != nil || !same(alone, first) {
				t.Errorf("%s: differs alone: %v", name, err)
			}
		})
	}
	group.Wait()
	eachCase(t, func(name string, c *testCase) {
		first, _ := c.run()
		for range 5 {
			if again, _ := c.run(); again != first {
				t.Errorf("%s: differs the second time", name)
			}
		}
	})
}

// same compares what two results say.
func same(a, b *specialize.Result) bool {
	return a.Text == b.Text && reflect.DeepEqual(a.Imports, b.Imports) && reflect.DeepEqual(a.Declared, b.Declared) && reflect.DeepEqual(a.Names, b.Names)
}

// TestFormatted wants gofmt to have nothing to do, and no blank line doubled or at the edge of a block.
func TestFormatted(t *testing.T) {
	check := func(name, src string) {
		out, err := format.Source([]byte(src))
		if err != nil || string(out) != src {
			t.Errorf("%s: gofmt changes the output: %v\n%s", name, err, lineDiff(src, string(out)))
		}
		for _, bad := range []string{"\n\n\n", "{\n\n", "\n\n}", "(\n\n", "\n\n)", "\n\n\t}", " \n", "\t\n"} {
			if i := strings.Index(src, bad); i >= 0 {
				t.Errorf("%s: %q in the output after\n%s", name, bad, src[max(0, i-80):i])
			}
		}
		if strings.Contains(src, "//poolgen:") {
			t.Errorf("%s: a directive is left", name)
		}
	}
	eachCase(t, func(name string, c *testCase) {
		if src, err := c.run(); err == nil && c.residual == "" {
			for part := range strings.SplitSeq(src, border) {
				check(name, part)
			}
		}
	})
	for name, inst := range realInstances() {
		if r, err := real.Specialize(inst); err == nil {
			check(name, string(r.File("// Header.", "out")))
		}
	}
}

// TestLineEnds wants the same output from templates that were checked out with CRLF.
func TestLineEnds(t *testing.T) {
	eachCase(t, func(name string, c *testCase) {
		want, _ := c.run()
		for _, files := range c.lib {
			for file, text := range files {
				files[file] = strings.ReplaceAll(text, "\n", "\r\n")
			}
		}
		if got, _ := c.run(); got != want {
			t.Errorf("%s: CRLF makes a difference:\n%s", name, lineDiff(want, got))
		}
	})
}

// TestResidualReal makes the residuals of all templates, as the residual matrix does.
func TestResidualReal(t *testing.T) {
	for _, path := range templates.List() {
		for _, bind := range switches {
			if strings.HasSuffix(path, "/feature") || len(bind) == 0 {
				continue
			}
			files, err := real.Residual(path, bindFor(path, bind), nil)
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			for name, text := range files {
				if out, err := format.Source([]byte(text)); err != nil || !bytes.Equal(out, []byte(text)) {
					t.Errorf("%s/%s: gofmt changes the residual: %v", path, name, err)
				}
			}
		}
	}
}

// bindFor keeps the bindings of packages that the template imports.
func bindFor(path string, bind map[string]string) map[string]string {
	kept := map[string]string{}
	for key, value := range bind {
		if _, err := real.Residual(path, map[string]string{key: value}, nil); err == nil {
			kept[key] = value
		}
	}
	return kept
}

// FuzzTemplate specialises arbitrary files: what is accepted is formatted, what is not is refused with an *Error, and
// nothing panics.
func FuzzTemplate(f *testing.F) {
	eachCase(f, func(_ string, c *testCase) {
		if files := c.lib["ex/p"]; files != nil {
			f.Add(files["p.go"], "true", "int32", "foo")
		}
	})
	for _, r := range refusals {
		f.Add("package p\n\nimport \"unsafe\"\n\n//poolgen:param\nconst on = false\n\n//poolgen:type\ntype Item = [64]byte\n\n"+r.body, "true", "a.T", "")
	}
	f.Fuzz(func(t *testing.T, src, on, item, prefix string) {
		lib := specialize.Library{"ex/p": {"p.go": src}}
		inst := specialize.Instance{Root: "ex/p", Prefix: prefix, Imports: map[string]string{"a": "ex.com/a"}}
		inst.Bind = map[string]string{"p.on": on}
		inst.Types = map[string]string{"p.Item": item}
		_, err := specialize.Specialize(lib, inst)
		if err == nil {
			return
		}
		var e *specialize.Error
		if !errors.As(err, &e) {
			t.Errorf("error of type %T: %v", err, err)
		}
		inst.Bind, inst.Types = nil, nil
		r, err := specialize.Specialize(lib, inst)
		if err != nil {
			return
		}
		src = string(r.File("", "out"))
		if _, err := format.Source([]byte(src)); err != nil {
			t.Errorf("output does not parse: %v\n%s", err, src)
		}
	})
}
