package gomod

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Write makes dir a module named path that requires poolgen's module from source, with the files given (names
// with slashes). It works without a network as far as the module cache holds what poolgen itself requires: its
// go.sum comes along. Build in it with [Go.Temporary].
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

// goMod writes a go.mod. The version v0.0.0 does not exist, and need not: the module is replaced by a folder.
func (s Source) goMod(path string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "module %s\n\ngo 1.26.0\n", path)
	if s.Dir == "" {
		fmt.Fprintf(&b, "\nrequire %s %s\n", Path, s.Version)
		return b.Bytes()
	}
	fmt.Fprintf(&b, "\nrequire %s v0.0.0\n\nreplace %s => %s\n", Path, Path, quote(s.Dir))
	return b.Bytes()
}

// quote writes a path as go.mod files want it.
func quote(path string) string {
	if strings.ContainsAny(path, " \t\"'`(),") {
		return fmt.Sprintf("%q", path)
	}
	return path
}

// Temporary returns a Go for modules made by [Write]: it may complete their go.mod and go.sum, and minds no
// workspace around them.
func (g Go) Temporary() Go {
	return g.WithFlags("-mod=mod").With("GOWORK=off")
}

// Copy makes a go.mod and a go.sum in dir that hold what those of the module in root hold, and poolgen's
// module from source as well. With the flag -modfile=dir/go.mod, the module in root then builds code that imports poolgen
// although it does not require it, and no file of it is changed.
func (g Go) Copy(ctx context.Context, dir, root string, source Source) error {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := source.goSum(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o644); err != nil {
		return err
	}
	args := []string{"mod", "edit"}
	if source.Dir != "" {
		args = append(args, "-require="+Path+"@v0.0.0", "-replace="+Path+"="+source.Dir)
	} else {
		args = append(args, "-require="+Path+"@"+source.Version)
	}
	_, err = g.Run(ctx, dir, append(args, filepath.Join(dir, "go.mod"))...)
	return err
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
