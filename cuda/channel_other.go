//go:build !linux

package cuda

import (
	"fmt"
	"os"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// channel is never made: memory can be shared by file descriptors on Linux only.
type channel struct{}

var errNoChannel = fmt.Errorf("%w: memory can be shared by file descriptors on Linux only", poolrt.ErrUnsupported)

func newChannel() (channel, *os.File, error) { return channel{}, nil, errNoChannel }
func isChannel(int) bool                     { return false }
func openChannel(int) (channel, error)       { return channel{}, errNoChannel }
func (channel) send([]byte, []int) error     { return errNoChannel }
func (channel) peek() ([]byte, []int, error) { return nil, nil, errNoChannel }
func (channel) skip() error                  { return errNoChannel }
func (channel) hangUp()                      {}
func (channel) close()                       {}
func closeAll([]int)                         {}
