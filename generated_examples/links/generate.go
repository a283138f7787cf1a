package links

//go:generate go run ../../cmd/poolgen generate
