package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIncludeFolders checks that a program includes only files below the working directory or a
// folder of -I, whatever links lead there, and absolute paths only below a folder of -I. Messages
// show nothing of other files.
func TestIncludeFolders(t *testing.T) {
	top := t.TempDir()
	for name, text := range map[string]string{
		"secret/passwd":      "root:x:0:0\n",
		"secret/good.h":      "#define C c0\n",
		"project/lib/good.h": "#define C c0\n",
		"project/notes":      "root:x:0:0\n",
		"project/sub/deep":   "",
	} {
		if err := writeFile(filepath.Join(top, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(top, "project"))
	for link, to := range map[string]string{"out": "../secret", "out.h": "../secret/good.h", "in.h": "lib/good.h",
		"up": ".."} {
		if err := os.Symlink(to, link); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	const outside = "it is outside the directories that programs may include from; -I "
	for _, test := range []struct{ flags, name, want string }{
		{"", "lib/good.h", ""},
		{"", `lib\good.h`, ""},
		{"", "in.h", ""},
		{"", "sub/../lib/good.h", ""},
		{"", "good.h", "no such file"},
		{"-I lib", "good.h", ""},
		{"-I sub -I ./lib/", "good.h", ""},
		{"", "out.h", outside},
		{"", "out/good.h", outside},
		{"", "up/secret/good.h", outside},
		{"", "../secret/good.h", outside + "../secret allows it"},
		{"-I ../secret", "../secret/good.h", ""},
		{"-I ../secret", "out.h", ""},
		{"-I out", "../secret/good.h", ""},
		{"-I lib", "../../secret/good.h", outside},
		{"", "../secret/none.h", outside},
		{"", top + "/project/lib/good.h", outside},
		{"-I lib", top + "/project/lib/good.h", ""},
		{"", top + "/secret/passwd", outside + top + "/secret allows it"},
		{"", "/etc/passwd", outside + "/etc allows it"},
		{"-I lib", "/etc/passwd", outside},
		{"", "lib", "not a regular file"},
		{"", "notes", "notes:1:1: "},
		{"-I " + top + "/secret", top + "/secret/passwd", "passwd:1:1: "},
		{"-I none", "lib/good.h", "--include none: want the name of a directory"},
		{"-I notes", "lib/good.h", "--include notes: want the name of a directory"},
	} {
		if err := writeFile("a.psh", []byte("#include \""+test.name+"\"\nps_2_0\nmov oC0, C\n")); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"asm a.psh", "stats a.psh", "opt -n a.psh", "verify a.psh a.psh"} {
			var stdout, stderr bytes.Buffer
			status := run(t.Context(), strings.Fields(command+" "+test.flags), strings.NewReader(""), &stdout, &stderr)
			if text := stderr.String(); (status == statusDone) != (test.want == "") || !strings.Contains(text, test.want) ||
				strings.Contains(text, "x:0:0") {
				t.Errorf("%s %s with %q ends with %d:\n%s", command, test.flags, test.name, status, text)
			}
		}
	}
}

// TestOnlyProgramsAreQuoted checks that a file that is not a program is not quoted, even if a
// diagnostic points into it.
func TestOnlyProgramsAreQuoted(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := writeFile("notes", []byte("secret words\n")); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"opt notes", "stats notes", "asm notes", "opt -", "run --case notes notes"} {
		var stdout, stderr bytes.Buffer
		if status := run(t.Context(), strings.Fields(args), strings.NewReader("secret words\n"), &stdout,
			&stderr); status != statusInput {
			t.Errorf("%s ends with %d", args, status)
		}
		if strings.Contains(stderr.String(), "secret words") {
			t.Errorf("%s says:\n%s", args, &stderr)
		}
	}
}
