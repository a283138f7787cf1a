package cli

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
)

const initLong = `Write an annotated pool file, poolgen.yaml, into this directory, and generate.go, which makes go
generate run poolgen. Both are there to be changed. It never replaces a file: what is there already
stays, and what is missing is written.`

//go:embed init.yaml
var initForm string

// initText is the new pool file. It names the JSON Schema of this version, so that an editor knows the keys that this program knows.
func (p *Process) initText() []byte {
	return []byte(strings.Replace(initForm, "REF", versionOf(p.Build).ref(), 1))
}

// generateFile is the Go file that carries the go:generate directive.
const generateFile = "generate.go"

const generateText = "package %s\n\n" +
	"// Leave GOOS and GOARCH alone: go tool would build poolgen for the other system. To generate for one, run\n" +
	"//\n//\tGOOS=windows $(go tool -n poolgen) generate\n\n" + generateLine + "\n"

const generateLine = "//go:generate go tool poolgen generate"

// generateForm matches a line that makes go generate run poolgen, however poolgen is found.
var generateForm = regexp.MustCompile(`(?m)^//go:generate .*\bpoolgen\S* generate\b`)

func (p *Process) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:        "init",
		SuggestFor: []string{"new", "create"},
		Short:      "Write an annotated pool file to begin with",
		Long:       initLong,
		Example:    "  poolgen init",
		Args:       atMost(0),
		RunE:       func(cmd *cobra.Command, _ []string) error { return p.scaffold(cmd.Context()) },
	}
}

// scaffold writes the missing ones of the two files, and prints what comes next.
func (p *Process) scaffold(ctx context.Context) error {
	name, err := p.packageHere(ctx)
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name, note string
		content    []byte
	}{
		{workspace.PoolFile, "", p.initText()},
		{generateFile, p.lacking(), fmt.Appendf(nil, generateText, name)},
	} {
		switch err := p.create(file.name, file.content); {
		case errors.Is(err, fs.ErrExist):
			fmt.Fprintf(p.Stdout, "%s exists and stays as it is%s\n", file.name, file.note)
		case err != nil:
			return err
		default:
			fmt.Fprintf(p.Stdout, "wrote %s\n", file.name)
		}
	}
	p.next()
	return nil
}

// lacking says what an existing generate.go lacks.
func (p *Process) lacking() string {
	if text, err := os.ReadFile(p.path(generateFile)); err != nil || generateForm.Match(text) {
		return ""
	}
	return ": add the line " + generateLine
}

// packageHere returns the package of the Go files here, including those that will be generated. It runs the new pool file through the compiler,
// because init must not leave files behind where generate would fail. An existing pool file determines the package if it is valid and has its output
// here; generate reports what is wrong with it.
func (p *Process) packageHere(ctx context.Context) (string, error) {
	w := p.workspace()
	path := w.Path(workspace.PoolFile)
	there, err := w.HasFile(path)
	if err != nil {
		return "", err
	}
	if there {
		if units, found, err := w.Load(named(path)); err == nil && len(found) == 0 && units[0].Plan.Output == "." {
			return units[0].Plan.Package, nil
		}
	}
	u, found, err := w.Parse(path, p.initText(), "")
	if err == nil && len(found) > 0 {
		// The text itself is valid, and the error is about the name of the directory: generate.go determines the package then.
		u, found, err = w.Parse(path, p.initText(), "pools")
	}
	if err != nil {
		return "", err
	}
	if there && u.Plan != nil {
		return u.Plan.Package, nil
	}
	if len(found) == 0 {
		if found, err = w.Compile(ctx, u); err != nil {
			return "", err
		}
	}
	if err := p.findings(textFormat, found); err != nil {
		return "", err
	}
	return u.Plan.Package, p.compare(ctx, u)
}

// create writes a new file into the current directory.
func (p *Process) create(name string, content []byte) error {
	f, err := os.OpenFile(filepath.Join(p.Dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// next prints the commands that are needed after init.
func (p *Process) next() {
	var commands [][2]string
	if gomod.ImportPath(p.Dir) == "" {
		commands = append(commands, [2]string{"go mod init example.com/app", "this directory is in no module yet"})
	}
	if !gomod.HasTool(p.Dir) {
		commands = append(commands, [2]string{"go get -tool github.com/poolgen/poolgen/cmd/poolgen", "once in each module"})
	}
	commands = append(commands, [2]string{"go generate ./...", ""})
	fmt.Fprintln(p.Stdout, "\nnext:")
	for _, c := range commands {
		if c[1] == "" {
			fmt.Fprintf(p.Stdout, "  %s\n", c[0])
		} else {
			fmt.Fprintf(p.Stdout, "  %-55s  # %s\n", c[0], c[1])
		}
	}
}
