package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// fault is one planted fault.
type fault struct {
	name  string // the file's package and what is wrong
	file  string // from the root of the project
	old   string // occurs once in the file
	new   string
	tests string // arguments of go test: flags, and packages, also of the module tests/pools
}

// text returns the text of the file with the fault.
func (f fault) text(root fs.FS) ([]byte, error) {
	was, err := fs.ReadFile(root, f.file)
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(was, []byte(f.old)); n != 1 {
		return nil, fmt.Errorf("%s has %d times, and not once: %s", f.file, n, f.old)
	}
	return bytes.Replace(was, []byte(f.old), []byte(f.new), 1), nil
}

// plant runs the tests with the fault and returns the test that found it, or "". A fault that does not compile is an error, because it proves
// nothing.
func (f fault) plant(root fs.FS, overlay string) (by string, err error) {
	text, err := f.text(root)
	if err != nil {
		return "", err
	}
	planted := overlay + filepath.Ext(f.file)
	at, err := filepath.Abs(filepath.FromSlash(f.file))
	if err != nil {
		return "", err
	}
	how, err := json.Marshal(map[string]map[string]string{"Replace": {at: planted}})
	if err != nil {
		return "", err
	}
	for name, data := range map[string][]byte{planted: text, overlay: how} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return "", err
		}
	}
	for _, args := range f.commands(overlay) {
		out, err := exec.Command("go", args...).CombinedOutput()
		switch {
		case err == nil:
			continue
		case slices.Contains(args, "generate"), bytes.Contains(out, []byte("[build failed]")), bytes.Contains(out, []byte("[setup failed]")):
			return "", fmt.Errorf("go %s: %s", strings.Join(args, " "), out)
		}
		return finder(out), nil
	}
	return "", nil
}

// module is the module of generated pools, whose packages are tested there.
const module = "tests/pools"

// explorer explores schedules of a program that it builds itself.
const explorer = "./tests/schedules"

// commands returns the arguments of the go commands that run the tests.
func (f fault) commands(overlay string) (list [][]string) {
	run := []string{"test", "-overlay", overlay, "-vet", "off", "-timeout", "120s", "-failfast"}
	here, there := slices.Clone(run), slices.Concat([]string{"-C", module}, run)
	packages, inModule := 0, 0
	for _, arg := range strings.Fields(f.tests) {
		pkg, ofModule := strings.CutPrefix(arg, "./"+module+"/")
		switch {
		case ofModule:
			there, inModule = append(there, "./"+pkg), inModule+1
		case strings.HasPrefix(arg, "./"):
			here, packages = append(here, arg), packages+1
		default:
			here, there = append(here, arg), append(there, arg)
		}
	}
	if slices.Contains(here, explorer) {
		here = append(here, "-schedules.overlay", overlay)
	}
	if packages > 0 {
		list = append(list, here)
	}
	if inModule > 0 {
		list = append(list, []string{"-C", module, "generate", "./..."}, there)
	}
	return list
}

// found has what a failed test prints, the most telling first: a scenario and how long its subject was explored, a test, the way the program ended.
var found = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^ +schedules_test.go:\d+: (\S+/.* after \S+ s): `),
	regexp.MustCompile(`(?m)^--- FAIL: (\S+)`),
	regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*|WARNING: DATA RACE)$`),
}

// finder returns what found the fault.
func finder(out []byte) string {
	for _, f := range found {
		if m := f.FindSubmatch(out); m != nil {
			return strings.TrimSpace(string(m[1]))
		}
	}
	return "failed"
}
