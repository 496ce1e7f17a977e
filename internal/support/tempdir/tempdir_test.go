package tempdir

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// With this flag the test binary is a process that makes a folder there, says
// which, and waits to be killed.
var owner = flag.String("owner", "", "make a folder in this one instead of testing")

func TestMain(m *testing.M) {
	flag.Parse()
	if *owner != "" {
		d, err := newIn(*owner, time.Now())
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(filepath.Base(d.Path))
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		os.Exit(0) // without Remove, as if it had been killed
	}
	os.Exit(m.Run())
}

// start starts a process with a folder in parent and returns the folder's name.
func start(t *testing.T, parent string) (string, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-owner="+parent)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	name := ""
	if _, err := fmt.Fscan(out, &name); err != nil {
		t.Fatal(err)
	}
	return name, cmd
}

func names(t *testing.T, parent string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// Folders of live processes, of this one and of others, stay; those of dead ones
// go, whatever is in them; what is not of this program stays.
func TestDeadProcessesLeaveNothing(t *testing.T) {
	parent := t.TempDir()
	mine, err := newIn(parent, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	live, alive := start(t, parent)
	dead, killed := start(t, parent)
	if err := os.WriteFile(filepath.Join(parent, dead, "big"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(parent, dead, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	foreign := "carozero-other"
	if err := os.Mkdir(filepath.Join(parent, foreign), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // killed: that is no news
	second, err := newIn(parent, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	got := names(t, parent)
	for _, name := range []string{filepath.Base(mine.Path), live, foreign, filepath.Base(second.Path)} {
		if !slices.Contains(got, name) {
			t.Errorf("%s is gone", name)
		}
	}
	if len(got) != 4 {
		t.Errorf("left: %v; %s is of a dead process", got, dead)
	}
	if err := alive.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = alive.Wait() // killed: that is no news
	for _, d := range []*Dir{mine, second} {
		if err := d.Remove(); err != nil {
			t.Error(err)
		}
	}
}

// A folder without a lock may be of a process that is about to lock it.
func TestAFolderWithoutALockStaysForAWhile(t *testing.T) {
	parent := t.TempDir()
	bare := filepath.Join(parent, prefix+"bare")
	if err := os.Mkdir(bare, 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	sweep(parent, now)
	if got := names(t, parent); len(got) != 1 {
		t.Errorf("a fresh one: %v", got)
	}
	sweep(parent, now.Add(2*unlockedAge))
	if got := names(t, parent); len(got) != 0 {
		t.Errorf("an old one: %v", got)
	}
}

// A link with such a name is not followed, and its target not removed.
func TestLinksStay(t *testing.T) {
	parent, target := t.TempDir(), t.TempDir()
	if err := os.Symlink(target, filepath.Join(parent, prefix+"link")); err != nil {
		t.Fatal(err)
	}
	sweep(parent, time.Now().Add(2*unlockedAge))
	if len(names(t, parent)) != 1 || len(names(t, filepath.Dir(target))) == 0 {
		t.Error("the link or its target is gone")
	}
}
