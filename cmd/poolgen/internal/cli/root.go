package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

const rootLong = `Turn a pool file into Go code: memory pools made for exactly the types and limits that the
file names.

Begin with poolgen init, or see it all at work with poolgen demo. poolgen help COMMAND tells all
about a command.

Exit codes: 0 done, 1 findings or drift, 2 wrong usage or I/O, 70 a fault of poolgen.`

// root builds a new tree of commands: cobra keeps the values of flags in the tree.
func (p *Process) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "poolgen",
		Short:         "Generate memory pools from a pool file",
		Long:          rootLong,
		Version:       versionOf(p.Build).String(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetArgs(append([]string{}, p.Args...)) // never nil: cobra would use the arguments of the process
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().Bool("version", false, "print the version of poolgen, as poolgen version does")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w\nrun %s --help for its flags", err, cmd.CommandPath())
	})
	root.AddCommand(
		p.initCommand(),
		p.generateCommand(),
		p.checkCommand(),
		p.explainCommand(),
		p.vetCommand(),
		p.replayCommand(),
		p.tuneCommand(),
		p.benchCommand(),
		p.snapshotCommand(),
		p.fmtCommand(),
		p.schemaCommand(),
		p.doctorCommand(),
		p.demoCommand(),
		p.versionCommand(),
	)
	whole := root.HelpFunc()
	root.SetHelpFunc(brief(whole))
	root.SetHelpCommand(p.helpCommand(whole))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			completeHelp(cmd)
		}
	}
	return root
}
