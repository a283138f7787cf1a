package graphs

//go:generate go run ../../cmd/poolgen generate
