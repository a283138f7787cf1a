package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// completeFiles completes names of pool files.
func completeFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// completePools returns the names of the pools in the pool file, or in the one found when file is "". A file
// with findings completes to nothing.
func (p *Process) completePools(file string) []cobra.Completion {
	units, _, err := p.workspace().Load(named(file))
	if err != nil {
		return nil
	}
	var pools []cobra.Completion
	for _, u := range units {
		for _, pool := range u.Plan.Pools {
			line, _, _ := strings.Cut(pool.Doc, "\n")
			pools = append(pools, cobra.CompletionWithDesc(pool.Name, line))
		}
	}
	return pools
}
