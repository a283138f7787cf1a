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
	var names []string
	if file != "" {
		names = []string{file}
	}
	paths, err := p.poolFiles(names)
	if err != nil {
		return nil
	}
	units, _, err := p.load(paths)
	if err != nil {
		return nil
	}
	var pools []cobra.Completion
	for _, u := range units {
		for _, pool := range u.plan.Pools {
			line, _, _ := strings.Cut(pool.Doc, "\n")
			pools = append(pools, cobra.CompletionWithDesc(pool.Name, line))
		}
	}
	return pools
}
