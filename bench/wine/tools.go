package wine

import (
	"fmt"
	"os/exec"
)

// tools holds the paths of the programs that a Runner starts.
type tools struct {
	compiler, display, wine, server string
}

// findTools finds the programs in the search path or in Debian's folders.
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

// Available returns nil if all tools of a Runner are installed, otherwise an error that names a missing one.
func Available() error {
	_, err := findTools()
	return err
}
