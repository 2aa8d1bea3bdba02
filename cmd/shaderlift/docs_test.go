package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite what commands print in README.md and docs")

// notRun maps prefixes of documented commands that TestDocs does not run to the reason.
var notRun = map[string]string{
	"go install github.com/shaderlift/shaderlift/cmd/shaderlift@latest": "fetches a release; TestInstall has the path",
	"go run ./cmd/playground":  "serves, or compiles for browsers; the tests of cmd/playground have the page in one",
	"go run -C bench/beam":     "is a module of its own, whose tests run it",
	"go run -C bench ./mutate": "takes minutes; a step of CI, like the others of its kind",
	"go run -C bench ./soak":   "takes hours; a step of CI runs a part",
	"go test ./...":            "is what runs it",
}

// excused returns the entry of notRun for a command, if any.
func excused(command string) (entry string, found bool) {
	for entry := range notRun {
		if strings.HasPrefix(command, entry) {
			return entry, true
		}
	}
	return "", false
}

// docs returns the documents whose commands are run, from the root of the checkout.
func docs(t *testing.T, root string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(list) == 0 {
		t.Fatal("no documents: ", err)
	}
	walks, err := filepath.Glob(filepath.Join(root, "examples", "walks", "*.md"))
	if err != nil || len(walks) == 0 {
		t.Fatal("no walks: ", err)
	}
	return append(append(list, walks...), filepath.Join(root, "README.md"))
}

// fence is a code block of a document, without its delimiters.
type fence struct {
	info string   // text after the opening delimiter
	line int      // line of the opening delimiter, from 1
	body []string // lines
}

// fencesOf returns the code blocks of a document, and its other lines.
func fencesOf(text string) (list []fence, prose []string) {
	open := false
	for i, line := range strings.Split(text, "\n") {
		info, mark := strings.CutPrefix(line, "```")
		switch {
		case mark && !open:
			open, list = true, append(list, fence{info: info, line: i + 1})
		case mark:
			open = false
		case open:
			list[len(list)-1].body = append(list[len(list)-1].body, line)
		default:
			prose = append(prose, line)
		}
	}
	return list, prose
}

// indented matches commands in blocks without a language, whose output is not shown.
var indented = regexp.MustCompile(`(?m)^ {4}((?:shaderlift|go) .*)$`)

// rows matches placeholders for the cells of a table.
var rows = regexp.MustCompile(`\b(PIPELINE|N|X)\b`)

// seconds matches the only part of a report that varies.
var seconds = regexp.MustCompile(`\d+\.\d s\n`)

// words returns the arguments of a command line as a shell splits them; quotes only enclose whole
// words.
func words(line string) []string {
	list := strings.Fields(line)
	for i, w := range list {
		list[i] = strings.Trim(w, "'")
	}
	return list
}

// shown returns the output of a documented command, output first and report last, as on a terminal,
// with the exit status if it is not 0.
func shown(args []string) string {
	var out bytes.Buffer
	status := run(context.Background(), args, strings.NewReader(""), &out, &out)
	text := seconds.ReplaceAllString(out.String(), "0.0 s\n")
	if status != statusDone {
		text += fmt.Sprintf("exit status %d\n", status)
	}
	return text
}

// TestDocs runs every command of README.md and docs and compares the output with the document. Each document has a folder of its
// own that holds the examples and testdata of the checkout.
func TestDocs(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	missed := maps.Clone(notRun)
	for _, path := range docs(t, root) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, part := range []string{"testdata/boundary", "testdata/conv1d", "testdata/il", "testdata/coarsen",
				"testdata/constants", "testdata/ikeda", "testdata/spirv", "examples"} {
				if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(root, part))); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(dir)
			text := string(data)
			blocks, prose := fencesOf(text)
			for _, m := range indented.FindAllStringSubmatch(strings.Join(prose, "\n"), -1) {
				if filepath.Base(path) == "results.md" && rows.MatchString(m[1]) {
					continue // bench/results runs each and writes the results there
				}
				if out := session(t, path, fence{body: []string{"$ " + m[1]}}, missed); strings.HasPrefix(out[len(out)-1],
					"exit status ") {
					t.Errorf("%s: %s", path, strings.Join(out, "\n"))
				}
			}
			lines := strings.Split(text, "\n")
			moved := 0 // number of lines by which earlier updates moved the block
			for _, f := range blocks {
				if f.info != "console" {
					excerpt(t, root, path, f)
					continue
				}
				got := session(t, path, f, missed)
				if *updateDocs {
					at := f.line + moved
					lines = slices.Replace(lines, at, at+len(f.body), got...)
					moved += len(got) - len(f.body)
				} else if diff := cmp.Diff(f.body, got); diff != "" {
					t.Errorf("%s:%d is out of date (-document +now); -update-docs rewrites it:\n%s", path, f.line, diff)
				}
			}
			if *updateDocs {
				if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	for command, why := range missed {
		t.Errorf("no document has %q (%s)", command, why)
	}
}

// session runs the commands of a block and returns the block with the actual output.
func session(t *testing.T, path string, f fence, missed map[string]string) (got []string) {
	t.Helper()
	kept := false // the following lines belong to a command that is not run
	for i, line := range f.body {
		command, ok := strings.CutPrefix(line, "$ ")
		switch {
		case !ok && i == 0:
			t.Fatalf("%s:%d: a block of commands begins with what one prints", path, f.line)
		case !ok:
			if kept {
				got = append(got, line)
			}
			continue
		}
		got = append(got, line)
		entry := ""
		if entry, kept = excused(command); kept {
			delete(missed, entry)
			continue
		}
		args := words(strings.TrimPrefix(command, "go run ./cmd/"))
		if args[0] != "shaderlift" {
			t.Errorf("%s:%d: %q is neither run nor named in notRun", path, f.line+i+1, command)
			kept = true
			continue
		}
		out := shown(args[1:])
		if strings.Contains(out, "no such file or directory") {
			t.Errorf("%s:%d: %q names a file that the documents do not have", path, f.line+i+1, command)
		}
		if out != "" {
			got = append(got, strings.Split(strings.TrimSuffix(out, "\n"), "\n")...)
		}
	}
	return got
}

// excerpt compares a block that shows a part of a file, named in its info ("make file=PATH"), with
// that file. Blocks of plain text are pictures. A test in the root package checks blocks of Go
// without a file.
func excerpt(t *testing.T, root, path string, f fence) {
	t.Helper()
	lang, from, found := strings.Cut(f.info, " file=")
	if !found {
		if !slices.Contains([]string{"", "text", "go"}, lang) {
			t.Errorf("%s:%d: a block of %s without the file that it is from", path, f.line, lang)
		}
		return
	}
	data, err := os.ReadFile(filepath.Join(root, from))
	if err != nil {
		t.Error(err)
		return
	}
	text := regexp.MustCompile(`(?m)^//[ \t]`).ReplaceAllString(string(data), "") // for documentation in Go comments
	if !strings.Contains("\n"+text, "\n"+strings.Join(f.body, "\n")+"\n") {
		t.Errorf("%s:%d: this does not stand in %s", path, f.line, from)
	}
}

// TestDocsInline checks that commands and flags mentioned in running text exist.
func TestDocsInline(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("`([^`\n]+)`")
	flags := map[string]bool{}
	command := func() *cobra.Command {
		cmd := (&app{out: &stream{}, err: &stream{}}).command()
		cmd.InitDefaultVersionFlag()
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultHelpCmd()
		cmd.InitDefaultCompletionCmd("completion")
		return cmd
	}
	all := append([]*cobra.Command{command()}, command().Commands()...)
	for _, c := range all {
		c.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
	}
	for _, path := range docs(t, root) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, prose := fencesOf(string(data))
		for _, m := range code.FindAllStringSubmatch(strings.Join(prose, "\n"), -1) {
			args := words(strings.ReplaceAll(m[1], `\|`, "|"))
			if strings.HasPrefix(m[1], "--") {
				if name, _, _ := strings.Cut(args[0][2:], "="); !flags[name] {
					t.Errorf("%s: there is no flag --%s", path, name)
				}
			}
			if args[0] != "shaderlift" || len(args) == 1 {
				continue
			}
			cmd, rest, err := command().Find(args[1:])
			if err != nil || !cmd.HasParent() {
				t.Errorf("%s: %s: there is no such command", path, m[1])
				continue
			}
			for _, w := range rest {
				name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
				switch {
				case strings.HasPrefix(w, "--") && cmd.Flags().Lookup(name) == nil,
					strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && name != "" &&
						cmd.Flags().ShorthandLookup(name[:1]) == nil:
					t.Errorf("%s: %s: there is no flag %s", path, m[1], w)
				}
			}
		}
	}
}

// TestDocsPictures checks that pictures in the documentation equal the command's output.
func TestDocsPictures(t *testing.T) {
	t.Chdir("../..")
	for path, command := range map[string]string{
		"docs/conv1d.svg": "explain --format svg --target d3d9 testdata/conv1d/conv1d.vsh,testdata/conv1d/conv1d.psh",
	} {
		got := shown(words(command))
		if *updateDocs {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || string(want) != got {
			t.Errorf("%s is not what shaderlift %s draws: %v; -update-docs rewrites it", path, command, err)
		}
	}
}

// TestInstall checks that the documented installation path is a command of this module.
func TestInstall(t *testing.T) {
	data, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	module, _, _ := strings.Cut(strings.TrimPrefix(string(data), "module "), "\n")
	for command := range notRun {
		path, ok := strings.CutPrefix(command, "go install ")
		if ok && path != module+"/cmd/shaderlift@latest" {
			t.Errorf("%s is installed, from module %s", path, module)
		}
	}
}
