package poolimpl

// With calls f with a block of alloc, and gives the block to free when f returns or panics. An error of f alone is returned as it is. Nothing is put on the heap,
// as none of the functions outlives the call.
func With[T any](alloc func() (T, error), free func(T) error, f func(T) error) (err error) {
	block, err := alloc()
	if err != nil {
		return err
	}
	defer func() {
		if failed := free(block); failed != nil {
			err = Join(err, failed)
		}
	}()
	return f(block)
}
