// Command grpcserver serves gRPC with the buffers of a pool that has a limit, while clients in the same program call it over the loopback.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	clients := flag.Int("clients", 4, "clients at the same time")
	calls := flag.Int("calls", 200, "calls of each kind that a client makes")
	flag.Parse()
	if err := run(os.Stdout, *clients, *calls); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves the clients, and prints what the pool has counted.
func run(out io.Writer, clients, calls int) error {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	server, address, err := serve()
	if err != nil {
		return err
	}
	defer server.Stop()
	sent, err := load(ctx, address, clients, calls)
	s, a := DefaultMessagePool().Stats(), buffers.Stats()
	_, failed := fmt.Fprintf(out, "%d bytes sent in %d calls\n%d buffers of the pool, which reserved %d bytes at most, of %d\n%d buffers of the Go heap, where it had no room, with %d bytes\n",
		sent, 2*clients*calls, s.Allocs, s.PeakReserved, s.Limit, a.Fallbacks, a.FallbackBytes)
	return errors.Join(err, failed)
}
