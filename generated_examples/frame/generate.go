package frame

//go:generate go run ../../cmd/poolgen generate
