package wrongpool

import . "example.com/vet/pools"

func renamed() error {
	v, err := AllocVertex()
	if err != nil {
		return err
	}
	return FreeCorner(v) // want `PG104`
}

func renamedLater() error {
	b, err := AllocText(3)
	if err != nil {
		return err
	}
	defer FreeLine(b) // want `PG104`
	b[0] = 1
	return nil
}
