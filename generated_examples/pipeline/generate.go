package pipeline

//go:generate go run ../../cmd/poolgen generate
