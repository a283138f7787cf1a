package main

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// largest is the largest message that clients send.
const largest = 200 << 10

// load has clients make calls at the same time, each so many of either kind or until ctx ends, and returns the bytes that they have sent.
func load(ctx context.Context, address string, clients, calls int) (sent int64, err error) {
	var all sync.WaitGroup
	results, failed := make([]int64, clients), make([]error, clients)
	for i := range clients {
		all.Go(func() { results[i], failed[i] = client(ctx, address, i, calls) })
	}
	all.Wait()
	for _, n := range results {
		sent += n
	}
	return sent, errors.Join(failed...)
}

// client makes calls over a connection of its own, and checks the answers.
func client(ctx context.Context, address string, number, calls int) (sent int64, err error) {
	conn, err := connect(address)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	data := make([]byte, largest)
	for i := range calls {
		message := data[:1+(i*7919+number*104729)%largest]
		message[len(message)-1] = byte(i)
		for _, call := range []func(context.Context, *grpc.ClientConn, []byte) error{one, several} {
			if err := call(ctx, conn, message); err != nil {
				return sent, fmt.Errorf("client %d, call %d: %w", number, i, err)
			}
			sent += int64(len(message))
		}
	}
	return sent, nil
}

// one sends a message in one call.
func one(ctx context.Context, conn *grpc.ClientConn, message []byte) error {
	var got wrapperspb.UInt32Value
	if err := conn.Invoke(ctx, "/example.Sums/Sum", wrapperspb.Bytes(message), &got); err != nil {
		return err
	}
	return compare(got.Value, message)
}

// several sends a message in three parts, in a stream.
func several(ctx context.Context, conn *grpc.ClientConn, message []byte) error {
	s, err := conn.NewStream(ctx, &sums.Streams[0], "/example.Sums/SumAll")
	if err != nil {
		return err
	}
	for i := range 3 {
		if err := s.SendMsg(wrapperspb.Bytes(message[len(message)*i/3 : len(message)*(i+1)/3])); err != nil {
			return err
		}
	}
	var got wrapperspb.UInt32Value
	if err := errors.Join(s.CloseSend(), s.RecvMsg(&got)); err != nil {
		return err
	}
	return compare(got.Value, message)
}

func compare(got uint32, message []byte) error {
	if want := crc32.ChecksumIEEE(message); got != want {
		return fmt.Errorf("the sum of %d bytes is %x, want %x", len(message), got, want)
	}
	return nil
}

// deadline bounds how long the load lasts.
const deadline = time.Minute
