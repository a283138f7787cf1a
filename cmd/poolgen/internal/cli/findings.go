package cli

import (
	"fmt"

	"github.com/poolgen/poolgen/spec"
)

// diagnosticFormats are the values of --format of commands that report findings.
var diagnosticFormats = spec.Formats()

// findings writes the findings on pool files and ends the command; without findings it does nothing. Text is for
// people and goes to standard error; the other formats are for machines and go to standard output.
func (p *Process) findings(format string, found spec.Diagnostics) error {
	if len(found) == 0 {
		return nil
	}
	if format != textFormat {
		if err := p.write(format, found); err != nil {
			return err
		}
	} else if err := found.Write(p.Stderr, textFormat, p.coloured(p.Stderr)); err != nil {
		return err
	}
	for _, d := range found {
		if d.Code == spec.CodeFault {
			return status(ExitBug)
		}
	}
	return status(ExitFindings)
}

// write writes findings, or that there are none, in a format for machines.
func (p *Process) write(format string, found spec.Diagnostics) error {
	return found.Write(p.Stdout, format, false)
}

// note says on standard error what the output does not show.
func (p *Process) note(text string, args ...any) {
	p.complain("note: " + fmt.Sprintf(text, args...))
}
