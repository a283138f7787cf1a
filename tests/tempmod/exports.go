package tempmod

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Exports are packages as the go command has compiled them: their files of export data, by import path.
type Exports map[string]string

// Compile lets the go command compile the packages of some patterns, and all that they import, unless they are in the build cache.
func Compile(env []string, patterns ...string) (Exports, error) {
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}, patterns...)...)
	list.Env = append(os.Environ(), env...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	files := Exports{}
	for line := range strings.Lines(string(out)) {
		if pkg, file, ok := strings.Cut(strings.TrimSpace(line), "="); ok && file != "" {
			files[pkg] = file
		}
	}
	return files, nil
}

// Open opens the export data of a package, as an importer of package go/importer wants it.
func (e Exports) Open(path string) (io.ReadCloser, error) {
	if e[path] == "" {
		return nil, fmt.Errorf("package %s is not among those compiled", path)
	}
	return os.Open(e[path])
}
