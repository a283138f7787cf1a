package main

var commandFaults = []fault{
	{name: "emit: what was replaced is not put back when a later file fails", file: "cmd/poolgen/internal/emit/transaction.go",
		old: "			err = t.disk.rename(t.root, s.backup, s.Name)\n", new: "			err = nil\n"},
	{name: "emit: a file that was new stays when a later one fails", file: "cmd/poolgen/internal/emit/transaction.go",
		old: "			err = t.disk.remove(t.root, s.Name)\n", new: "			err = nil\n"},
	{name: "emit: files that are gone are removed before the others are written", file: "cmd/poolgen/internal/emit/transaction.go",
		old: "	return append(write, remove...)\n", new: "	return append(remove, write...)\n"},
	{name: "emit: temporary files stay", file: "cmd/poolgen/internal/emit/transaction.go",
		old: "				t.disk.remove(t.root, name)\n", new: ""},
	{name: "emit: what a process that was killed left is not swept away", file: "cmd/poolgen/internal/emit/apply.go",
		old: "		set.Dir.sweep()\n", new: ""},
	{name: "emit: a file of another pool file is taken for ours", file: "cmd/poolgen/internal/emit/owner.go",
		old: "	return errors.Is(err, fs.ErrNotExist)\n", new: "	return err == nil || errors.Is(err, fs.ErrNotExist)\n"},
	{name: "emit: files do not keep their permissions", file: "cmd/poolgen/internal/emit/disk.go",
		old: "	if err == nil && permissions != 0 {\n", new: "	if err == nil && permissions == 0 {\n"},
	{name: "emit: temporary files of another run are taken for orphans", file: "cmd/poolgen/internal/emit/temporary.go",
		old: "	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)\n", new: "	return strings.HasPrefix(name, tempSuffix)\n"},
	{name: "emit: what came since Compare looked is replaced", file: "cmd/poolgen/internal/emit/transaction.go",
		old: "	case !generated:\n", new: "	case !generated && false:\n"},
}
