package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	sharedVertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nm4x4 oPos, v0, c0\nmov r0, v1\nmov oT0.xy, r0\nmov oT1, v1\n"
	sharedPixel  = "ps_2_0\ndcl t0.xy\ndcl_2d s0\nmul r0.xy, t0, c0\nmov r1.xy, r0\ntexld r0, r1, s0\nmov oC0, r0\n"
)

// TestSharedLinks checks that a program is shared under any name: a symbolic link names the same
// file, and a hard link another one. Files with the same output path are one program only if they
// are equal.
func TestSharedLinks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a.vsh", "in/sub/a.vsh", "sub/a.vsh"} {
		write(name, sharedVertex)
	}
	write("in/sub/b.vsh", sharedVertex)
	write("sub/b.vsh", strings.Replace(sharedVertex, "mov oT0.xy, r0", "mov oT0.xy, r0.yxzw", 1))
	write("one.psh", sharedPixel)
	write("two.psh", strings.Replace(sharedPixel, "c0", "c1", 1))
	if err := os.Symlink("a.vsh", "link.vsh"); err != nil {
		t.Skipf("this system allows no symbolic links: %v", err)
	}
	if err := os.Link("a.vsh", "hard.vsh"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		cwd    string
		own    string // outputs that equal the program optimized alone
		status int
	}{
		{"a.vsh,one.psh link.vsh,two.psh", ".", "a.vsh link.vsh", 0},
		{"a.vsh,one.psh " + dir + "/a.vsh,two.psh", ".", "a.vsh " + dir[1:] + "/a.vsh", 0},
		{"a.vsh,one.psh hard.vsh,two.psh", ".", "", 0},
		// From folder in, sub/a.vsh and ../sub/a.vsh have the same destination, and so do sub/b.vsh
		// and ../sub/b.vsh.
		{"sub/a.vsh,../one.psh ../sub/a.vsh,../two.psh", "in", "sub/a.vsh", 0},
		{"sub/b.vsh,../one.psh ../sub/b.vsh,../two.psh", "in", "", 1},
	} {
		t.Chdir(filepath.Join(dir, c.cwd))
		out := t.TempDir()
		var stderr strings.Builder
		args := append([]string{"opt", "-o", out}, strings.Fields(c.args)...)
		if status := run(context.Background(), args, strings.NewReader(""), os.Stdout, &stderr); status != c.status {
			t.Errorf("%s: status %d\n%s", c.args, status, &stderr)
		}
		for _, name := range []string{"a.vsh", "link.vsh", "hard.vsh", "sub/a.vsh", dir[1:] + "/a.vsh"} {
			data, err := os.ReadFile(filepath.Join(out, name))
			// Optimized alone it keeps an output that neither pixel program reads, and loses a
			// move.
			own := strings.Contains(string(data), "oT1") && !strings.Contains(string(data), "mov r0")
			if err == nil && own != strings.Contains(" "+c.own+" ", " "+name+" ") {
				t.Errorf("%s: %s is\n%s", c.args, name, data)
			}
		}
	}
}
