package quickstart

//go:generate go run ../../cmd/poolgen generate
