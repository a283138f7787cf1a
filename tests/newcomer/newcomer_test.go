package newcomer

import (
	"encoding/json"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// Sections of the README, and of docs/install.md.
const (
	first   = "poolgen" // the heading of the README
	own     = "In your own module"
	release = "From a release"
	adds    = "What that adds"
	light   = "A mod file for tools"
)

// nowhere is an address without a listener: as a proxy for HTTP, it cuts off the network.
const nowhere = "http://127.0.0.1:1"

// newcomer is a user with an empty directory and a machine of their own.
type newcomer struct {
	t       *testing.T
	command tempmod.Command
}

func arrive(t *testing.T) *newcomer {
	t.Helper()
	large.Only(t) // builds poolgen as a module
	command := tempmod.Command{Dir: t.TempDir()}
	first, _, err := command.Go("env", "GOPROXY")
	fatal.If(t, err)
	first, _, _ = strings.Cut(strings.TrimSpace(first), ",")
	upstream, err := url.Parse(first)
	if err != nil || upstream.Host == "" {
		t.Skipf("GOPROXY begins with %q, which is no module proxy", first)
	}
	command.Env = []string{
		"GOPROXY=" + startRelay(t, upstream) + "|off", "GONOSUMDB=" + tempmod.Path, "GOVCS=*:off", "GOTOOLCHAIN=local", "GOWORK=off",
		"HTTP_PROXY=" + nowhere, "HTTPS_PROXY=" + nowhere,
	}
	return &newcomer{t, command}
}

// forget gives the newcomer a module cache without poolgen. With a checkout there is no need: poolgen is not in the cache then, and what it requires has been
// built where this machine has it.
func (n *newcomer) forget() {
	flags, _, err := n.command.Go("env", "GOFLAGS")
	fatal.If(n.t, err)
	n.command.Env = append(n.command.Env, "GOMODCACHE="+moduleCache(n.t), "GOFLAGS="+strings.TrimSpace(flags)+" -modcacherw")
}

// moduleCache returns the directory of a module cache without poolgen from earlier runs. The directory remains after the test, because the build
// cache depends on directories: unchanged modules need not be built again.
func moduleCache(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(tempmod.Root(t), ".build", "newcomer")
	owner := path.Dir(tempmod.Path)
	for _, old := range []string{owner, "cache/download/" + owner} {
		fatal.If(t, os.RemoveAll(filepath.Join(dir, filepath.FromSlash(old))))
	}
	return dir
}

// elsewhere returns a newcomer on the same machine, with another empty directory.
func (n *newcomer) elsewhere() *newcomer {
	there := *n
	there.command.Dir = n.t.TempDir()
	return &there
}

// write writes the two files of the README.
func (n *newcomer) write() {
	n.t.Helper()
	list := document(n.t, "README.md")
	tempmod.Write(n.t, n.command.Dir, map[string]string{"poolgen.yaml": only(n.t, list, first, "yaml"), "main.go": only(n.t, list, own, "go")})
}

// run runs commands, each of which has to succeed, and returns what the last one printed.
func (n *newcomer) run(list [][]string) (stdout string) {
	n.t.Helper()
	for _, words := range list {
		out, diag, err := n.command.Run(words[0], words[1:]...)
		if err != nil {
			n.t.Fatalf("%s: %v\n%s%s", strings.Join(words, " "), err, out, diag)
		}
		n.t.Logf("$ %s\n%s%s", strings.Join(words, " "), out, diag)
		stdout = out
	}
	return stdout
}

// TestRelease goes from an empty directory to a program that runs, twice: in the usual way, and with a separate file for tools. Both times go.mod has
// the requirements that docs/install.md lists, and go mod tidy adds nothing. The workflow of docs/ci.md passes there.
func TestRelease(t *testing.T) {
	list := document(t, "docs/install.md")
	n := arrive(t)
	n.forget()
	all := modules(only(t, list, adds, "go.mod"))
	n.write()
	n.run(commands(only(t, list, release, "")))
	n.expect(all)
	workflow := steps(only(t, document(t, "docs/ci.md"), "In continuous integration", "yaml"))
	if len(workflow) != 2 {
		t.Errorf("the workflow has the steps %q, and the test wants check and vet", workflow)
	}
	n.run(workflow)

	apart := n.elsewhere()
	apart.write()
	apart.run([][]string{{"go", "mod", "init", "example.com/app"}})
	apart.run(commands(only(t, list, light, "")))
	apart.expect(all[:2])
}

// TestCheckout uses a checkout: with the tool in go.mod, as the README says, and with a file for tools, as docs/install.md says.
func TestCheckout(t *testing.T) {
	n := arrive(t)
	n.write()
	n.run(commands(here(t, only(t, document(t, "README.md"), own, ""))))

	instead := replacements(t, "docs/install.md")
	if len(instead) != 2 {
		t.Fatalf("there are %d commands for checkouts, and the test wants two", len(instead))
	}
	apart := n.elsewhere()
	apart.write()
	apart.run([][]string{{"go", "mod", "init", "example.com/app"}})
	for _, words := range replaced(commands(only(t, document(t, "docs/install.md"), light, "")), instead) {
		apart.run([][]string{words})
		if words[len(words)-1] == "generate" {
			apart.run([][]string{{"go", "mod", "tidy"}})
		}
	}
}

// replaced replaces each command that begins with go get, in order.
func replaced(list [][]string, instead [][][]string) (out [][]string) {
	for _, words := range list {
		if words[0] == "go" && words[1] == "get" {
			out, instead = append(out, instead[0]...), instead[1:]
			continue
		}
		out = append(out, words)
	}
	return out
}

// modules returns the modules that are required in a go.mod without versions.
func modules(text string) (list []string) {
	_, text, _ = strings.Cut(text, "require (")
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		if line = strings.TrimSpace(line); line != "" && line != ")" {
			list = append(list, line)
		}
	}
	return list
}

// expect checks that go.mod requires these modules and no others, before and after go mod tidy.
func (n *newcomer) expect(want []string) {
	n.t.Helper()
	for _, before := range [][]string{{"go", "version"}, {"go", "mod", "tidy"}} {
		var mod struct{ Require []struct{ Path string } }
		text := n.run([][]string{before, {"go", "mod", "edit", "-json"}})
		fatal.If(n.t, json.Unmarshal([]byte(text), &mod))
		var got []string
		for _, r := range mod.Require {
			got = append(got, r.Path)
		}
		if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			n.t.Errorf("after %s, go.mod requires\n%s\ndocs/install.md says\n%s", strings.Join(before, " "), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
