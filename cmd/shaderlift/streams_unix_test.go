//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const movPixel = "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n"

// TestClosedOutput checks that a result for a closed standard output is an error.
func TestClosedOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := writeFile("a.psh", []byte(movPixel)); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"opt -o - a.psh", "opt -n --report - a.psh", "opt -n --html - a.psh", "asm a.psh -o -", "dis a.psh -o -",
		"verify --require tested --counterexample - a.psh a.psh",
	} {
		for redirect, want := range map[string]int{">&-": statusInput, ">/dev/null": statusDone} {
			cmd := exec.Command("/bin/sh", "-c", `exec "$0" `+args+" "+redirect, os.Args[0])
			cmd.Env = append(os.Environ(), asCommand+"=1")
			out, _ := cmd.CombinedOutput()
			if status := cmd.ProcessState.ExitCode(); status != want {
				t.Errorf("%s %s ends with %d, want %d:\n%s", args, redirect, status, want, out)
			}
			if told := bytes.Contains(out, []byte("standard output is closed")); told != (want == statusInput) {
				t.Errorf("%s %s says:\n%s", args, redirect, out)
			}
		}
	}
}

// TestBytesToTerminal checks that bytecode goes to a terminal only with -o.
func TestBytesToTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	defer terminal.Close()
	if !isTerminal(terminal) {
		t.Skip("/dev/ptmx is not a terminal on this system")
	}
	t.Chdir(t.TempDir())
	if err := writeFile("a.psh", []byte(movPixel)); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	command := func(args string) int {
		stderr.Reset()
		return run(t.Context(), strings.Fields(args), strings.NewReader(""), terminal, &stderr)
	}
	if command("asm a.psh -o a.pso") != statusDone {
		t.Fatal(stderr.String())
	}
	for _, args := range []string{"asm a.psh", "opt a.pso"} {
		if status := command(args); status != statusInput || !strings.Contains(stderr.String(), "to a terminal; redirect") {
			t.Errorf("%s ends with %d: %s", args, status, &stderr)
		}
	}
	if status := command("opt -o - a.pso"); status != statusDone {
		t.Errorf("opt -o - ends with %d: %s", status, &stderr)
	}
}
