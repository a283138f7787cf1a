package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/demo"
)

const demoLong = `Run a complete example in a fresh directory: write a pool file and a small program, generate the
pools, build and run the program, and show where the blocks lie in memory.

It needs the Go toolchain only: no C compiler, no GPU, and no network once poolgen itself is
installed. Nothing stays unless --dir names a directory.`

func (p *Process) demoCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "Run a complete example in a fresh directory",
		Long:    demoLong,
		Example: "  poolgen demo\n  poolgen demo --dir /tmp/pools",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir != "" {
				dir = p.path(dir)
			}
			project, err := demo.Prepare(dir)
			if err != nil {
				return err
			}
			if dir == "" {
				signal.Ignore(syscall.SIGPIPE) // a reader that is done, such as head, must not end the command before this
				defer os.RemoveAll(project)
			}
			generate := func(dir string) error { return p.generateIn(cmd.Context(), dir) }
			show := func(file string) error { return p.showSnapshot(cmd.Context(), file) }
			return demo.Demo{Go: p.gocmd(), Cwd: p.Dir, Dir: project, Stays: dir != "", Out: p.Stdout, Generate: generate, Show: show}.Run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "empty or new directory for the project (default: a temporary one, which is removed)")
	cobra.CheckErr(cmd.MarkFlagDirname("dir"))
	return cmd
}

// generateIn runs poolgen generate in another directory.
func (p *Process) generateIn(ctx context.Context, dir string) error {
	there := *p
	there.Dir = dir
	return there.generate(ctx, nil, textFormat)
}

// showSnapshot runs poolgen snapshot.
func (p *Process) showSnapshot(ctx context.Context, file string) error {
	return p.snapshot(ctx, []string{file}, snapshotOptions{format: &format{value: textFormat}})
}
