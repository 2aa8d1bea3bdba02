package wine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A drawn job fails if Wine did not translate its programs. Other jobs are not affected.
func TestReadStatus(t *testing.T) {
	results := make([]Result, 4)
	n := readStatus("ok 0\r\n"+
		"0100:fixme:d3d_shader:print_glsl_info_log     0:59(12): warning: `R2' used uninitialized\n"+
		"0100:fixme:d3d_shader:shader_glsl_handle_instruction Backend can't handle opcode setp.\n"+
		"0100:fixme:d3d_shader:shader_glsl_validate_link Program 3 link status invalid.\n"+
		"ok 1\r\nfailed 2: draw: 8876086c\r\nok 3\r\nok 4\r\n", results)
	if n != len(results) {
		t.Errorf("%d jobs have a status", n)
	}
	for i, want := range []string{"", "not translated: Backend can't handle opcode setp", "draw: 8876086c", ""} {
		if err := results[i].Err; (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("job %d: %v, want %q", i, err, want)
		}
	}
}

// The drawing program is started again only if it ended before the first job.
func TestDrawStartsAgain(t *testing.T) {
	for _, test := range []struct {
		name   string
		fails  int    // runs that end with an error
		prints string // output of each of them
		starts int
		works  bool
	}{
		{"at once", 0, "", 1, true},
		{"at the last attempt", startAttempts - 1, "", startAttempts, true},
		{"never", startAttempts, "no display", startAttempts, false},
		{"after a job", 1, "failed 0: draw: 8876086c", 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			wine := filepath.Join(dir, "wine")
			script := fmt.Sprintf("#!/bin/sh\necho x >>%[1]s/starts\n"+
				"[ $(wc -l <%[1]s/starts) -gt %[2]d ] || { echo '%[3]s'; exit 1; }\n"+
				"printf '\\0\\0\\200\\77' | tee 0.out >1.out\necho ok 0; echo ok 1\n", dir, test.fails, test.prints)
			if err := os.WriteFile(wine, []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			r := &Runner{dir: dir, tools: tools{wine: wine}}
			results, err := r.DrawJobs([]Job{{Vertex: []byte("a")}, {Vertex: []byte("b")}})
			if works := err == nil; works != test.works {
				t.Errorf("error: %v", err)
			}
			if test.works && (len(results) != 2 || results[1].Err != nil || len(results[1].Pixels) != 1 ||
				results[1].Pixels[0] != 1) {
				t.Errorf("results: %+v", results)
			}
			starts, err := os.ReadFile(filepath.Join(dir, "starts"))
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(starts), "x"); n != test.starts {
				t.Errorf("%d starts, want %d", n, test.starts)
			}
		})
	}
}
