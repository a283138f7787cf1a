package cli

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

const initLong = `init writes an annotated pool file, poolgen.yaml, into this folder, and generate.go, which makes go generate run poolgen.
Both are there to be changed. It never replaces a file.`

//go:embed init.yaml
var initText []byte

// generateFile is the Go file that carries the go:generate directive.
const generateFile = "generate.go"

const generateText = `package %s

//go:generate go tool poolgen generate
`

func (p *Process) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "init",
		Short:   "Write an annotated pool file to begin with",
		Long:    initLong,
		Example: "  poolgen init && go generate ./...",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return p.scaffold() },
	}
}

// scaffold writes the two files, and says what comes next.
func (p *Process) scaffold() error {
	if exists(p.path(poolFileName)) {
		return fmt.Errorf("%s exists: init does not replace it", poolFileName)
	}
	name, err := p.packageHere()
	if err != nil {
		return err
	}
	err = p.create(poolFileName, initText)
	if err != nil {
		return err
	}
	err = p.create(generateFile, fmt.Appendf(nil, generateText, name))
	if errors.Is(err, fs.ErrExist) {
		fmt.Fprintf(p.Stdout, "%s exists: see that it has the line //go:generate go tool poolgen generate\n", generateFile)
		err = nil
	}
	if err != nil {
		return err
	}
	p.next()
	return nil
}

// packageHere returns the package that the pools will be in. It takes the new pool file through the compiler for
// that, so that init leaves nothing behind where generate would fail.
func (p *Process) packageHere() (string, error) {
	u, found, err := p.parse(p.path(poolFileName), initText, "")
	if err == nil && len(found) > 0 {
		// The text itself is good: what is wrong is the name of the folder. generate.go gives the package then.
		u, found, err = p.parse(p.path(poolFileName), initText, "pools")
	}
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		found = p.compile([]*unit{u})
	}
	if err := p.findings(textFormat, found); err != nil {
		return "", err
	}
	return u.plan.Package, compare([]*unit{u})
}

// create writes a new file into the current folder.
func (p *Process) create(name string, content []byte) error {
	f, err := os.OpenFile(filepath.Join(p.Dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "wrote %s\n", name)
	return nil
}

// next prints the commands that come after init.
func (p *Process) next() {
	commands := [][2]string{
		{"go get -tool github.com/poolgen/poolgen/cmd/poolgen", "once in each module"},
		{"go generate ./...", ""},
	}
	if !p.inModule() {
		commands = append([][2]string{{"go mod init example.com/app", "this folder is in no module yet"}}, commands...)
	}
	fmt.Fprintln(p.Stdout, "\nnext:")
	for _, c := range commands {
		if c[1] == "" {
			fmt.Fprintf(p.Stdout, "  %s\n", c[0])
		} else {
			fmt.Fprintf(p.Stdout, "  %-55s  # %s\n", c[0], c[1])
		}
	}
}

func (p *Process) inModule() bool {
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, "go.mod")) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}
