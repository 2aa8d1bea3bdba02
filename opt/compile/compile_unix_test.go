//go:build unix

package compile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/opt/compile"
	"github.com/shaderlift/shaderlift/opt/input"
)

// fake is a compiler whose behaviour the source names. It writes the program beside it, and its arguments.
const fake = `#!/bin/sh
here=$(dirname "$0")
case "$*" in *--print-target-types*) cat "$here/types"; exit 0;; esac
printf '%s\n' "$@" >"$here/arguments"
case "$(cat)" in
*HANG*) sleep 600 & echo $! >"$here/child"; sleep 600;;
*LEFT*) sleep 600 & echo $! >"$here/child"; cat "$here/program";;
*HUGE*) exec yes ps_3_0;;
*CHATTY*) yes '<anonymous>:1:1: W5300: Chatter.' | head -c 50000000 >&2; cat "$here/program";;
*ESCAPE*) printf 'common.h:7:3: E5000: \033[31m%s\200 \n' "$(yes x | head -c 900 | tr "\\n" " ")" >&2; exit 1;;
*WRONG*) printf '<anonymous>:2:8: E5005: Function "f" is not defined.\nvkd3d:1:err:no:place of it\nFailed, ret -4.\n' >&2; exit 1;;
*ENTRY*) printf '<anonymous>: E5005: Entry point "x" is not defined.\n' >&2; exit 1;;
*CRASH*) kill -SEGV $$;;
*OLD*) echo 'Invalid target type.' >&2; exit 1;;
*DXBC*) printf DXBC;;
*) echo '<anonymous>:3:1: W5300: Implicit truncation.' >&2; cat "$here/program";;
esac
`

// compiler writes the fake compiler into a folder whose name has a space.
func compiler(t *testing.T, types string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a b")
	program := fxtest.Assemble("ps_3_0\ndcl_texcoord v0\nmul oC0, v0, c0\n")
	for name, data := range map[string]string{"vkd3d-compiler": fake, "types": types, "program": string(program)} {
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name), []byte(data), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "vkd3d-compiler")
}

func source(name, word string) input.File {
	return input.File{Name: name, Data: []byte("// " + word + "\nfloat4 main(float2 uv : TEXCOORD0) : COLOR0 { return 1; }\n")}
}

// TestSource checks the arguments of the compiler, the program, and warnings with their places.
func TestSource(t *testing.T) {
	path := compiler(t, "d3dbc")
	f := source(filepath.Join(t.TempDir(), "x y.hlsl"), "")
	p, warnings, err := compile.Source(t.Context(), f, compile.Options{Compiler: path, Entry: "the main"})
	if err != nil || input.Recognize(p.Data) != input.Bytecode || p.Name != strings.TrimSuffix(f.Name, "hlsl")+"pso" {
		t.Fatalf("%s: %v", p.Name, err)
	}
	if want := f.Name + ":3:1: W5300: Implicit truncation. [compiler]"; len(warnings) != 1 || warnings[0].Error() != want {
		t.Errorf("%v, not %s", warnings, want)
	}
	arguments, err := os.ReadFile(filepath.Join(filepath.Dir(path), "arguments"))
	if diff := cmp.Diff("-x\nhlsl\n-b\nd3dbc\n-e\nthe main\n-p\nps_3_0\n-o\n-\n-\n", string(arguments)); diff != "" || err != nil {
		t.Errorf("the arguments are\n%s%v", diff, err)
	}
	if p, _, err := compile.Source(t.Context(), source("-", ""), compile.Options{Compiler: path}); err != nil || p.Name != "-" {
		t.Errorf("standard input: %s, %v", p.Name, err)
	}
}

// TestHostile checks compilers that fail, hang, or write too much, and what is left of them.
func TestHostile(t *testing.T) {
	path := compiler(t, "d3dbc")
	dir := t.TempDir()
	for _, c := range []struct{ word, want string }{
		{"HANG", "x.hlsl:1:1: " + path + " did not end within 500ms [compiler]"},
		{"HUGE", "x.hlsl:1:1: " + path + " wrote more than 16777216 bytes [compiler]"},
		{"ESCAPE", "common.h:7:3: E5000: ?[31mx x "},
		{"WRONG", `x.hlsl:2:8: E5005: Function "f" is not defined. [compiler]`},
		{"ENTRY", `x.hlsl: E5005: Entry point "x" is not defined. [compiler]`},
		{"CRASH", "signal: segmentation fault"},
		{"DXBC", "wrote 4 bytes, which are not a program of ps_3_0"},
	} {
		o := compile.Options{Compiler: path, Time: time.Minute}
		if c.word == "HANG" {
			o.Time = 500 * time.Millisecond
		}
		start := time.Now()
		_, _, err := compile.Source(t.Context(), source(filepath.Join(dir, "x.hlsl"), c.word), o)
		if err == nil {
			t.Errorf("%s: no error", c.word)
			continue
		}
		got := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
		if !strings.Contains(got, c.want) || len(got) > 1000 || strings.Contains(got, "\x1b") || strings.Contains(got, "\x80") || strings.Contains(got, "\n") {
			t.Errorf("%s: %s", c.word, got)
		}
		if time.Since(start) > 40*time.Second {
			t.Errorf("%s: it took %v", c.word, time.Since(start))
		}
	}
	// Many messages do not harm, and a process that is left does not delay the end.
	start := time.Now()
	for _, word := range []string{"CHATTY", "LEFT"} {
		p, warnings, err := compile.Source(t.Context(), source("x.hlsl", word), compile.Options{Compiler: path})
		if err != nil || len(p.Data) == 0 || len(warnings) > 4000 {
			t.Errorf("%s: %v, %d warnings", word, err, len(warnings))
		}
	}
	if time.Since(start) > 20*time.Second {
		t.Errorf("it took %v", time.Since(start))
	}
	child, err := os.ReadFile(filepath.Join(filepath.Dir(path), "child"))
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	fmt.Sscan(string(child), &pid)
	left := func() bool { // a killed process may take a while to end
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && !strings.Contains(string(stat), ") Z ")
	}
	for range 100 {
		if left() {
			time.Sleep(100 * time.Millisecond)
		}
	}
	if left() {
		t.Errorf("process %d is left", pid)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, _, err := compile.Source(ctx, source("x.hlsl", "HANG"), compile.Options{Compiler: path}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestUnable checks that a missing or old compiler, and a source of another kind, lead to the way to go on.
func TestUnable(t *testing.T) {
	f := source("glow it.hlsl", "OLD")
	for name, path := range map[string]string{"missing": "no-such-compiler", "old": compiler(t, "spirv-binary")} {
		_, _, err := compile.Source(t.Context(), f, compile.Options{Compiler: path})
		if err == nil || !strings.Contains(err.Error(), `fxc /T ps_3_0 /E main /Fo "glow it.pso" "glow it.hlsl", then run shaderlift opt --fit ps_2_0 VERTEX,"glow it.pso"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"ps_2_0\nmov oC0, c0\n", "technique T { pass P { } }\n", ""} {
		_, _, err := compile.Source(t.Context(), input.File{Name: "a.fx", Data: []byte(text)}, compile.Options{})
		var d *asm.Diag
		if !errors.As(err, &d) || d.Code != "not-source" {
			t.Errorf("%q: %v", text, err)
		}
	}
}
