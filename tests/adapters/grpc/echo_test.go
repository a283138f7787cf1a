package grpc

import (
	"context"
	"io"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"

	"github.com/poolgen/poolgen/tests/fatal"
)

// message is the content of a call, as it is.
type message struct{ data []byte }

// raw is the codec of messages. The bytes are sent from a buffer of the pool.
type raw struct{ pool mem.BufferPool }

func (raw) Name() string { return "raw" }

func (c raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.Copy(v.(*message).data, c.pool)}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	v.(*message).data = data.Materialize()
	return nil
}

// echo answers each message with itself.
var echo = grpc.ServiceDesc{
	ServiceName: "test.Echo",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{MethodName: "Call", Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		m := new(message)
		return m, decode(m)
	}}},
	Streams: []grpc.StreamDesc{{StreamName: "Talk", ServerStreams: true, ClientStreams: true, Handler: func(_ any, s grpc.ServerStream) error {
		for {
			m := new(message)
			if err := s.RecvMsg(m); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			if err := s.SendMsg(m); err != nil {
				return err
			}
		}
	}}},
}

// rig is a server on the loopback and a connection to it, both with the same pool of buffers.
type rig struct {
	conn   *grpc.ClientConn
	server *grpc.Server
}

func newRig(t testing.TB, pool mem.BufferPool) *rig {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fatal.If(t, err)
	r := &rig{server: grpc.NewServer(experimental.BufferPool(pool), grpc.ForceServerCodecV2(raw{pool}))}
	r.server.RegisterService(&echo, nil)
	go func() { _ = r.server.Serve(listener) }() // ends with Stop
	r.conn, err = grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		experimental.WithBufferPool(pool), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{pool})))
	fatal.If(t, err)
	t.Cleanup(r.close)
	return r
}

func (r *rig) close() {
	_ = r.conn.Close() // again, if a test has closed it
	r.server.GracefulStop()
}

// call makes one call and returns the answer.
func (r *rig) call(data []byte) ([]byte, error) {
	answer := new(message)
	err := r.conn.Invoke(context.Background(), "/test.Echo/Call", &message{data}, answer)
	return answer.data, err
}

// talk opens a stream in both directions.
func (r *rig) talk(ctx context.Context) (grpc.ClientStream, error) {
	return r.conn.NewStream(ctx, &echo.Streams[0], "/test.Echo/Talk")
}
