package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Limits for refusing an input.
const (
	refusalTime = 2 * time.Second // processor time
	refusalPeak = 256 << 20       // bytes resident
)

// peakFile is the variable with the file to which a process of the command writes the peak of its
// resident memory, in kB. The value from wait (ru_maxrss) is at least the peak of the parent
// process, whose memory the child has until exec.
const peakFile = "SHADERLIFT_TEST_PEAK"

func init() {
	commandEnds = func() {
		status, _ := os.ReadFile("/proc/self/status")
		if m := peakResident.FindSubmatch(status); m != nil && os.Getenv(peakFile) != "" {
			os.WriteFile(os.Getenv(peakFile), m[1], 0o666)
		}
	}
}

var peakResident = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// diagnosed matches a diagnostic: a file, an optional line and column or offset, and a code.
var diagnosed = regexp.MustCompile(`(?m)^.+:(\d+:(\d+:)?|\+0x[0-9a-f]+:)? .*\[[a-z0-9-]+\]`)

// attack runs the command as a separate process and returns an error if it ends wrongly.
func attack(args []string, input string) error {
	cmd := exec.Command(os.Args[0], args...)
	peak, err := os.CreateTemp("", "peak")
	if err != nil {
		return err
	}
	defer os.Remove(peak.Name())
	defer peak.Close()
	cmd.Env = append(os.Environ(), asCommand+"=1", peakFile+"="+peak.Name())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	var failed *exec.ExitError
	if err := cmd.Run(); err != nil {
		if e, ok := err.(*exec.ExitError); ok {
			failed = e
		} else {
			return err
		}
	}
	said := stderr.Bytes()
	if bytes.Contains(said, []byte("goroutine ")) {
		return fmt.Errorf("a panic:\n%s", said)
	}
	switch status := cmd.ProcessState.ExitCode(); status {
	case statusDone, statusFit, statusRefused:
		return nil
	case statusInput:
		if !diagnosed.Match(said) || !bytes.Contains(said, []byte(input)) {
			return fmt.Errorf("%v without a diagnostic:\n%s", failed, said)
		}
	default:
		return fmt.Errorf("%v:\n%s", failed, said)
	}
	state := cmd.ProcessState
	if spent := state.UserTime() + state.SystemTime(); spent > refusalTime {
		return fmt.Errorf("it took %v to say:\n%s", spent, said)
	}
	text, err := io.ReadAll(peak)
	if err != nil {
		return err
	}
	if kB, err := strconv.Atoi(string(text)); err != nil || kB<<10 > refusalPeak {
		return fmt.Errorf("it took %s kB to say (%v):\n%s", text, err, said)
	}
	return nil
}

// TestDamaged checks that damaged files (flipped bits, truncated, or with moved pieces) are
// diagnosed or still programs in every command, and that a refused file produces no output.
// SHADERLIFT_HOSTILE is the number of files (25).
func TestDamaged(t *testing.T) {
	n := 25
	if long, err := strconv.Atoi(os.Getenv("SHADERLIFT_HOSTILE")); err == nil {
		n = long
	}
	type file struct {
		name string
		data []byte
	}
	var files []file
	for _, pattern := range []string{"testdata/conv1d/*.?sh", "testdata/il/*.il", "../shared/corpus/d3d9/pairs/*0/*.?so",
		"../shared/corpus/d3d9/effects/*", "../shared/corpus/il/a2_[CMT]*.il"} {
		names, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if data, err := os.ReadFile(name); err == nil && len(data) <= 16<<10 {
				files = append(files, file{name, data})
			}
		}
	}
	dir := t.TempDir()
	out, page := filepath.Join(dir, "out"), filepath.Join(dir, "page")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		from := files[r.IntN(len(files))]
		data := damaged(r, from.data)
		in := filepath.Join(dir, "in"+filepath.Ext(from.name))
		if err := os.WriteFile(in, data, 0o666); err != nil {
			t.Fatal(err)
		}
		args := [][]string{
			{"opt", "--time-limit", "1s", "-o", out, in}, {"opt", "--time-limit", "1s", "-o", out, in},
			{"stats", in}, {"stats", "--listing", in}, {"verify", in, in}, {"dis", "-o", out, in}, {"asm", "-o", out, in},
			{"explain", in}, {"opt", "--html", page, "-o", out, in},
		}[r.IntN(9)]
		os.Remove(out)
		err := attack(args, in)
		if err != nil {
			kept := filepath.Join(os.TempDir(), fmt.Sprintf("damaged-%d%s", i, filepath.Ext(from.name)))
			os.WriteFile(kept, data, 0o666)
			t.Errorf("%s, damaged as in %s: %s: %v", from.name, kept, args[0], err)
		}
	}
}

// damaged returns a copy of data with one to three defects.
func damaged(r *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	for range 1 + r.IntN(3) {
		if len(data) < 8 {
			return data
		}
		switch at := r.IntN(len(data)); r.IntN(4) {
		case 0:
			data = data[:at]
		case 1:
			from := r.IntN(len(data))
			copy(data[at:], data[from:min(len(data), from+1+r.IntN(64))])
		default:
			data[at] ^= 1 << r.IntN(8)
		}
	}
	return data
}

// TestLargeInputs checks that inputs that are only large are refused before they take resources.
func TestLargeInputs(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	zeros := write("zeros", "")
	if err := os.Truncate(zeros, 1<<30); err != nil {
		t.Fatal(err)
	}
	var parameters strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&parameters, ",a%d", i)
	}
	inputs := []string{
		zeros,
		write("nested.il", "il_ps_2_0\n"+strings.Repeat("if_logicalnz r0.x\n", 100_000)+strings.Repeat("endif\n", 100_000)+
			"end\n"),
		write("nested.psh", "ps_3_0\n"+strings.Repeat("if b0\n", 100_000)+strings.Repeat("endif\n", 100_000)),
		write("long.psh", "ps_3_0\n"+strings.Repeat("add r0, r0, r0\n", 1_000_000)),
		write("one-line.psh", "ps_3_0"+strings.Repeat(" add", 1_000_000)),
		write("parameters.psh", "#define F(a"+parameters.String()+") a\nps_3_0\nmov oC0, F(a"+parameters.String()+")\n"),
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		inputs = append(inputs, "/dev/zero")
	}
	for _, in := range inputs {
		for _, command := range []string{"opt", "stats", "dis", "explain"} {
			if err := attack([]string{command, in}, in); err != nil {
				t.Errorf("%s %s: %v", command, filepath.Base(in), err)
			}
		}
	}
}
