package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// format is the value of --format.
type format struct {
	value string
	legal []string
	asked bool // it was given
}

// Formats that commands write themselves; those of findings are package spec's.
const (
	textFormat = "text" // for people
	jsonFormat = "json"
	yamlFormat = "yaml" // the pool file alone
)

// formatFlag adds --format to a command, and --json, its short form: the format of what it writes. The first is the default.
func formatFlag(cmd *cobra.Command, what string, legal ...string) *format {
	f := &format{value: legal[0], legal: legal}
	cmd.Flags().Var(f, "format", "format of "+what+": "+strings.Join(legal, ", "))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(legal, cobra.ShellCompDirectiveNoFileComp)))
	cmd.Flags().BoolFunc("json", "short for --format json", func(string) error { return f.Set(jsonFormat) })
	cmd.MarkFlagsMutuallyExclusive("format", "json")
	return f
}

func (f *format) String() string { return f.value }
func (f *format) Type() string   { return "format" }

// Set accepts the legal formats.
func (f *format) Set(value string) error {
	if !slices.Contains(f.legal, value) {
		return fmt.Errorf("want one of %s", strings.Join(f.legal, ", "))
	}
	f.value, f.asked = value, true
	return nil
}

// terminal reports whether w is a terminal.
func terminal(w any) bool {
	file, ok := fileOf(w)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// coloured reports whether text for w should have colours.
func (p *Process) coloured(w any) bool {
	return terminal(w) && p.env("NO_COLOR") == "" && p.env("TERM") != "dumb"
}

// env returns the value of an environment variable.
func (p *Process) env(name string) string {
	for _, v := range slices.Backward(p.Environ) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
