package freepart

import . "example.com/vet/pools"

func whole() error {
	b, err := AllocText(64)
	if err != nil {
		return err
	}
	return FreeText(b[:8]) // want `PG105`
}

func inside() error {
	b, err := AllocText(64)
	if err != nil {
		return err
	}
	return FreeText(b[8:16]) // want `PG105: something inside the block of pool Text`
}

// The variable has been given a part of the block, so it stays as it is.
func partly(n int) error {
	b, err := AllocText(64)
	if err != nil {
		return err
	}
	b = b[1:]
	return FreeText(b[:n]) // want `PG105`
}

func counted(n int) error {
	b, err := AllocText(64)
	if err != nil {
		return err
	}
	return FreeText(b[:n]) // want `PG105`
}

// Without the slice, the variable n would have no use, and the function would not compile.
func copied(src []byte) error {
	b, err := AllocText(64)
	if err != nil {
		return err
	}
	n := copy(b, src)
	return FreeText(b[:n]) // want `PG105`
}
