package cli

import (
	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/spec"
)

const schemaLong = `Print the JSON Schema of pool files. Editors complete and check pool files by it: poolgen
init writes a comment into the pool file that tells them where that of its version is.`

func (p *Process) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of pool files",
		Long:    schemaLong,
		Example: "  poolgen schema > poolgen.schema.json",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			_, err := p.Stdout.Write(spec.Schema())
			return err
		},
	}
}
