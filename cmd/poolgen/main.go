// Poolgen generates memory pools: it turns a pool file into Go code for exactly those pools. Run
// "poolgen help" for its commands.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/cli"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet"

	// Generated code imports the runtime. Because it is linked here, "go get -tool" records what the runtime
	// needs in go.sum, and a module builds right after its first generate.
	_ "github.com/poolgen/poolgen/runtime"
)

// gcPercent lets the heap grow to five times what is live before it is collected. A run is over in a fraction of a second and most
// of what it allocates is short-lived syntax trees: with the default of 100, a fifth of its time is garbage collection. Peak
// memory is 90 MB to 190 MB for a hundred pools, depending on how many have parameters of their own.
const gcPercent = 400

// memoryLimit is the size in bytes from which the heap is collected more often than that. Only pool files of almost the largest size, which are full of
// mistakes, reach it.
const memoryLimit = 320 << 20

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if vet.IsTool(os.Args[1:]) {
		vet.Tool()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // timeout and most supervisors send the second
	context.AfterFunc(ctx, stop)                                                           // another signal ends the program at once
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "poolgen:", err)
		os.Exit(cli.ExitUsage)
	}
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "poolgen:", err)
		os.Exit(cli.ExitUsage)
	}
	build, _ := debug.ReadBuildInfo()
	code := cli.Main(ctx, cli.Process{
		Args: os.Args[1:], Environ: os.Environ(), Dir: dir, Build: build, Self: self,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	stop()
	os.Exit(code)
}
