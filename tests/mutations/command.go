package main

var commandFaults = []fault{
	{name: "emit: what was replaced is not put back when a later file fails", file: "cmd/poolgen/internal/emit/apply.go",
		old: "			err = t.disk.rename(t.root, s.backup, s.Name)\n", new: "			err = nil\n"},
	{name: "emit: a file that was new stays when a later one fails", file: "cmd/poolgen/internal/emit/apply.go",
		old: "			err = t.disk.remove(t.root, s.Name)\n", new: "			err = nil\n"},
	{name: "emit: files that are gone are removed before the others are written", file: "cmd/poolgen/internal/emit/apply.go",
		old: "	return append(write, remove...)\n", new: "	return append(remove, write...)\n"},
	{name: "emit: temporary files stay", file: "cmd/poolgen/internal/emit/apply.go",
		old: "				t.disk.remove(t.root, name)\n", new: ""},
	{name: "emit: what a process that was killed left is not swept away", file: "cmd/poolgen/internal/emit/apply.go",
		old: "	t.sweep()\n	for", new: "	for"},
	{name: "emit: a file of another pool file is taken for ours", file: "cmd/poolgen/internal/emit/owner.go",
		old: "	if from == owner || path.Dir(from) != path.Dir(owner) {\n		return from == owner\n	}", new: "	if from != owner {\n		return true\n	}"},
	{name: "emit: files get the mode that the umask leaves", file: "cmd/poolgen/internal/emit/disk.go",
		old: "		err = f.Chmod(fileMode) // whatever the umask\n", new: ""},
}
