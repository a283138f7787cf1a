package grpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// protoBuffers returns the buffers of a pool, which the codec of protocol buffers takes until the test ends.
func protoBuffers(t *testing.T) (*FramePool, *FrameBuffers) {
	t.Helper()
	pool, before := new(FramePool), mem.DefaultBufferPool()
	buffers := NewFrameBuffers(pool)
	experimental.SetDefaultBufferPool(buffers)
	t.Cleanup(func() { experimental.SetDefaultBufferPool(before) })
	return pool, buffers
}

// The codec of protocol buffers puts back the buffers of messages of each size, also of those that have
// arrived in two pieces.
func TestSizesOfMessages(t *testing.T) {
	pool, buffers := protoBuffers(t)
	codec := encoding.GetCodecV2("proto")
	for size := 1; size <= 4096; size++ {
		sent := wrapperspb.Bytes(random(size, 1))
		data, err := codec.Marshal(sent)
		fatal.If(t, err)
		wire := data.Materialize()
		data.Free()
		got := new(wrapperspb.BytesValue)
		pieces := mem.BufferSlice{mem.SliceBuffer(wire[:1]), mem.SliceBuffer(wire[1:])}
		if err := codec.Unmarshal(pieces, got); err != nil || !bytes.Equal(got.Value, sent.Value) {
			t.Fatalf("%d bytes: %d bytes, %v", size, len(got.Value), err)
		}
		if s := pool.Stats(); s.Live != 0 || s.Allocs < int64(size) {
			t.Fatalf("%d bytes: %v", size, s)
		}
	}
	if s := buffers.Stats(); s != (poolrt.AdapterStats{}) {
		t.Errorf("%+v", s)
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}

// A length that no buffer has panics, and takes nothing of the pool.
func TestNegativeLength(t *testing.T) {
	pool := new(FramePool)
	defer func() {
		if s := pool.Stats(); recover() == nil || s.Live != 0 {
			t.Errorf("%v", s)
		}
	}()
	NewFrameBuffers(pool).Get(-1)
}

// Clients and servers with the codec of protocol buffers put back the buffers of messages of each size. The
// server reads when the client has filled the window of the stream or is about to. Nearly always, one message
// has arrived in two pieces then, and the codec copies it into a buffer of the pool.
func TestSizesOfCalls(t *testing.T) {
	const window = 65535
	content := random(4096, 1)
	pool, buffers := protoBuffers(t)
	sent := make(chan struct{})
	desc := grpc.StreamDesc{StreamName: "Count", ServerStreams: true, ClientStreams: true, Handler: func(_ any, s grpc.ServerStream) error {
		<-sent
		for {
			m := new(wrapperspb.BytesValue)
			if err := s.RecvMsg(m); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			if !bytes.Equal(m.Value, content[:len(m.Value)]) {
				return errors.New("another content")
			}
			if err := s.SendMsg(wrapperspb.UInt64(uint64(len(m.Value)))); err != nil {
				return err
			}
		}
	}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fatal.If(t, err)
	server := grpc.NewServer(experimental.BufferPool(buffers), grpc.InitialWindowSize(window))
	server.RegisterService(&grpc.ServiceDesc{ServiceName: "test.Sizes", HandlerType: (*any)(nil), Streams: []grpc.StreamDesc{desc}}, nil)
	go func() { _ = server.Serve(listener) }() // ends with Stop
	defer server.Stop()
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		experimental.WithBufferPool(buffers))
	fatal.If(t, err)
	defer conn.Close()
	stream := func(ctx context.Context, size int) error {
		s, err := conn.NewStream(ctx, &desc, "/test.Sizes/Count")
		if err != nil {
			return err
		}
		m := wrapperspb.Bytes(content[:size])
		n := 2 * window / (5 + proto.Size(m)) // as many as a client takes that nobody reads
		for range n {
			if err := s.SendMsg(m); err != nil {
				return err
			}
		}
		sent <- struct{}{}
		if err := s.CloseSend(); err != nil {
			return err
		}
		for range n {
			m := new(wrapperspb.UInt64Value)
			if err := s.RecvMsg(m); err != nil || m.Value != uint64(size) {
				return fmt.Errorf("%d bytes have arrived, %w", m.Value, err)
			}
		}
		if err := s.RecvMsg(new(wrapperspb.UInt64Value)); err != io.EOF {
			return fmt.Errorf("not the end: %w", err)
		}
		return nil
	}
	for _, size := range []int{1, 2, 11, 100, 501, 900, 1000, 1018, 1024, 1025, 2000, 4096} { // of which no number fills the window
		for before, tries := pool.Stats().Allocs, 0; pool.Stats().Allocs == before; tries++ {
			if err := stream(t.Context(), size); err != nil || tries > 100 {
				t.Fatalf("%d bytes: %d streams have taken no buffer, %v", size, tries, err)
			}
		}
	}
	_ = conn.Close() // again by defer, if the test fails before
	server.GracefulStop()
	waitEmpty(t, pool)
	if s := buffers.Stats(); s != (poolrt.AdapterStats{}) {
		t.Errorf("%+v", s)
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}
