package foreign

import (
	"encoding/binary"
	"strings"
	"testing"
)

// container has chunks of such names, one word each, and says of the last that it is behind the end where it is missing.
func container(chunks ...string) string {
	b := []byte("DXBC................\x01\x00\x00\x00....")
	b = binary.LittleEndian.AppendUint32(b, uint32(len(chunks)))
	var body string
	at := len(b) + 4*len(chunks)
	for _, c := range chunks {
		b = binary.LittleEndian.AppendUint32(b, uint32(at+len(body)))
		if body += c; c == "" {
			binary.LittleEndian.PutUint32(b[len(b)-4:], 0xffffffff)
		}
	}
	return string(b) + body
}

// A container with a part for Direct3D 9 is named for it, and one that is damaged is one like others.
func TestLevel9(t *testing.T) {
	whole := container("SHDR", "Aon9")
	for data, want := range map[string]bool{
		whole: true, container("Aon9"): true, container("SHDR"): false, container("SHDR", ""): false,
		container(): false, whole[:len(whole)-1]: false, whole[:30]: false, whole[:34]: false, "DXBC": false,
	} {
		if got := Check("a.cso", []byte(data)).Error(); strings.Contains(got, "Aon9") != want || !strings.Contains(got, "fxc /T") {
			t.Errorf("%q is called %s", data, got)
		}
	}
}
