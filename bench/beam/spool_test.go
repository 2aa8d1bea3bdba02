package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSpool checks that a bin has each of its lines once, in order, for any limit and any order of
// lines.
func TestSpool(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, limit := range []int{1, 50, 1 << 20} {
		files := map[int][]string{}
		s := spool{folder: filepath.Join(t.TempDir(), "s"), name: "x", limit: limit,
			emit: func(bin int, path string) { files[bin] = append(files[bin], path) }}
		want := map[int][]string{}
		for range 300 {
			bin, line := rng.IntN(4), fmt.Sprintf("%03d", rng.IntN(200))
			if err := s.add(t.Context(), bin, line); err != nil {
				t.Fatal(err)
			}
			if s.held >= limit {
				t.Errorf("%d bytes are held", s.held)
			}
			want[bin] = append(want[bin], line+"\n")
		}
		if err := s.flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		for bin, list := range want {
			slices.Sort(list)
			var got []string
			if err := merge(t.Context(), files[bin],
				func(line string) error { got = append(got, line); return nil }); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, slices.Compact(list)) {
				t.Errorf("with %d bytes held bin %d has %q", limit, bin, got)
			}
		}
		if err := merge(t.Context(), append(files[0], "none"), nil); err == nil {
			t.Error("a missing file is merged")
		}
	}
}

// TestPieces checks that each line of a list is in exactly one piece, wherever the list is cut.
func TestPieces(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list")
	want := []string{"a.psh", "bb.psh", "c.psh", "d.psh"}
	text := "a.psh\n# no shader\nbb.psh\r\n\n  c.psh\nd.psh"
	for _, text := range []string{text, text + "\n"} {
		put(t, name, []byte(text))
		for size := int64(1); size <= int64(len(text)); size++ {
			var got []string
			for from := int64(0); from < int64(len(text)); from += size {
				err := Root{name, true, from, from + size}.expand(func(_ string, s Shader) error {
					got = append(got, s.Files[0].Name)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("in pieces of %d bytes there are %q", size, got)
			}
		}
	}
	long := strings.Repeat("x.psh\n", listPiece/6+1)
	if err := os.WriteFile(name, []byte(long), 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := roots([]string{"b", "@" + name, "a", "b"})
	if err != nil || len(list) != 4 || list[1].From != listPiece || list[1].To < int64(len(long)) || list[2].Name != "a" {
		t.Errorf("%v, %v", list, err)
	}
}
