package streamcache

//go:generate go run ../../cmd/poolgen generate
