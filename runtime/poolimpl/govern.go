package poolimpl
