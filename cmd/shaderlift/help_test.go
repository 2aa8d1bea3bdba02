package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestHelp checks that the help of each command fits, and that each flag has a group.
func TestHelp(t *testing.T) {
	a := &app{ctx: t.Context(), out: &stream{}, err: &stream{}}
	root := a.command()
	for _, cmd := range append([]*cobra.Command{root}, root.Commands()...) {
		var out bytes.Buffer
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > helpWidth {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		if cmd.Name() == "completion" {
			continue
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			found := false
			for _, g := range flagGroups {
				found = found || slices.Contains(g.names, f.Name)
			}
			if !found && !f.Hidden {
				t.Errorf("%s: flagGroups has no --%s", cmd.CommandPath(), f.Name)
			}
			if listed := regexp.MustCompile(`(?m)^ +(-\w, )?--` + f.Name + `( |$)`); listed.Match(out.Bytes()) == f.Hidden {
				t.Errorf("%s: --%s is in the list: %v", cmd.CommandPath(), f.Name, f.Hidden)
			}
		})
	}
}

// TestCompletionShell checks that completion fails without a known shell.
func TestCompletionShell(t *testing.T) {
	for args, want := range map[string]string{
		"completion":       "shaderlift: give a shell: bash, fish, powershell, zsh\n",
		"completion tcsh":  "shaderlift: unknown shell \"tcsh\" (want bash, fish, powershell or zsh)\n",
		"completion bash":  "",
		"completion -h":    "",
		"completion ba sh": "shaderlift: unknown shell \"ba\" (want bash, fish, powershell or zsh)\n",
	} {
		var out, stderr bytes.Buffer
		status := run(t.Context(), strings.Fields(args), strings.NewReader(""), &out, &stderr)
		if stderr.String() != want || (status == statusDone) != (want == "") || (out.Len() > 0) != (want == "") {
			t.Errorf("%s ends with %d: %s", args, status, &stderr)
		}
	}
}

// TestIdleFlags checks the warning about flags that kernels do not use.
func TestIdleFlags(t *testing.T) {
	const kernel = "../../testdata/il/collatz.il"
	var out, stderr bytes.Buffer
	run(t.Context(), []string{"tune", "-n", "-q", "--budget", "1", "--arithmetic", "fp24", kernel}, strings.NewReader(""), &out, &stderr)
	if !strings.Contains(stderr.String(), "--arithmetic has no effect: tune takes kernels\n") {
		t.Errorf("there is no warning: %s", &stderr)
	}
}

// TestClosedPipe checks that a reader that ends early, such as head, causes no message.
func TestClosedPipe(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	for _, args := range []string{"passes", "opt --help", "help opt", "dis a.psh", "opt -O0 a.psh"} {
		t.Chdir(t.TempDir())
		if err := writeFile("a.psh", []byte(movPixel)); err != nil {
			t.Fatal(err)
		}
		// The reader has ended before the command begins.
		cmd := exec.Command("sh", "-c", `{ sleep 0.2; "$0" `+args+`; echo $? >status; } | :`, os.Args[0])
		cmd.Env = append(os.Environ(), asCommand+"=1")
		out, err := cmd.CombinedOutput()
		status, _ := os.ReadFile("status")
		if err != nil || bytes.Contains(out, []byte("broken pipe")) || string(status) != "1\n" {
			t.Errorf("%s ends with %q (%v) and prints:\n%s", args, status, err, out)
		}
	}
}
