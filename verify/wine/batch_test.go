package wine

import (
	"strings"
	"testing"
)

// A job that was drawn has failed all the same where Wine did not translate its programs, and
// only that one.
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
