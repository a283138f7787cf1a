package multigpu

//go:generate go run ../../cmd/poolgen generate
