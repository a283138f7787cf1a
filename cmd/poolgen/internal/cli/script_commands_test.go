package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/tests/large"
)

// commands are the commands of scripts.
func (s *script) commands() map[string]func([]string) error {
	return map[string]func([]string) error{
		"poolgen": s.poolgen,
		"go":      func(args []string) error { return s.external("go", args) },
		"git":     func(args []string) error { return s.external("git", args) },
		"module":  s.module,
		"code": func(args []string) error {
			s.pending = ""
			if want, err := strconv.Atoi(args[0]); err != nil || want != s.code {
				return fmt.Errorf("exit code %d", s.code)
			}
			return nil
		},
		"cd":    func(args []string) error { s.dir = s.path(args[0]); return nil },
		"env":   func(args []string) error { s.environ = append(s.environ, args...); return nil },
		"proxy": s.onlyProxy,
		"mkdir": func(args []string) error { return os.MkdirAll(s.path(args[0]), 0o755) },
		"rm":    func(args []string) error { return os.RemoveAll(s.path(args[0])) },
		"mv":    func(args []string) error { return os.Rename(s.path(args[0]), s.path(args[1])) },
		"link":  func(args []string) error { return os.Symlink(args[0], s.path(args[1])) },
		"cp":    func(args []string) error { return s.cp(s.path(args[0]), s.path(args[1])) },
		"append": func(args []string) error {
			return s.edit(args[0], func(old string) string { return old + args[1] + "\n" })
		},
		"crlf": func(args []string) error {
			return s.edit(args[0], func(old string) string { return strings.ReplaceAll(old, "\n", "\r\n") })
		},
		"encode": func(args []string) error { return s.edit(args[1], encodings[args[0]]) },
		"replace": func(args []string) error {
			return s.edit(args[0], func(old string) string { return strings.ReplaceAll(old, args[1], args[2]) })
		},
		"stdin": func(args []string) error {
			text, err := os.ReadFile(s.path(args[0]))
			s.stdin = string(text)
			return err
		},
		"save": func(args []string) error {
			text, err := s.text(args[0])
			if err != nil {
				return err
			}
			return os.WriteFile(s.path(args[1]), text, 0o644)
		},
		"age":  s.age,
		"slow": func([]string) error { return s.slow() },
	}
}

// checks are the conditions of scripts. A leading ! negates one.
func (s *script) checks() map[string]func([]string) (bool, error) {
	return map[string]func([]string) (bool, error){
		"stdout": func(args []string) (bool, error) { return matches(args[0], s.stdout) },
		"stderr": func(args []string) (bool, error) { return matches(args[0], s.stderr) },
		"grep": func(args []string) (bool, error) {
			content, err := os.ReadFile(s.path(args[1]))
			if err != nil {
				return false, err
			}
			return matches(args[0], string(content))
		},
		"exists": func(args []string) (bool, error) {
			_, err := os.Lstat(s.path(args[0]))
			return err == nil, nil
		},
		"cmp":   s.cmp,
		"fresh": s.fresh,
	}
}

func (s *script) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.dir, name)
}

// module makes the current directory a module that requires poolgen, with a complete go.sum. What comes then makes the go command build poolgen: it is slow.
func (s *script) module(args []string) error {
	if err := s.slow(); err != nil {
		return err
	}
	source, err := gomod.Go{Environ: s.environ}.Locate(context.Background())
	if err != nil {
		return err
	}
	if err := gomod.Write(s.dir, args[0], source, nil); err != nil {
		return err
	}
	s.environ = append(s.environ, "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOWORK=off")
	return nil
}

func (s *script) cp(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}

func (s *script) edit(name string, change func(string) string) error {
	content, err := os.ReadFile(s.path(name))
	if err != nil {
		return err
	}
	now := change(string(content))
	if now == string(content) {
		return errors.New("nothing to change")
	}
	return os.WriteFile(s.path(name), []byte(now), 0o644)
}

// encodings are encodings other than UTF-8 that editors write.
var encodings = map[string]func(string) string{
	"bom": func(text string) string { return "\ufeff" + text },
	"latin1": func(text string) string {
		var out []byte
		for _, r := range text {
			out = append(out, byte(r))
		}
		return string(out)
	},
	"utf16": func(text string) string {
		out := []byte{0xff, 0xfe}
		for _, unit := range utf16.Encode([]rune(text)) {
			out = append(out, byte(unit), byte(unit>>8))
		}
		return string(out)
	},
}

// age makes a file old: fresh then reports whether it was written since.
func (s *script) age(args []string) error {
	past := time.Now().Add(-time.Hour)
	return os.Chtimes(s.path(args[0]), past, past)
}

// fresh: the file was written after age.
func (s *script) fresh(args []string) (bool, error) {
	info, err := os.Stat(s.path(args[0]))
	return err == nil && time.Since(info.ModTime()) < 30*time.Minute, err
}

// slow ends the script here, unless the tests run in their large form.
func (s *script) slow() error {
	if !large.Form() {
		return errSkip
	}
	return nil
}

// cmp compares two files; stdout and stderr stand for those of the last command, with the directory of the script
// written as $WORK. With -update, the second file of the archive is rewritten.
func (s *script) cmp(args []string) (bool, error) {
	got, err := s.text(args[0])
	if err != nil {
		return false, err
	}
	want, err := os.ReadFile(filepath.Join(s.root, args[1]))
	if err != nil {
		return false, err
	}
	if bytes.Equal(got, want) {
		return true, nil
	}
	for i := range s.archive.Files {
		if *update && s.archive.Files[i].Name == args[1] {
			s.archive.Files[i].Data = got
			return true, nil
		}
	}
	return false, fmt.Errorf("got:\n%s\nwant:\n%s", got, want)
}

func (s *script) text(name string) ([]byte, error) {
	switch name {
	case "stdout":
		return []byte(strings.ReplaceAll(s.stdout, s.root, "$WORK")), nil
	case "stderr":
		text := strings.ReplaceAll(s.stderr, s.root, "$WORK")
		return []byte(strings.ReplaceAll(text, ignoresModule(), "")), nil
	}
	return os.ReadFile(s.path(name))
}

// onlyProxy makes the go command use only the first of the user's proxies, whatever that proxy answers.
func (s *script) onlyProxy([]string) error {
	out, err := exec.Command("go", "env", "GOPROXY").Output()
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), ",")
	s.environ = append(s.environ, "GOPROXY="+first+"|off")
	return err
}
