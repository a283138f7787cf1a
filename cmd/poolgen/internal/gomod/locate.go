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

// Source is where poolgen's module comes from: a folder, or a version for the go command to get.
type Source struct {
	Dir     string // holds the module's go.mod; "" if only the version is known
	Version string
}

// Locate finds poolgen's module. It asks, in this order: the modules that the folders dirs lie in; the folder
// that this program was built from, if it is still there; the version in this program's build information. So
// generated code is built against the runtime that the user's module requires, where it requires one.
func (g Go) Locate(ctx context.Context, dirs ...string) (Source, error) {
	for _, dir := range dirs {
		if found := g.Required(ctx, dir); found != "" {
			return Source{Dir: found}, nil
		}
	}
	if dir := builtFrom(); dir != "" {
		return Source{Dir: dir}, nil
	}
	if version := builtVersion(); version != "" {
		return Source{Version: version}, nil
	}
	return Source{}, fmt.Errorf("cannot find the module %s: this program was built from a folder that is gone; run it in a module that requires poolgen (go get -tool %s/cmd/poolgen)", Path, Path)
}

// Required returns the folder of poolgen's module as the module around dir has it; "" if there is no such
// module, it does not require poolgen, or it keeps poolgen in a vendor folder.
func (g Go) Required(ctx context.Context, dir string) string {
	out, err := g.Run(ctx, dir, "list", "-m", "-f", "{{.Dir}}", Path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

// builtFrom returns the folder of the module's source on the machine that built this program, if that is this one.
func builtFrom() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) { // with -trimpath it is not a path of any machine
		return ""
	}
	return enclosing(filepath.Dir(filepath.FromSlash(file)))
}

// enclosing returns the nearest folder from dir upwards that holds the go.mod of poolgen.
func enclosing(dir string) string {
	return above(dir, func(module string) bool { return module == Path })
}

// ImportPath returns the import path of a folder, which need not exist, by the nearest go.mod above; "" outside of modules.
func ImportPath(folder string) string {
	dir := above(folder, func(module string) bool { return module != "" })
	rel, err := filepath.Rel(dir, folder)
	if dir == "" || err != nil {
		return ""
	}
	return path.Join(modulePath(filepath.Join(dir, "go.mod")), filepath.ToSlash(rel))
}

// above returns the nearest folder from dir upwards whose go.mod declares a path that will do; "" if none does.
func above(dir string, will func(module string) bool) string {
	for {
		if will(modulePath(filepath.Join(dir, "go.mod"))) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// modulePath returns the path that a go.mod file declares; "" if it cannot be told.
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

// builtVersion returns the version of poolgen's module in this program, if it is one that others can get.
func builtVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != Path || strings.Contains(info.Main.Version, "(devel)") || strings.Contains(info.Main.Version, "+dirty") {
		return ""
	}
	return info.Main.Version
}

// Main returns the folder and the path of the module around dir; both are empty if there is none.
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
