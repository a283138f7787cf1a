package program

import (
	"context"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/spec"
)

// Object is the compiled package of pools, to be examined.
type Object struct {
	// Target is the platform, and the version of Go that compiled the package: "linux/amd64, go1.26.8".
	Target string

	file   string
	path   string // of the package
	prefix string // of the symbols of the package
	gocmd  gomod.Go
	dir    string
}

// Compile compiles the package of the pools of a plan as generate would write it, without tests or additions. Otherwise it is like [Build].
func Compile(ctx context.Context, gocmd gomod.Go, cwd, temp string, changes emit.Changes, plan *spec.Plan) (*Object, error) {
	return compile(ctx, gocmd, cwd, temp, changes, plan, func(*builder) {})
}

// compile is Compile with sources that complete adds.
func compile(ctx context.Context, gocmd gomod.Go, cwd, temp string, changes emit.Changes, plan *spec.Plan, complete func(*builder)) (*Object, error) {
	b, err := newBuilder(gocmd, cwd, temp, changes)
	if err != nil {
		return nil, err
	}
	complete(b)
	args, dir, err := b.place(ctx, Addition{})
	if err != nil {
		return nil, err
	}
	args = append([]string{"list", "-export", "-f", "{{.Name}}\n{{.ImportPath}}\n{{.Export}}"}, args...)
	out, err := b.gocmd.Run(ctx, dir, args...)
	if err != nil {
		return nil, b.broken(err, dir, plan)
	}
	target, err := b.gocmd.Run(ctx, dir, "env", "GOOS", "GOARCH", "GOVERSION")
	if err != nil {
		return nil, err
	}
	about, words := strings.Split(strings.TrimSpace(out), "\n"), strings.Fields(target)
	if len(about) != 3 || len(words) < 3 {
		return nil, fmt.Errorf("compile the pools: go list printed %q, go env %q", out, target)
	}
	return &Object{
		Target: words[0] + "/" + words[1] + ", " + strings.Join(words[2:], " "),
		file:   about[2], path: about[1], prefix: symbolPrefix(about[0], about[1]), gocmd: b.gocmd, dir: dir,
	}, nil
}

// symbolPrefix returns the prefix of a package's symbols: its path, in which dots after the last slash are written %2e.
func symbolPrefix(name, path string) string {
	if name == "main" {
		return "main."
	}
	slash := strings.LastIndexByte(path, '/') + 1
	return path[:slash] + strings.ReplaceAll(path[slash:], ".", "%2e") + "."
}

// Sizes returns the bytes of machine code of each function of the package, by the name of its symbol without the package: "(*VertexPool).Alloc",
// "newTable.func1".
func (o *Object) Sizes(ctx context.Context) (map[string]int64, error) { return o.nm(ctx, nmForm) }

// nm returns the bytes of each symbol of the package whose line matches a form.
func (o *Object) nm(ctx context.Context, form *regexp.Regexp) (map[string]int64, error) {
	out, err := o.gocmd.Run(ctx, o.dir, "tool", "nm", "-size", o.file)
	if err != nil {
		return nil, err
	}
	return o.sizes(out, form), nil
}

// sizes reads the lines "address size kind symbol" of a form.
func (o *Object) sizes(nm string, form *regexp.Regexp) map[string]int64 {
	sizes := map[string]int64{}
	for line := range strings.Lines(nm) {
		m := form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if name, ours := strings.CutPrefix(m[2], o.prefix); ours {
			n, err := strconv.ParseInt(m[1], 10, 64)
			if err == nil {
				sizes[name] = n
			}
		}
	}
	return sizes
}

// scope returns the exported declarations of the package.
func (o *Object) scope() (*types.Scope, error) {
	archive := func(string) (io.ReadCloser, error) { return os.Open(o.file) }
	pkg, err := importer.ForCompiler(token.NewFileSet(), "gc", archive).Import(o.path)
	if err != nil {
		return nil, err
	}
	return pkg.Scope(), nil
}

// nmForm is a line on a function.
var nmForm = regexp.MustCompile(`^\s*[0-9a-f]+\s+([0-9]+)\s+[Tt]\s+(\S+)\s*$`)

// Calls returns the functions that each of the given ones calls in machine code, where inlined functions are part of the caller.
// Functions of the package have their names in Sizes, others the paths of their packages.
func (o *Object) Calls(ctx context.Context, functions []string) (map[string][]string, error) {
	forms := make([]string, len(functions))
	for i, f := range functions {
		forms[i] = regexp.QuoteMeta(o.prefix + f)
	}
	out, err := o.gocmd.Run(ctx, o.dir, "tool", "objdump", "-s", "^("+strings.Join(forms, "|")+")$", o.file)
	if err != nil {
		return nil, err
	}
	return o.calls(out), nil
}

// calls reads the disassembly: a line "TEXT symbol(SB) file" for each function, and a relocation at each call.
func (o *Object) calls(objdump string) map[string][]string {
	calls := map[string][]string{}
	caller := ""
	for line := range strings.Lines(objdump) {
		if m := textForm.FindStringSubmatch(line); m != nil {
			caller = strings.TrimPrefix(m[1], o.prefix)
			calls[caller] = nil
		} else if m := callForm.FindStringSubmatch(line); m != nil {
			calls[caller] = append(calls[caller], strings.TrimPrefix(m[1], o.prefix))
		}
	}
	return calls
}

var (
	textForm = regexp.MustCompile(`^TEXT (\S+)\(SB\)`)
	callForm = regexp.MustCompile(`\]R_(?:\w*CALL\w*|RISCV_JAL\w*):([^\s<]+)`)
)
