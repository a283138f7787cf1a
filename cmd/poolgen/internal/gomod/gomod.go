// Package gomod runs the go command on generated code: it finds poolgen's own module, with which generated packages can be built
// even if the user's module does not require it yet, and makes temporary modules.
//
// Package program uses it to build what replay, bench, tune and explain measure. Package demo uses it for its directory, and tests
// for generated packages.
package gomod

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// Path is the path of poolgen's module.
const Path = "github.com/poolgen/poolgen"

// Version is the version of Go that poolgen's module requires, and that modules made by this package require.
const Version = "1.25.0"

// Go runs the go command. Its zero value runs it with an empty environment, in which it does not work.
type Go struct {
	Environ []string
}

// With returns a Go whose environment has the given variables (NAME=value) on top.
func (g Go) With(vars ...string) Go {
	return Go{append(append([]string(nil), g.Environ...), vars...)}
}

// WithFlags returns a Go that adds flags to GOFLAGS, after those the user has set.
func (g Go) WithFlags(flags string) Go {
	return g.With("GOFLAGS=" + strings.TrimSpace(g.flags()+" "+flags))
}

// WithTag returns a Go that builds with one more tag, beside those the user has set.
func (g Go) WithTag(tag string) Go {
	var flags []string
	for _, f := range strings.Fields(g.flags()) {
		if tags, ok := tagsOf(f); ok {
			tag = tags + "," + tag
		} else {
			flags = append(flags, f)
		}
	}
	return g.With("GOFLAGS=" + strings.Join(append(flags, "-tags="+tag), " "))
}

// HasTag reports whether the user's flags build with a tag.
func (g Go) HasTag(tag string) bool {
	return slices.Contains(g.tags(), tag)
}

// Tags returns the tags in the user's flags in order, separated by commas.
func (g Go) Tags() string {
	all := g.tags()
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

func (g Go) tags() (all []string) {
	for _, f := range strings.Fields(g.flags()) {
		if tags, ok := tagsOf(f); ok {
			all = append(all, strings.Split(tags, ",")...)
		}
	}
	return all
}

// tagsOf returns the tags of a flag -tags; false for other flags.
func tagsOf(flag string) (tags string, ok bool) {
	return strings.CutPrefix(strings.TrimLeft(flag, "-"), "tags=")
}

// flags returns the GOFLAGS that apply: those of the environment, or those that the user has set with go env -w.
func (g Go) flags() string {
	if set := g.lookup("GOFLAGS"); set != "" {
		return set
	}
	set, err := g.Run(context.Background(), "", "env", "GOFLAGS")
	if err != nil {
		return "" // the next call will fail with the reason
	}
	return strings.TrimSpace(set)
}

func (g Go) lookup(name string) string {
	value := ""
	for _, v := range g.Environ {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest // as in package exec, the last one counts
		}
	}
	return value
}

// Run runs the go command in dir and returns its standard output. The error carries what it wrote to standard error.
func (g Go) Run(ctx context.Context, dir string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	if err := g.Stream(ctx, dir, &stdout, &stderr, args...); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if errors.Is(err, exec.ErrNotFound) {
			return "", fmt.Errorf("the go command is not in PATH: %w", err)
		}
		return "", &Error{Args: args, Output: strings.TrimSpace(stderr.String() + stdout.String()), Stderr: stderr.String(), Err: err}
	}
	return stdout.String(), nil
}

// Stream runs the go command in dir with streams of the caller's. The error is that of package exec.
func (g Go) Stream(ctx context.Context, dir string, stdout, stderr io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = g.With("GO111MODULE=on").Environ // GOPATH mode ignores modules
	if dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+dir) // preserves the path in the user's form
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd.Run()
}

// Error is a failure of the go command.
type Error struct {
	Args   []string
	Output string // of the command, both streams
	Stderr string // the second of them
	Err    error
}

// Error returns the command and all its output, which may have several lines.
func (e *Error) Error() string {
	return fmt.Sprintf("go %s: %v\n%s", e.Args[0], e.Err, e.Output)
}

// Unwrap returns the error of package exec.
func (e *Error) Unwrap() error { return e.Err }
