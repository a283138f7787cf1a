package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Physical memory has no name by which other processes could find it: a handle is sent to another process as a file descriptor, in a message of a
// socket. A channel is such a socket, with one end in each process. A message arrives whole or not at all (SOCK_SEQPACKET), and no call waits: a
// message that cannot be sent is an error, and one that was not received stays in the socket.

// Errors of channels.
var (
	errChannelGone  = errors.New("the other end is closed")
	errChannelFull  = fmt.Errorf("%w: no more fits the channel: the process that imported the pool has not opened a block for long", poolrt.ErrLimit)
	errChannelEmpty = errors.New("nothing has come")
)

// The kinds of messages.
const (
	helloMessage   = 1 // the first message: it describes the pool
	handlesMessage = 2 // physical memory, and a descriptor for each piece
)

// messageMagic begins each message. The last byte is the version of the format.
const messageMagic = "pgm\x01"

// extentsPerMessage is bounded by the descriptors that Linux allows in one message, 253.
const extentsPerMessage = 200

// hello is the description of the pool for an importing process.
type hello struct {
	identity
	size int64 // of the reservation
}

func (h hello) write() []byte {
	b := append([]byte(messageMagic), helloMessage, 0, 0, 0)
	b = append(append(b, h.pool[:]...), h.device[:]...)
	return binary.LittleEndian.AppendUint64(b, uint64(h.size))
}

func readHello(b []byte) (h hello, err error) {
	body, err := messageBody(b, helloMessage)
	switch {
	case err != nil:
		return h, err
	case len(body) != 40:
		return h, badFile("its first message has %d bytes", len(b))
	}
	copy(h.pool[:], body)
	copy(h.device[:], body[16:])
	h.size = int64(binary.LittleEndian.Uint64(body[32:]))
	return h, nil
}

// writeExtents returns the message that accompanies the handles of the memory that is mapped to these parts of the reservation.
func writeExtents(list []extent) []byte {
	b := append([]byte(messageMagic), handlesMessage, 0, 0, 0)
	for _, e := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(e.from))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.to))
	}
	return b
}

func readExtents(b []byte) (list []extent, err error) {
	body, err := messageBody(b, handlesMessage)
	switch {
	case err != nil:
		return nil, err
	case len(body)%16 != 0 || len(body) > 16*extentsPerMessage:
		return nil, badFile("a message has %d bytes", len(b))
	}
	for ; len(body) > 0; body = body[16:] {
		list = append(list, extent{int64(binary.LittleEndian.Uint64(body)), int64(binary.LittleEndian.Uint64(body[8:]))})
	}
	return list, nil
}

// messageBody returns the part of a message of a kind after its head.
func messageBody(b []byte, kind byte) ([]byte, error) {
	const head = len(messageMagic) + 4
	switch {
	case len(b) < head || string(b[:3]) != messageMagic[:3]:
		return nil, badFile("a message is none of poolgen's")
	case b[3] != messageMagic[3]:
		return nil, badFile("the other process has another version of poolgen's runtime, %d: build both programs with one", b[3])
	case b[4] == handlesMessage && kind == helloMessage:
		return nil, badFile("the pool was imported from it already: each importer needs a file of its own")
	case b[4] != kind:
		return nil, badFile("a message is of kind %d, not %d", b[4], kind)
	}
	return b[head:], nil
}
