// Poolgen generates memory pools: it turns a pool file into Go code made for exactly those pools. Run
// "poolgen help" for its commands.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "poolgen:", err)
		os.Exit(cli.ExitUsage)
	}
	build, _ := debug.ReadBuildInfo()
	code := cli.Main(ctx, cli.Process{
		Args: os.Args[1:], Environ: os.Environ(), Dir: dir, Build: build,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	stop()
	os.Exit(code)
}
