package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/tools"
	"golang.org/x/tools/txtar"
)

// TestScripts runs testdata/*.txtar. It extracts the files of an archive into a new folder and runs
// its comment as a script there.
//
//	shaderlift ARG...          run the command; it must end with status 0
//	status N shaderlift ARG... the same with status N
//	stdin FILE                 what the next command reads
//	stdout|stderr REGEXP       what the last command wrote must match ('!' before: must not)
//	text FILE                  what it wrote to standard output must be what is in FILE
//	same FILE FILE             two files must be equal ('!' before: different)
//	move PATTERN FILE          give the one file of that pattern another name
//	exists PATH                a file must be there ('!' before: must not)
//	cut N FILE                 cut a file down to N bytes
//	effect FILE VERTEX PIXEL   make an effect of one pass, of two programs as text
//	names DIR NAME...          these files must be there and no others
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts: ", err)
	}
	schema := tools.ReadSchema(t, filepath.Join("..", "..", "docs", "report.schema.json"))
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			for _, f := range a.Files {
				if err := writeFile(f.Name, f.Data); err != nil {
					t.Fatal(err)
				}
			}
			s := &script{t: t, schema: schema}
			for i, line := range strings.Split(string(a.Comment), "\n") {
				s.line = i + 1
				s.do(strings.TrimSpace(line))
			}
		})
	}
}

type script struct {
	t              *testing.T
	schema         *jsonschema.Resolved
	line           int
	stdin          []byte
	stdout, stderr bytes.Buffer
}

func (s *script) errorf(format string, args ...any) {
	s.t.Helper()
	s.t.Errorf("line %d: %s\nstandard output:\n%sstandard error:\n%s", s.line, fmt.Sprintf(format, args...), &s.stdout,
		&s.stderr)
}

func (s *script) read(path string) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		s.errorf("%v", err)
	}
	return data
}

func (s *script) do(line string) {
	line, not := strings.CutPrefix(line, "! ")
	word, rest, _ := strings.Cut(line, " ")
	args := strings.Fields(rest)
	switch word {
	case "", "#":
	case "shaderlift":
		s.run(0, args)
	case "status":
		n, err := strconv.Atoi(args[0])
		if err != nil || args[1] != "shaderlift" {
			s.t.Fatalf("line %d: %s", s.line, line)
		}
		s.run(n, args[2:])
	case "stdin":
		s.stdin = s.read(args[0])
	case "stdout", "stderr":
		out := &s.stdout
		if word == "stderr" {
			out = &s.stderr
		}
		if regexp.MustCompile("(?m)"+rest).Match(out.Bytes()) == not {
			s.errorf("%s", line)
		}
	case "text":
		if want := s.read(args[0]); !bytes.Equal(want, s.stdout.Bytes()) {
			s.errorf("standard output is not\n%s", want)
		}
	case "same":
		if bytes.Equal(s.read(args[0]), s.read(args[1])) == not {
			s.errorf("%s:\n%s", line, s.read(args[1]))
		}
	case "effect":
		var b fxtest.Builder
		b.Technique("Main")
		b.AddPass("P0", fxtest.Shader{Data: fxtest.Assemble(string(s.read(args[1])))},
			fxtest.Shader{Data: fxtest.Assemble(string(s.read(args[2])))})
		if err := writeFile(args[0], b.Build()); err != nil {
			s.t.Fatal(err)
		}
	case "move":
		found, _ := filepath.Glob(args[0])
		if len(found) != 1 {
			s.errorf("%s: %v", line, found)
			return
		}
		if err := os.Rename(found[0], args[1]); err != nil {
			s.t.Fatal(err)
		}
	case "exists":
		if _, err := os.Stat(args[0]); (err == nil) == not {
			s.errorf("%s", line)
		}
	case "cut":
		n, err := strconv.Atoi(args[0])
		if err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(args[1], s.read(args[1])[:n], 0o666); err != nil {
			s.t.Fatal(err)
		}
	case "names":
		var names []string
		filepath.WalkDir(args[0], func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(args[0], path)
				names = append(names, filepath.ToSlash(rel))
			}
			return nil
		})
		if strings.Join(names, " ") != strings.Join(args[1:], " ") {
			s.errorf("there are %v", names)
		}
	default:
		s.t.Fatalf("line %d: %s", s.line, line)
	}
}

func (s *script) run(status int, args []string) {
	s.stdout.Reset()
	s.stderr.Reset()
	got := run(context.Background(), args, bytes.NewReader(s.stdin), &s.stdout, &s.stderr)
	s.stdin = nil
	if got != status {
		s.errorf("status %d, want %d", got, status)
	}
	s.obeys("standard output", s.stdout.Bytes())
	if k := slices.Index(args, "--report"); k >= 0 && k+1 < len(args) {
		if data, err := os.ReadFile(args[k+1]); err == nil {
			s.obeys(args[k+1], data)
		}
	}
}

// obeys checks a report against the schema of reports.
func (s *script) obeys(what string, data []byte) {
	var v any
	if !bytes.HasPrefix(data, []byte("{\n  \"schema\"")) || json.Unmarshal(data, &v) != nil {
		return
	}
	if err := s.schema.Validate(v); err != nil {
		s.errorf("%s: %v", what, err)
	}
}
