package streams

//go:generate go run ../../cmd/poolgen generate
