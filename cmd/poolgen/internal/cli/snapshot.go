package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/snapshot"
	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
)

const snapshotLong = `Show what pools held when a program wrote a snapshot of them (package runtime:
TakeSnapshot, Snapshot.Write): the figures of each pool, a map of its memory, pending frees by
stream, the calls that hold the most, and the last events. Programs built with -tags pooldebug know
the calls of all blocks; those with -tags pooltrace know the calls of a sample, and the last events.

Of two files it shows what changed from the first to the second: pools that came and went, figures,
and the live blocks of the second that the first does not have, grouped by the calls that allocated
them or else by size, those with the most bytes first. That is where a leak shows.

It is text, as wide as the terminal or 100 characters, unless --format or the ending of --output
says otherwise. HTML is one page for a browser that needs nothing else; SVG is the maps of one
snapshot.

With --format json, standard output holds one JSON object and nothing else. Of one file: program,
time, debug, pools; of a pool what poolrt.PoolInfo has, then walked, free, fragmentation, states,
chunks, pending, holders, events. Of two: before, after, pools; of a pool name, unit, before, after,
known, new, gone, new_by. Sizes are in bytes (numbers, in pools of numbers), addresses texts.`

// snapshotOptions are the flags of snapshot.
type snapshotOptions struct {
	pools  []string
	output string
	format *format
}

func (p *Process) snapshotCommand() *cobra.Command {
	var o snapshotOptions
	cmd := &cobra.Command{
		Use:   "snapshot FILE [FILE]",
		Short: "Show what pools held, or what changed between two snapshots",
		Long:  snapshotLong,
		Example: "  poolgen snapshot pools.snapshot\n  poolgen snapshot pools.snapshot --pool scene.Vertex -o vertex.svg\n" +
			"  poolgen snapshot before.snapshot after.snapshot -o leak.html",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return fmt.Errorf("name one file that Snapshot.Write of package runtime has written, or two of them to compare; not %d", len(args))
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&o.pools, "pool", nil, "show this pool only, by its name with or without package; may be repeated")
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "write to this file, as its ending says: "+strings.Join(endings(), ", "))
	o.format = formatFlag(cmd, "standard output", textFormat, jsonFormat)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("pool", func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return p.completeSnapshot(cmd.Context(), args), cobra.ShellCompDirectiveNoFileComp
	}))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.snapshot(cmd.Context(), args, o)
	}
	return cmd
}

func (p *Process) snapshot(ctx context.Context, files []string, o snapshotOptions) error {
	kind, err := o.kind(len(files))
	if err != nil {
		return err
	}
	if err := p.apart(files, o.output); err != nil {
		return err
	}
	progress := p.progress()
	defer progress.stop()
	var list []*poolrt.Snapshot
	for i, file := range files {
		progress.say("read %s, %d of %d", file, i+1, len(files))
		s, err := p.readSnapshot(ctx, file)
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	if err := choose(list, o.pools); err != nil {
		return err
	}
	p.remarkSnapshots(files, list)
	show := showing{list, snapshot.Paper{Width: usualWidth}}
	if o.output == "" {
		show.paper = p.paper(p.Stdout)
		return kind.write(p.Stdout, show)
	}
	return p.save(o.output, func(w io.Writer) error { return kind.write(w, show) })
}

// readSnapshot reads a file. Its error names the file.
func (p *Process) readSnapshot(ctx context.Context, name string) (*poolrt.Snapshot, error) {
	if info, err := os.Stat(p.path(name)); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory: name a file that Snapshot.Write of package runtime has written", name)
	}
	s, err := readFile(ctx, p.path(name), func(f *os.File) (*poolrt.Snapshot, error) { return poolrt.ReadSnapshot(f) })
	var path *fs.PathError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &path):
		return nil, fmt.Errorf("read %s: %w", name, path.Err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w%s", name, err, snapshotHelp(err))
	}
	return s, nil
}

// choose keeps only the requested pools. At least one of the snapshots must have each of them.
func choose(list []*poolrt.Snapshot, names []string) error {
	if len(names) == 0 {
		return nil
	}
	found := map[string]bool{}
	var all []string
	for _, s := range list {
		s.Pools = slices.DeleteFunc(s.Pools, func(pool poolrt.PoolSnapshot) bool {
			if name := figure.Plain(pool.Name); !slices.Contains(all, name) {
				all = append(all, name)
			}
			wanted := false
			for _, name := range names {
				if pool.Named(name) {
					found[name], wanted = true, true
				}
			}
			return !wanted
		})
	}
	for _, name := range names {
		if !found[name] {
			return fmt.Errorf("there is no pool %q; there is %s", name, figure.Cut(cmp.Or(strings.Join(all, ", "), "none"), mostNames))
		}
	}
	return nil
}

// mostNames is how many characters of names an error shows.
const mostNames = 1000

// remarkSnapshots notes why a comparison of two snapshots may mislead.
func (p *Process) remarkSnapshots(files []string, list []*poolrt.Snapshot) {
	if len(list) < 2 {
		return
	}
	before, after := list[0], list[1]
	switch {
	case before.Program != after.Program:
		p.note("%s is of another program: blocks are told by their addresses, which say nothing there", files[1])
	case before.Debug != after.Debug:
		p.note("one of the two was built with the tag pooldebug, and the other was not: their blocks cannot be compared")
	case after.Time.Before(before.Time):
		p.note("%s is older than %s: what is called new went, and what is called gone came", files[1], files[0])
	}
}

// completeSnapshot returns the names of the pools in a snapshot.
func (p *Process) completeSnapshot(ctx context.Context, files []string) (names []cobra.Completion) {
	for _, file := range files {
		if s, err := p.readSnapshot(ctx, file); err == nil {
			for _, pool := range s.Pools {
				if name := figure.Plain(pool.Name); !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}
