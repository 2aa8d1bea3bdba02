package wine

import (
	"fmt"
	"os/exec"
)

// tools are the programs a Runner starts, as found on this machine: paths.
type tools struct {
	compiler, display, wine, server string
}

// findTools looks for the programs in the search path and where Debian puts them.
func findTools() (tools, error) {
	var t tools
	for _, want := range []struct {
		path  *string
		names []string
	}{
		{&t.compiler, []string{"x86_64-w64-mingw32-gcc"}},
		{&t.display, []string{"Xvfb"}},
		{&t.wine, []string{"wine64", "/usr/lib/wine/wine64"}},
		{&t.server, []string{"wineserver64", "/usr/lib/wine/wineserver64", "wineserver"}},
	} {
		for _, name := range want.names {
			if path, err := exec.LookPath(name); err == nil {
				*want.path = path
				break
			}
		}
		if *want.path == "" {
			return tools{}, fmt.Errorf("wine: %s is not installed", want.names[0])
		}
	}
	return t, nil
}

// Available returns nil where all a Runner needs is installed, else an error that
// names what is missing.
func Available() error {
	_, err := findTools()
	return err
}
