package gomod

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// Source is where poolgen's module comes from: a directory, or a version for the go command to get.
type Source struct {
	Dir     string // holds the module's go.mod; "" if only the version is known
	Version string
}

// Locate finds poolgen's module. It tries, in this order: the modules that the directories dirs lie in; the
// directory that this program was built from, if it still exists; the version in this program's build information.
// Generated code is therefore built against the runtime that the user's module requires, if it requires one.
func (g Go) Locate(ctx context.Context, dirs ...string) (Source, error) {
	for _, dir := range dirs {
		if found := g.required(ctx, dir); found != "" {
			return Source{Dir: found}, nil
		}
	}
	if dir := builtFrom(); dir != "" {
		return Source{Dir: dir}, nil
	}
	if version := builtVersion(); version != "" {
		return Source{Version: version}, nil
	}
	return Source{}, fmt.Errorf("cannot find the module %s: this program was built from a directory that is gone; run it in a module that requires poolgen (go get -tool %s/cmd/poolgen)", Path, Path)
}

// required returns the directory of poolgen's module as the module around dir requires it; "" if there is no such
// module, it does not require poolgen, or it keeps poolgen in a vendor directory.
func (g Go) required(ctx context.Context, dir string) string {
	out, err := g.Run(ctx, dir, "list", "-m", "-f", "{{.Dir}}", Path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

// builtFrom returns the directory of the module's source, if this program was built on this machine.
func builtFrom() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) { // with -trimpath it is not a path of any machine
		return ""
	}
	root, module := enclosing(filepath.Dir(filepath.FromSlash(file)))
	if module != Path {
		return ""
	}
	return root
}

// ImportPath returns the import path of a directory, which need not exist, by the nearest go.mod above; "" outside modules, and if that file does not
// declare a path.
func ImportPath(dir string) string {
	root, module := enclosing(dir)
	rel, err := filepath.Rel(root, dir)
	if module == "" || err != nil {
		return ""
	}
	return path.Join(module, filepath.ToSlash(rel))
}

// enclosing returns the directory and the path of the module that dir lies in, by the rule of the go command: the nearest go.mod counts, whatever its
// content; in the directory of temporary files, it says that there is no module. Both are "" if there is none; the path alone is "" if the file does not
// declare one.
func enclosing(dir string) (root, module string) {
	for {
		file := filepath.Join(dir, "go.mod")
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			if same(dir, os.TempDir()) {
				return "", ""
			}
			return dir, modulePath(file)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ""
		}
		dir = parent
	}
}

// same reports whether two paths lead to one directory.
func same(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// modulePath returns the path that a go.mod file declares, or "".
func modulePath(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) >= 2 && fields[0] == "module" {
			return strings.Trim(fields[1], `"`+"`")
		}
	}
	return ""
}

// HasTool reports whether the module that directory lies in has poolgen as a tool: a line "tool PATH" of its go.mod, or PATH in a block of tools.
func HasTool(dir string) bool {
	root, _ := enclosing(dir)
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if root == "" || err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == "tool" {
			fields = fields[1:]
		}
		if len(fields) == 1 && fields[0] == Path+"/cmd/poolgen" {
			return true
		}
	}
	return false
}

// builtVersion returns the version of poolgen's module in this program, if it is one that others can get.
func builtVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != Path || strings.Contains(info.Main.Version, "(devel)") || strings.Contains(info.Main.Version, "+dirty") {
		return ""
	}
	return info.Main.Version
}

// Main returns the directory and the path of the module around dir; both are empty if there is none.
func (g Go) Main(ctx context.Context, dir string) (root, path string, err error) {
	out, err := g.Run(ctx, dir, "env", "GOMOD")
	if err != nil {
		return "", "", err
	}
	file := strings.TrimSpace(out)
	if file == "" || file == os.DevNull || file == "NUL" {
		return "", "", nil
	}
	return filepath.Dir(file), modulePath(file), nil
}
