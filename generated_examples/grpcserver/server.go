package main

import (
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/experimental"
)

// buffers are what gRPC has its messages in, in the whole program.
var buffers = NewMessageBuffers(DefaultMessagePool())

// The codec for protocol buffers takes the default pool. Servers and connections get theirs as an option.
func init() { experimental.SetDefaultBufferPool(buffers) }

// serve starts a server on the loopback and returns its address. How many calls there can be at a time, and how large their messages are, bounds what gRPC asks for:
// the limit of the pool is above that.
func serve() (server *grpc.Server, address string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	server = grpc.NewServer(experimental.BufferPool(buffers), grpc.MaxConcurrentStreams(8), grpc.MaxRecvMsgSize(256<<10))
	server.RegisterService(&sums, nil)
	go func() { _ = server.Serve(listener) }() // ends with Stop
	return server, listener.Addr().String(), nil
}

// connect opens a connection to a server.
func connect(address string) (*grpc.ClientConn, error) {
	return grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), experimental.WithBufferPool(buffers))
}
