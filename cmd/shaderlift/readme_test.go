package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateReadme = flag.Bool("update-readme", false, "rewrite the examples in README.md")

// readmeExample is a command of the README and what it prints, output first and
// report last, as on a terminal.
var readmeExample = regexp.MustCompile("(?s)```console\n\\$ go run ./cmd/shaderlift ([^\n]*)\n(.*?)```\n")

// seconds is the one thing in a report that is not the same every time.
var seconds = regexp.MustCompile(`\d+\.\d s\n`)

// words are the arguments of a command line as a shell sees them; quotes stand around
// whole ones.
func words(line string) []string {
	list := strings.Fields(line)
	for i, w := range list {
		list[i] = strings.Trim(w, "'")
	}
	return list
}

// The examples in the README are what the command prints.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := readmeExample.FindAllSubmatchIndex(readme, -1)
	if len(examples) == 0 {
		t.Fatal("README.md has no example of the command")
	}
	for _, at := range slices.Backward(examples) { // so that what is rewritten moves no other
		args, want := string(readme[at[2]:at[3]]), string(readme[at[4]:at[5]])
		var out bytes.Buffer
		if status := run(context.Background(), words(args), strings.NewReader(""), &out, &out); status != statusDone {
			t.Fatalf("shaderlift %s: status %d\n%s", args, status, out.String())
		}
		got := seconds.ReplaceAllString(out.String(), "0.0 s\n")
		if *updateReadme {
			readme = slices.Concat(readme[:at[4]], []byte(got), readme[at[5]:])
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("shaderlift %s: the example in README.md is out of date (-README +now); -update-readme rewrites it:\n%s", args, diff)
		}
	}
	if *updateReadme {
		if err := os.WriteFile("README.md", readme, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
