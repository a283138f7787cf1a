package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
)

// completeFiles completes names of pool files.
func completeFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// completePools returns the names of the pools in the pool file; if file is "", in the one that commands
// find by default. For a file with findings it returns none.
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

// completeTemplates returns the names of the templates that a pool is made of.
func (p *Process) completeTemplates(file, pool string) (names []cobra.Completion) {
	units, _, err := p.workspace().Load(named(file))
	if err != nil || len(units) == 0 {
		return nil
	}
	pools, err := units[0].Pools(pool)
	if err != nil {
		return nil
	}
	lists, err := lower.Templates(units[0].Plan, pools)
	if err != nil {
		return nil
	}
	for _, t := range lists[0] {
		names = append(names, cobra.CompletionWithDesc(t.Name, t.Role))
	}
	return names
}
