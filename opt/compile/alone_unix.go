//go:build unix

package compile

import (
	"os/exec"
	"syscall"
)

// alone makes c and the processes that it starts a group. The group ends with the context of c, and with end.
func alone(c *exec.Cmd) (end func()) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	return func() {
		if c.Process != nil {
			_ = c.Cancel() // fails if no process is left
		}
	}
}
