package main

var commandFaults = []fault{
	{name: "emit: replaced files are not restored when a later one fails", file: "cmd/poolgen/internal/emit/transaction.go",
		old: "			err = t.disk.rename(t.root, s.backup, s.Name)\n", new: "			err = nil\n"},
	{name: "emit: a new file stays when a later one fails", file: "cmd/poolgen/internal/emit/transaction.go",
		old: "			err = t.disk.remove(t.root, s.Name)\n", new: "			err = nil\n"},
	{name: "emit: stale files are removed before the others are written", file: "cmd/poolgen/internal/emit/transaction.go",
		old: "	return append(write, remove...)\n", new: "	return append(remove, write...)\n"},
	{name: "emit: temporary files stay", file: "cmd/poolgen/internal/emit/transaction.go",
		old: "				t.disk.remove(t.root, name)\n", new: ""},
	{name: "emit: temporary files of a killed process are not removed", file: "cmd/poolgen/internal/emit/apply.go",
		old: "		set.Dir.sweep()\n", new: ""},
	{name: "emit: a file of another pool file counts as one of this pool file", file: "cmd/poolgen/internal/emit/owner.go",
		old: "	return errors.Is(err, fs.ErrNotExist)\n", new: "	return err == nil || errors.Is(err, fs.ErrNotExist)\n"},
	{name: "emit: files do not keep their permissions", file: "cmd/poolgen/internal/emit/disk.go",
		old: "	if err == nil && permissions != 0 {\n", new: "	if err == nil && permissions == 0 {\n"},
	{name: "emit: temporary files of another run count as stray files", file: "cmd/poolgen/internal/emit/temporary.go",
		old: "	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)\n", new: "	return strings.HasPrefix(name, tempSuffix)\n"},
	{name: "emit: a file that appeared after Compare is replaced", file: "cmd/poolgen/internal/emit/transaction.go",
		old: "	case !generated:\n", new: "	case !generated && false:\n"},
}
