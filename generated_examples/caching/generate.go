package caching

//go:generate go run ../../cmd/poolgen generate
