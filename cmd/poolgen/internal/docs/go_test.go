package docs

import (
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"regexp"
	"sort"
	"strings"
	"testing"
)

func TestGoCode(t *testing.T) {
	w := newWorld(t)
	byDir := make(map[string][]*block)
	seen := 0
	for _, p := range pages(t) {
		for i := range p.blocks {
			if b := &p.blocks[i]; b.language == "go" && unjudged(b) == "" && !p.quotes() {
				seen++
				byDir[p.example()] = append(byDir[p.example()], b)
			}
		}
	}
	for dir, blocks := range byDir {
		report(t, w.judgeGoBlocks(dir, blocks))
	}
	if seen < 30 {
		t.Errorf("only %d blocks of Go", seen)
	}
}

// judgeGoBlocks type-checks blocks as files of a package: of the example in directory, or of testdata/world for "". Blocks of one package share its
// declarations, and collide if they declare the same name.
func (w *world) judgeGoBlocks(dir string, blocks []*block) []problem {
	var found []problem
	fset, name, files := w.files(dir)
	byName := make(map[string]*block)
	for i, b := range blocks {
		key := fmt.Sprintf("block%d.go", i)
		text, before := wrap(name, b.text)
		file, err := parser.ParseFile(fset, key, text, parser.SkipObjectResolution)
		if err != nil {
			found = append(found, syntax(b, before, err))
			continue
		}
		byName[key] = b
		files = append(files, file)
	}
	config := types.Config{Importer: imported, Error: func(err error) {
		e := err.(types.Error)
		at := fset.Position(e.Pos)
		switch b := byName[at.Filename]; {
		case e.Soft: // variables and imports that nothing uses: later code, which a fragment omits, may use them
		case b != nil:
			_, before := wrap(name, b.text)
			found = append(found, b.at(at.Line-1-before, "%s", e.Msg))
		default:
			found = append(found, problem{dir + "/" + at.Filename, at.Line, e.Msg})
		}
	}}
	_, _ = config.Check(name, fset, files, nil) // the same errors were passed to Error
	return found
}

func syntax(b *block, before int, err error) problem {
	if list, is := err.(scanner.ErrorList); is {
		return b.at(min(list[0].Pos.Line-1-before, strings.Count(b.text, "\n")-1), "%s", list[0].Msg)
	}
	return b.at(0, "%v", err)
}

// known are the packages that blocks use without importing them.
var known = map[string]string{
	"cuda": "github.com/poolgen/poolgen/cuda", "sim": "github.com/poolgen/poolgen/cuda/sim", "poolrt": "github.com/poolgen/poolgen/runtime", "poolimpl": "github.com/poolgen/poolgen/runtime/poolimpl",
	"poolz": "github.com/poolgen/poolgen/runtime/poolz", "scene": "github.com/poolgen/poolgen/generated_examples/scene", "mesh": "github.com/poolgen/poolgen/generated_examples/scene/mesh",
	"context": "context", "errors": "errors", "exec": "os/exec", "fmt": "fmt", "http": "net/http", "io": "io", "json": "encoding/json", "log": "log", "os": "os",
	"runtime": "runtime", "sync": "sync", "testing": "testing", "time": "time", "unsafe": "unsafe",
}

var (
	headLine = regexp.MustCompile(`^(import .*|package .*|//go:build .*|)$`)
	elided   = regexp.MustCompile(`(?m)^(\s*)\.\.\.`)
	used     = regexp.MustCompile(`\b([a-z]+)\.[A-Z]`)
)

// wrap makes a file of a block, and returns the number of lines that it put in front. Code that does not parse as declarations is the body of a
// function that returns an error. A line that begins with three dots stands for omitted code.
func wrap(name, text string) (file string, before int) {
	text = elided.ReplaceAllString(text, "$1// ...")
	lines := strings.Split(text, "\n")
	split := 0
	for split < len(lines)-1 && headLine.MatchString(lines[split]) {
		if strings.HasPrefix(lines[split], "package ") {
			lines[split] = ""
		}
		split++
	}
	head, rest := strings.Join(lines[:split], "\n"), strings.Join(lines[split:], "\n")
	file = "package " + name + "; " + imports(head, rest) + "\n"
	if split > 0 {
		file += head + "\n"
	}
	if declares(rest) {
		return file + rest, 1
	}
	return file + "func _() (err error) { {\n" + rest + "\n}; return err }\n", 2
}

// declares reports whether code is declarations, rather than statements.
func declares(text string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
	return err == nil
}

// imports imports what code uses and does not import.
func imports(head, text string) string {
	names := make(map[string]bool)
	for _, m := range used.FindAllStringSubmatch(text, -1) {
		if p := known[m[1]]; p != "" && !strings.Contains(head, `"`+p+`"`) && !strings.Contains(text, `"`+p+`"`) {
			names[m[1]] = true
		}
	}
	var out []string
	for n := range names {
		out = append(out, fmt.Sprintf("import %s %q; ", n, known[n]))
	}
	sort.Strings(out)
	return strings.Join(out, "")
}
