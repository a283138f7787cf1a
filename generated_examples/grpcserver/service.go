package main

import (
	"context"
	"hash/crc32"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// sums is a service that answers with the checksum of the bytes it gets: of one message, or of all messages of a stream.
var sums = grpc.ServiceDesc{
	ServiceName: "example.Sums",
	HandlerType: (*any)(nil),
	Methods:     []grpc.MethodDesc{{MethodName: "Sum", Handler: sum}},
	Streams:     []grpc.StreamDesc{{StreamName: "SumAll", Handler: sumAll, ClientStreams: true}},
}

func sum(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	var in wrapperspb.BytesValue
	if err := decode(&in); err != nil {
		return nil, err
	}
	return wrapperspb.UInt32(crc32.ChecksumIEEE(in.Value)), nil
}

func sumAll(_ any, s grpc.ServerStream) error {
	all := uint32(0)
	for {
		var in wrapperspb.BytesValue
		switch err := s.RecvMsg(&in); err {
		case nil:
			all = crc32.Update(all, crc32.IEEETable, in.Value)
		case io.EOF:
			return s.SendMsg(wrapperspb.UInt32(all))
		default:
			return err
		}
	}
}
