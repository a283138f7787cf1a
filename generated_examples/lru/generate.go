package lru

//go:generate go run ../../cmd/poolgen generate
