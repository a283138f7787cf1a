package demo

import (
	"context"
	"fmt"
	"os/exec"
)

// runProgram runs the demo's program, which writes to the same place as the demo.
func (d Demo) runProgram(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, path)
	cmd.Dir, cmd.Env = d.Dir, d.Go.Environ
	cmd.Stdout, cmd.Stderr = d.Out, d.Out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run the demo: %w", err)
	}
	return nil
}
