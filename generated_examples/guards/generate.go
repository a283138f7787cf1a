package guards

//go:generate go run ../../cmd/poolgen generate
