package containers_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/containers"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// fnaEffect reads the effect in a plain file like FNA (ContentManager, ContentReader,
// ContentTypeReaderManager and EffectReader): it follows the prefixes of each part and ignores the
// length of the file.
func fnaEffect(data []byte) ([]byte, error) {
	r := bufio.NewReader(bytes.NewReader(data))
	var head struct {
		Magic                    [3]byte
		Platform, Version, Flags byte
		Length                   int32
	}
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil {
		return nil, err
	}
	if string(head.Magic[:]) != "XNB" || !strings.ContainsRune("wxmiadXWnuMprPgl", rune(head.Platform)) ||
		head.Version != 4 && head.Version != 5 || head.Flags&0x80 != 0 {
		return nil, fmt.Errorf("a header of %v", head)
	}
	number := func() int { // 7 bits in each byte
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return -1
		}
		return int(n)
	}
	bytesOf := func(n int) []byte {
		b, _ := io.ReadAll(io.LimitReader(r, int64(n)))
		return b
	}
	var readers []string
	for range number() {
		readers = append(readers, string(bytesOf(number())))
		bytesOf(4) // its version
	}
	shared, which := number(), number()
	if shared != 0 || which < 1 || which > len(readers) ||
		!strings.HasPrefix(readers[which-1], "Microsoft.Xna.Framework.Content.EffectReader") {
		return nil, fmt.Errorf("%d shared resources, reader %d of %q", shared, which, readers)
	}
	n := binary.LittleEndian.Uint32(append(bytesOf(4), 0, 0, 0, 0))
	effect := bytesOf(int(n))
	if len(effect) != int(n) {
		return nil, fmt.Errorf("%d bytes of %d", len(effect), n)
	}
	return effect, nil
}

// TestFNA checks that effects of the corpus survive each kind of content file, and that a reader
// like FNA's accepts files with a replaced effect.
func TestFNA(t *testing.T) {
	paths, _ := filepath.Glob(testcorpus.Path(t, "corpus/d3d9/effects") + "/*.efb")
	if len(paths) == 0 {
		t.Fatal("no effects")
	}
	last := []byte("another effect")
	for _, path := range paths {
		effect, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		plain := body(string(effect), effectReader)
		for kind, data := range map[string][]byte{
			"plain": file(0x01, plain, 0),
			"LZX":   file(0x81, stored(plain), len(plain)),
			"LZ4":   file(0x41, lz4Packed(plain), len(plain)),
		} {
			f, err := containers.Decode(path, data)
			if err != nil || !bytes.Equal(f.Effect, effect) {
				t.Fatalf("%s, %s: %v", path, kind, err)
			}
			f.Effect = last
			if got, err := fnaEffect(containers.Encode(f)); err != nil || !bytes.Equal(got, last) {
				t.Errorf("%s, %s: FNA reads %d bytes: %v", path, kind, len(got), err)
			}
		}
		last = effect
	}
}
