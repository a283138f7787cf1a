package staging

//go:generate go run ../../cmd/poolgen generate
