package memorylimit

//go:generate go run ../../cmd/poolgen generate
