package cuda

import "fmt"

// TooLong is the error of a copy that would go beyond a block. Generated pools return it.
func TooLong(op string, items, room int) error {
	return refuse(op, nowhere, 0, fmt.Sprintf("%d items, and the block has %d", items, room))
}
