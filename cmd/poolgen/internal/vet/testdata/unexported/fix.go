package unexported

func misplaced() error {
	n, err := allocNode()
	if err != nil {
		return err
	}
	return freeLeaf(n) // want `PG104`
}
