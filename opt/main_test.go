package opt

import (
	"fmt"
	"os"
	"testing"
)

// The tests run in the root folder of the repository, which has testdata and the corpus beside it.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
