package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestScale checks that memory does not grow with the number of shaders: ten times as many pairs,
// of SHADERLIFT_SCALE, take little more. It checks that the report has all of them, once, in order.
// By default there are few, and memory is not compared.
func TestScale(t *testing.T) {
	many := 40
	n, err := strconv.Atoi(os.Getenv("SHADERLIFT_SCALE"))
	long := err == nil && n > 0
	if long {
		many = n
	}
	var texts [2]string
	for i, name := range []string{"conv1d.vsh", "conv1d.psh"} {
		data, err := os.ReadFile(filepath.Join("../../testdata/conv1d", name))
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(data)
	}
	mebibytes := func(n int) int64 {
		t.Helper()
		dir := t.TempDir()
		var list strings.Builder
		for k := range n {
			base := filepath.Join(dir, "in", strconv.Itoa(k/1000), strconv.Itoa(k))
			put(t, base+".vsh", fmt.Appendf(nil, "%s// %d\n", texts[0], k))
			put(t, base+".psh", fmt.Appendf(nil, "%s// %d\n", texts[1], k))
			fmt.Fprintf(&list, "%s.vsh,%[1]s.psh\n", base)
		}
		put(t, filepath.Join(dir, "list"), []byte(list.String()))
		cmd := exec.Command(os.Args[0], "-target", "d3d9", "-output", filepath.Join(dir, "out"), "-report",
			filepath.Join(dir, "report"), "@"+filepath.Join(dir, "list"))
		cmd.Env = append(os.Environ(), asCommand+"=1")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		report, err := os.ReadFile(filepath.Join(dir, "report-00000-of-00001.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		last, lines := "", 0
		for line := range strings.Lines(string(report)) {
			if lines++; line <= last || !strings.Contains(line, `"status":"improved"`) {
				t.Fatalf("behind\n%sthere is\n%s", last, line)
			}
			last = line
		}
		if written := len(files(t, filepath.Join(dir, "out"))); lines != n || written != 2*n {
			t.Errorf("of %d pairs %d are reported, and %d programs written", n, lines, written)
		}
		usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		return usage.Maxrss >> 10
	}
	few, all := mebibytes(max(many/10, 1)), mebibytes(many)
	t.Logf("%d pairs take %d MiB, a tenth of them %d", many, all, few)
	if long && all > few+few/2 {
		t.Errorf("%d MiB for %d pairs, %d for a tenth of them", all, many, few)
	}
}
