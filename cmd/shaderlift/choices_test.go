package main

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands returns all commands.
func commands() []*cobra.Command {
	root := (&app{out: &stream{}, err: &stream{}}).command()
	root.InitDefaultHelpCmd()
	return append(root.Commands(), root)
}

// TestChoicesOfFlags checks that every flag with a value has named choices, or takes a file, a
// number, a time or a value with its own syntax.
func TestChoicesOfFlags(t *testing.T) {
	written := []string{"box", "coarsen", "color", "constant", "domain", "pass", "upload"}
	for _, cmd := range commands() {
		choices := choicesOf(cmd)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			what, _ := pflag.UnquoteUsage(f)
			if _, found := choices[f.Name]; found || f.Value.Type() != "string" && f.Value.Type() != "stringArray" ||
				slices.Contains([]string{"FILE", "DIR", "PATH", "KERNEL"}, what) || slices.Contains(written, f.Name) {
				return
			}
			t.Errorf("%s --%s %s: nothing to choose from", cmd.CommandPath(), f.Name, what)
		})
	}
}

// TestChoices checks that all choices are accepted.
func TestChoices(t *testing.T) {
	t.Chdir("../..")
	pair, kernel := "testdata/conv1d/conv1d.vsh,testdata/conv1d/conv1d.psh", "testdata/il/transpose.il"
	for _, cmd := range commands() {
		for name, c := range choicesOf(cmd) {
			for _, value := range c.names() {
				args := []string{cmd.Name(), "--" + name, value, pair}
				switch cmd.Name() {
				case "opt":
					args = append(args, "-n")
				case "verify":
					args = append(args, pair)
				case "stats", "explain":
				default:
					continue // its flags are those of the others
				}
				if kernels := "r600"; name == "target" && value == kernels {
					args[3] = kernel
				}
				var out bytes.Buffer
				if status := run(context.Background(), args, strings.NewReader(""), &out, &out); status == statusInput {
					t.Errorf("%s: %s", strings.Join(args, " "), &out)
				}
			}
		}
	}
}

// TestCompletion checks the shell completions, in lists after the words that are already there.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"opt --target gcn,": `(?m)^gcn,rdna3$`,
		"opt -p fold,co":    `(?m)^fold,codemotion\tmove `,
		"opt -O ":           `(?m)^3$`,
		"explain --format ": `(?m)^svg$`,
		"verify --require ": `(?m)^proved-real$`,
		"passes co":         `(?m)^codemotion\tmove `,
		"opt --fuel ":       `(?m)^:4$`,  // no files
		"opt --cache ":      `(?m)^:16$`, // folders
		"help exp":          `(?m)^explain\t`,
	} {
		var out, errs bytes.Buffer
		args := append([]string{"__complete"}, strings.Split(line, " ")...)
		if status := run(context.Background(), args, strings.NewReader(""), &out, &errs); status != statusDone ||
			!regexp.MustCompile(want).Match(out.Bytes()) {
			t.Errorf("%q: %s%s", line, &out, &errs)
		}
	}
}

// TestManual checks that manual pages name every visible flag and every command, and that no text is taken
// for a roff instruction.
func TestManual(t *testing.T) {
	macro := regexp.MustCompile(`^\.(TH|SH|SS|PP|TP|nf|fi|B|BR)\b`)
	plain := strings.NewReplacer(`\-`, "-", `\fB`, "", `\fI`, "", `\fR`, "", `\e`, `\`, `\&`, "")
	for _, cmd := range commands() {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			continue
		}
		text := string(manual(cmd))
		said := plain.Replace(text)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(said, "\n--"+f.Name) && !strings.Contains(said, "\n-"+f.Shorthand+", --"+f.Name) {
				t.Errorf("%s does not tell about --%s", pageName(cmd), f.Name)
			}
		})
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && !strings.Contains(said, "\n"+c.Name()+"\n") {
				t.Errorf("%s does not name %s", pageName(cmd), c.Name())
			}
		}
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(line, ".") && !macro.MatchString(line) || strings.HasPrefix(line, "'") {
				t.Errorf("%s: %q is taken for an instruction", pageName(cmd), line)
			}
		}
	}
	if want := "\\&.a\n\\&'b\n\\ec\\-d"; roff.Replace("\n.a\n'b\n\\c-d")[1:] != want {
		t.Errorf("%q", roff.Replace("\n.a\n'b\n\\c-d"))
	}
}

// TestTerminal checks that colours and progress appear only on terminals that allow them.
func TestTerminal(t *testing.T) {
	if x := terminalOf(&bytes.Buffer{}); x.live || x.colour {
		t.Error("a buffer is taken for a terminal")
	}
	var out bytes.Buffer
	h := &human{w: &out, all: 4, names: 1, terminal: terminal{live: true, colour: true}, began: time.Now()}
	h.result(&shaderlift.Result{Name: "a", Status: shaderlift.Improved}, nil)
	h.result(&shaderlift.Result{Name: "b", Status: shaderlift.Unchanged}, nil)
	if text := out.String(); !strings.Contains(text, "a  "+green+"improved"+plain) ||
		!strings.Contains(text, clearLine+"2 of 4 done (50 %), 1 improved, 0 failed; 0s left") {
		t.Errorf("%q", text)
	}
	if text := h.progressText(3 * time.Second); !strings.HasSuffix(text, "; 3s left") {
		t.Error(text)
	}
	out.Reset()
	h = &human{w: &out, all: 1}
	h.result(&shaderlift.Result{Name: "a", Status: shaderlift.Failed}, nil)
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("%q", &out)
	}
}
