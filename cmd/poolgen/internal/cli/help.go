package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const helpLong = `Show all that there is to say about a command, with its flags and examples. poolgen COMMAND --help
shows the first paragraph of it.`

// brief shows the first paragraph of the help of a command. The text of poolgen itself is short, and is shown whole.
func brief(whole func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		if paragraph, _, more := strings.Cut(cmd.Long, "\n\n"); more && cmd.HasParent() {
			cmd.Long = fmt.Sprintf("%s\n\npoolgen help %s tells more.", paragraph, cmd.Name())
		}
		whole(cmd, args)
	}
}

// helpCommand shows the help of commands by the function whole.
func (p *Process) helpCommand(whole func(*cobra.Command, []string)) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show what a command does",
		Long:    helpLong,
		Example: "  poolgen help check",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			if of, _, err := cmd.Root().Find(args); err == nil {
				for _, sub := range of.Commands() {
					if !sub.Hidden {
						names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknown(of, rest)
			}
			of.InitDefaultHelpFlag()
			whole(of, nil)
			return nil
		},
	}
}

const completionLong = `Write a script by which a shell completes the command poolgen, which has to be on PATH.

To put it there, run

  go install github.com/poolgen/poolgen/cmd/poolgen@latest

or, in a checkout, go install ./cmd/poolgen; the directory is $(go env GOPATH)/bin unless GOBIN names another.`

// installed maps each shell to the line that installs its completion.
var installed = map[string]string{
	"bash":       "poolgen completion bash > /etc/bash_completion.d/poolgen",
	"zsh":        `poolgen completion zsh > "${fpath[1]}/_poolgen"`,
	"fish":       "poolgen completion fish > ~/.config/fish/completions/poolgen.fish",
	"powershell": "poolgen completion powershell | Out-String | Invoke-Expression",
}

// completeHelp adds what cobra's completion command lacks: examples, and an error for unknown shells.
func completeHelp(completion *cobra.Command) {
	completion.Long = completionLong
	completion.Example = "  " + installed["bash"]
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknown(cmd, args)
		}
		return cmd.Help()
	}
	completion.Args = nil
	for _, shell := range completion.Commands() {
		shell.Example = "  " + installed[shell.Name()]
	}
}

func unknown(cmd *cobra.Command, args []string) error {
	return fmt.Errorf("%s has no command %q", cmd.CommandPath(), strings.Join(args, " "))
}
