//go:build unix

package gomocup

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// When the process that plays is killed, the programs that it started go, and
// what these have started, guards included: all of them hold a pipe, which ends
// with the last of them.
func TestProgramsDieWithTheirOwner(t *testing.T) {
	held, holder, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	owner := exec.Command(os.Args[0], "-child=owner")
	owner.ExtraFiles = []*os.File{holder}
	out, err := owner.StdoutPipe()
	if err == nil {
		err = owner.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	holder.Close()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "MESSAGE ready <nil>\n" {
		t.Errorf("the owner says %q, %v", line, err)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // killed: that is no news
	if err := held.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(held); err != nil || len(text) > 0 {
		t.Errorf("programs are left a minute after their owner's death: %q, %v", text, err)
	}
}
