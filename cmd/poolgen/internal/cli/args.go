package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/internal/figure"
)

// atMost refuses more than n arguments of a command.
func atMost(n int) cobra.PositionalArgs {
	takes := "no arguments"
	if n > 0 {
		takes = figure.Count(int64(n), "argument") + " at most"
	}
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return fmt.Errorf("%s takes %s, and got %d: %s\nrun %[1]s --help for its flags", cmd.CommandPath(), takes, len(args), strings.Join(args, " "))
	}
}
