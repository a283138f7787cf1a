// Package grpc tests generated adapters as the buffer pools of gRPC clients and servers, with calls over the loopback.
package grpc

//go:generate go tool poolgen generate
