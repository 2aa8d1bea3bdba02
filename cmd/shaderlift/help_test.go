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

// TestIdleFlags checks the messages about flags that no input uses.
func TestIdleFlags(t *testing.T) {
	const (
		noProgram = "no input is a Direct3D 9 program"
		noKernel  = "no input is an AMD IL kernel"
	)
	t.Chdir("testdata/threads")
	for args, want := range map[string]string{
		"tune -n --budget 1 --arithmetic fp24 bfi.il":         "--arithmetic fp24 has no effect: " + noProgram,
		"opt -n --box all=0..1 --include . bfi.il":            "--include has no effect: " + noProgram,
		"explain --partner wpf bfi.il":                        "--partner wpf has no effect: " + noProgram,
		"verify --upload c0=c1 bfi.il bfi.il":                 "--upload c0=c1 has no effect: " + noProgram,
		"verify --counterexample - bfi.il bfi.il":             "--counterexample -: nothing is written, because no difference was found",
		"explain --coarsen x=2 fog.vsh":                       "--coarsen x=2 has no effect: " + noKernel,
		"explain --fit ps_2_0 fog.vsh":                        "--fit ps_2_0 has no effect: no input has a pixel program",
		"explain --constant ps:c7=0,0,0,0 wpf_bloom.psh":      "--constant: ps:c7 is not read",
		"explain --target d3d9 --pixels-per-vertex 1 fog.vsh": "--pixels-per-vertex 1 has no effect: the target counts slots",
		"stats --pixels-per-vertex 1 fog.vsh":                 "--pixels-per-vertex 1 has no effect: the target counts slots",
		"stats --domain 8x8 fog.vsh":                          "--domain 8x8 has no effect: " + noKernel,
		"stats --format csv --target gcn fog.vsh":             "--target gcn has no effect on Direct3D 9 programs",
		"dis --compile fog.vsh":                               "--compile has no effect: no input is HLSL",
		"opt -n --cache-size 7 fog.vsh":                       "--cache-size 7 has no effect without --cache",
		"opt -n -q --domain 8x8 fog.vsh":                      "",
		"opt -n --domain 8x8 fog.vsh bfi.il":                  "",
		"explain --pixels-per-vertex 1 fog.vsh":               "",
	} {
		var out, stderr bytes.Buffer
		run(t.Context(), strings.Fields(args), strings.NewReader(""), &out, &stderr)
		if want == "" && strings.Contains(stderr.String(), "no effect") || !strings.Contains(stderr.String(), want) {
			t.Errorf("shaderlift %s prints %q, not %q", args, stderr.String(), want)
		}
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
