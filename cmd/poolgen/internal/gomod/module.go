package gomod

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Write makes dir a module named path that requires poolgen's module from source, with the files given (names
// with slashes). It works without a network if the module cache holds what poolgen itself requires: dir gets
// poolgen's go.sum. Build in it with [Go.Temporary].
func Write(dir, path string, source Source, files map[string][]byte) error {
	all := map[string][]byte{"go.mod": source.goMod(path)}
	sum, err := source.goSum()
	if err != nil {
		return err
	}
	if len(sum) > 0 {
		all["go.sum"] = sum
	}
	for name, content := range files {
		all[name] = content
	}
	for name, content := range all {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// goMod writes a go.mod. The version v0.0.0 need not exist: the module is replaced by a directory.
func (s Source) goMod(path string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "module %s\n\ngo %s\n", path, Version)
	if s.Dir == "" {
		fmt.Fprintf(&b, "\nrequire %s %s\n", Path, s.Version)
		return b.Bytes()
	}
	fmt.Fprintf(&b, "\nrequire %s v0.0.0\n\nreplace %s => %s\n", Path, Path, quote(s.Dir))
	return b.Bytes()
}

// quote writes a path in the form of go.mod files.
func quote(path string) string {
	if strings.ContainsAny(path, " \t\"'`(),") {
		return fmt.Sprintf("%q", path)
	}
	return path
}

// Temporary returns a Go for modules made by [Write]: it may complete their go.mod and go.sum, and ignores workspaces around them.
func (g Go) Temporary() Go {
	return g.WithFlags("-mod=mod").With("GOWORK=off")
}

// Complete returns a Go, and flags for its build commands, that build code importing poolgen in the module whose
// directory is root, although its go.mod does not require poolgen or lacks what poolgen requires. No file of the
// module is changed: the go command works on completed copies of go.mod and go.sum in dir. If the module does not
// require poolgen, source says where poolgen comes from.
//
// A workspace, or a vendor directory, is used as it is: the go command allows no copies there.
func (g Go) Complete(ctx context.Context, dir, root string, source Source) (Go, []string, error) {
	workspace, err := g.Run(ctx, root, "env", "GOWORK")
	if err != nil {
		return g, nil, err
	}
	_, vendored := os.Stat(filepath.Join(root, "vendor", "modules.txt"))
	if work := strings.TrimSpace(workspace); work != "" && work != "off" || vendored == nil {
		return g, nil, nil
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return g, nil, err
	}
	required := g.required(ctx, root)
	if required != "" {
		source = Source{Dir: required}
	}
	sum, err := source.goSum(filepath.Join(root, "go.sum"))
	if err != nil {
		return g, nil, err
	}
	copied := filepath.Join(dir, "go.mod")
	if err := errors.Join(os.WriteFile(copied, mod, 0o644), os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644)); err != nil {
		return g, nil, err
	}
	if required == "" {
		if _, err := g.Run(ctx, dir, append([]string{"mod", "edit"}, append(source.edits(), copied)...)...); err != nil {
			return g, nil, err
		}
	}
	return g.Temporary(), []string{"-modfile=" + copied}, nil
}

// edits are the arguments that make go mod edit require the source.
func (s Source) edits() []string {
	if s.Dir == "" {
		return []string{"-require=" + Path + "@" + s.Version}
	}
	return []string{"-require=" + Path + "@v0.0.0", "-replace=" + Path + "=" + s.Dir}
}

// goSum joins the go.sum files given, as far as they exist, and that of poolgen's module.
func (s Source) goSum(files ...string) ([]byte, error) {
	if s.Dir != "" {
		files = append(files, filepath.Join(s.Dir, "go.sum"))
	}
	var all []byte
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		if len(all) > 0 && !bytes.HasSuffix(all, []byte("\n")) {
			all = append(all, '\n')
		}
		all = append(all, content...)
	}
	return all, nil
}
