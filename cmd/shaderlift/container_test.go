package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/containers"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// vcsFile returns a .vcs file with one static combo, whose blocks are stored.
func vcsFile(programs ...[]byte) []byte {
	const head = 28 + 2*8
	var block []byte
	word := func(to []byte, words ...uint32) []byte {
		for _, w := range words {
			to = binary.LittleEndian.AppendUint32(to, w)
		}
		return to
	}
	for i, p := range programs {
		block = append(word(block, uint32(i), uint32(len(p))), p...)
	}
	data := word(append(word(nil, uint32(len(block))|1<<31), block...), 1<<32-1)
	return append(word(nil, 5, 12, 8, 0, 2, 2, 0, 1, head, 1<<32-1, uint32(head+len(data))), data...)
}

// TestContainerPairs checks that programs of two containers, or of a container and a file, are written together, and
// that a program with several places does not depend on the other one, because other draws may use it.
func TestContainerPairs(t *testing.T) {
	vertex := fxtest.Assemble("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n")
	pixel := fxtest.Assemble("ps_2_0\ndef c0, 2, 3, 4, 5\ndcl t0\nmul r0, t0, c0\nmov oC0, r0\n")
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		input   string
		changed [2]bool
	}{
		"two containers":       {"v.vcs/1.0,p.vcs/1.0", [2]bool{true, true}},
		"only programs":        {"v.vcs,p.vcs", [2]bool{true, true}},
		"a file":               {"v.vso,p.vcs/1.0", [2]bool{true, true}},
		"a file twice":         {"v.vso,p.vcs/1.0 v.vso,p.vcs", [2]bool{true, true}},
		"another file":         {"v.vcs/1.0,p.pso", [2]bool{true, true}},
		"several places":       {"vv.vcs/1.1,p.vcs/1.0", [2]bool{}},
		"several pixel places": {"v.vcs/1.0,pp.vcs/1.0", [2]bool{}},
	} {
		files := map[string][]byte{"v.vso": vertex, "p.pso": pixel, "v.vcs": vcsFile(vertex), "p.vcs": vcsFile(pixel),
			"vv.vcs": vcsFile(vertex, vertex), "pp.vcs": vcsFile(pixel, pixel)}
		for file, data := range files {
			if err := os.WriteFile(file, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var messages bytes.Buffer
		if status := run(context.Background(), append([]string{"opt", "-w", "--target", "d3d9"}, strings.Fields(c.input)...), nil, io.Discard, &messages); status != 0 {
			t.Errorf("%s: status %d: %s", name, status, &messages)
		}
		for i, file := range strings.Split(strings.Fields(c.input)[0], ",") {
			if containers.MayOpen(files[filepath.Dir(file)]) {
				file = filepath.Dir(file)
			}
			if now, err := os.ReadFile(file); err != nil || bytes.Equal(now, files[file]) == c.changed[i] {
				t.Errorf("%s: %s changed: %v, not %v (%v)\n%s", name, file, !c.changed[i], c.changed[i], err, &messages)
			}
		}
	}
}

// TestContainerNames checks that a message has the whole name of a program in a container.
func TestContainerNames(t *testing.T) {
	t.Chdir(t.TempDir())
	file := vcsFile(fxtest.Assemble("ps_2_0\nmov oC0, c0\n"))
	if err := os.WriteFile("p.vcs", file, 0o666); err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	if status := run(context.Background(), []string{"opt", "-n", "p.vcs/1.0"}, nil, io.Discard, &messages); status != 0 ||
		!strings.HasPrefix(messages.String(), "1.0: unchanged") {
		t.Errorf("status %d: %s", status, &messages)
	}
}
