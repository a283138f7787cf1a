package cuda

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// channel is one end of a channel.
type channel struct{ fd int }

// newChannel makes a channel: our end, and a file for the other end.
func newChannel() (channel, *os.File, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return channel{}, nil, os.NewSyscallError("socketpair", err)
	}
	return channel{ends[0]}, os.NewFile(uintptr(ends[1]), "exported pool"), nil
}

// isChannel reports whether a descriptor may be that of a channel.
func isChannel(fd int) bool {
	for _, o := range []struct{ option, want int }{{unix.SO_DOMAIN, unix.AF_UNIX}, {unix.SO_TYPE, unix.SOCK_SEQPACKET}} {
		if got, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, o.option); err != nil || got != o.want {
			return false
		}
	}
	return true
}

// openChannel returns the end of a channel that a descriptor refers to. It duplicates the descriptor.
func openChannel(fd int) (channel, error) {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	return channel{own}, os.NewSyscallError("fcntl", err)
}

// send sends a message with descriptors. The caller still owns them.
func (c channel) send(message []byte, fds []int) error {
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	for {
		err := unix.Sendmsg(c.fd, message, rights, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EPIPE), errors.Is(err, unix.ECONNRESET):
			return errChannelGone
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ETOOMANYREFS), errors.Is(err, unix.ENOBUFS):
			return errChannelFull
		}
		return os.NewSyscallError("sendmsg", err)
	}
}

// peek returns the next message with its descriptors, which the caller then owns, and leaves the message in the channel: a message that cannot be used now
// can be read again.
func (c channel) peek() (message []byte, fds []int, err error) {
	message, rights := make([]byte, 8+16*extentsPerMessage+1), make([]byte, unix.CmsgSpace(4*extentsPerMessage))
	n, m, flags, _, err := unix.Recvmsg(c.fd, message, rights, unix.MSG_DONTWAIT|unix.MSG_PEEK|unix.MSG_CMSG_CLOEXEC)
	switch {
	case errors.Is(err, unix.EINTR):
		return c.peek()
	case errors.Is(err, unix.EAGAIN):
		return nil, nil, errChannelEmpty
	case errors.Is(err, unix.ECONNRESET), err == nil && n == 0:
		return nil, nil, errChannelGone
	case err != nil:
		return nil, nil, os.NewSyscallError("recvmsg", err)
	}
	fds = received(rights[:m])
	if flags&unix.MSG_CTRUNC != 0 {
		closeAll(fds)
		return nil, nil, errors.New("the descriptors of a message do not fit this process: raise its limit on open files (ulimit -n) and try again")
	}
	return message[:n], fds, nil
}

// received returns the descriptors in the control data of a message.
func received(rights []byte) (fds []int) {
	list, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for i := range list {
		if more, err := unix.ParseUnixRights(&list[i]); err == nil {
			fds = append(fds, more...)
		}
	}
	return fds
}

// skip removes the message that peek has returned.
func (c channel) skip() error {
	var b [1]byte
	for {
		_, _, _, _, err := unix.Recvmsg(c.fd, b[:], nil, unix.MSG_DONTWAIT)
		if !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("recvmsg", err)
		}
	}
}

// hangUp shuts the connection down: the other end sees that this end is closed, even if other descriptors of this end are open.
func (c channel) hangUp() { _ = unix.Shutdown(c.fd, unix.SHUT_RDWR) }

func (c channel) close() { _ = unix.Close(c.fd) }

// closeAll closes descriptors.
func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}
