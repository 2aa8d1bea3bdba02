package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestRecovery kills a run at each point of writing a pair and checks that the next run in either
// directory completes it. Both programs must be new, or both old, without temporary files.
func TestRecovery(t *testing.T) {
	if !locks {
		t.Skip("this system has no file locks, which show whether another run uses a file")
	}
	for _, same := range []bool{true, false} {
		for _, tt := range []struct {
			name     string
			journals int // journals written
			renamed  int
			want     string
		}{
			{"before the journal", 0, 0, "old"},
			{"behind it", 2, 0, "new"},
			{"between the names", 2, 1, "new"},
			{"before the journal went", 2, 2, "new"},
			{"between the journals", 1, 0, ""}, // either outcome
		} {
			for next := range 2 {
				root := t.TempDir()
				paths := []string{filepath.Join(root, "a", "p.vsh"), filepath.Join(root, "b", "p.psh")}
				if same {
					paths[1] = filepath.Join(root, "a", "p.psh")
				}
				var s stagedFiles
				for _, path := range paths {
					if err := writeFile(path, []byte("old")); err != nil {
						t.Fatal(err)
					}
					if err := s.stageFile(path, []byte("new")); err != nil {
						t.Fatal(err)
					}
				}
				dirs := directories(paths)
				if tt.journals > 0 {
					if err := writeJournals(dirs, s.temps, s.paths); err != nil {
						t.Fatal(err)
					}
				}
				if tt.journals == 1 {
					os.Remove(filepath.Join(dirs[len(dirs)-1], journalName))
				}
				for i := range tt.renamed {
					if err := os.Rename(s.temps[i], s.paths[i]); err != nil {
						t.Fatal(err)
					}
				}
				s.close() // as the system does for a killed process
				for k := range dirs {
					if err := sweep(dirs[(k+next)%len(dirs)]); err != nil {
						t.Fatal(err)
					}
				}
				var got [2]string
				for i, path := range paths {
					data, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					got[i] = string(data)
				}
				if got[0] != got[1] || tt.want != "" && got[0] != tt.want {
					t.Errorf("killed %s, one directory %v, swept from %d: %v", tt.name, same, next, got)
				}
				for _, dir := range dirs {
					if names, _ := os.ReadDir(dir); len(names) != 2/len(dirs) {
						t.Errorf("killed %s: left behind: %v", tt.name, names)
					}
				}
			}
		}
	}
}

// TestSweepSparesTheLiving checks that other runs and sweeps leave the temporary files of a running
// process alone.
func TestSweepSparesTheLiving(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	var s stagedFiles
	if err := s.stageFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	strange := filepath.Join(dir, ".a.tmp")
	if err := os.WriteFile(strange, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := sweep(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.commit(); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "new" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := os.Stat(strange); err != nil {
		t.Error("a file of somebody else is gone")
	}
}

// TestForeignJournal checks that a journal not written by a run is ignored.
func TestForeignJournal(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"", "[]", `[{"temp":"a","path":"b"}]`,
		`[{"temp":".b.AAAAAAAAAAAAAAAAAAAAAAAAAA.tmp","path":"../b"}]`} {
		for name, data := range map[string]string{"a": "a", "b": "b", journalName: text} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := sweep(dir); err != nil {
			t.Error(err)
		}
		if data, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || string(data) != "b" {
			t.Errorf("%s: b holds %q, %v", text, data, err)
		}
		if _, err := os.Stat(filepath.Join(dir, journalName)); err == nil {
			t.Errorf("%s stays", text)
		}
	}
}

// TestLeftBehindIsNoInput checks that the leftovers of a killed run are not inputs of a folder,
// where a pair stays a pair, or of a pattern. Other files with this extension are inputs, and so is
// an explicitly named one.
func TestLeftBehindIsNoInput(t *testing.T) {
	t.Chdir(t.TempDir())
	const pixel, left = "ps_2_0\ndcl t0\nmov oC0, t0\n", ".p.psh.AAAAAAAAAAAAAAAAAAAAAAAAAA.tmp"
	for name, text := range map[string]string{
		"p.vsh": "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0\n",
		"p.psh": pixel,
		left:    pixel,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	inputs := func(arg string) (names []string) {
		a := &app{}
		a.expand([]string{arg}, func(j job) bool {
			names = append(names, j.input)
			return true
		})
		return names
	}
	for arg, want := range map[string][]string{
		".": {"p.vsh,p.psh"}, "*": {"p.psh", "p.vsh"}, ".*.tmp": nil, left: {left},
	} {
		if got := inputs(arg); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", arg, got, want)
		}
	}
	if err := os.Rename(left, ".p.tmp"); err != nil {
		t.Fatal(err)
	}
	if got := inputs("."); len(got) != 3 {
		t.Errorf("with a file of somebody else: %q", got)
	}
}
