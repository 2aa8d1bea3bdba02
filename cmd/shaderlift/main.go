package main

import (
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole command: it returns the exit status.
func run(args []string, in io.Reader, stdout, stderr io.Writer) int {
	a := &app{in: stdin{r: in}, out: stdout, err: stderr}
	root := a.command()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := contained(root.Execute); err != nil {
		a.fail(err)
	}
	return a.status
}
