package gamefiles

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// Reader hands out the lines of the games of several sources. It belongs to one
// goroutine.
type Reader struct {
	trees   *Trees
	variant games.Variant // of all games; until it is decided, the default
	decided string        // what decided: a path, or asked; "" while nothing has
	record  Record        // whose lines are handed out
	leaves  []int32       // that are left of it
	given   int           // lines of it
	failed  error
}

// asked decides the variant where the options do.
const asked = "the rule asked for"

// Open looks at the paths: files, runs of self-play, and folders of records, whose
// names end in .sgf, .psq or .lib.
// Each must exist; their contents are read by Next.
func Open(paths []string, o Options) (*Reader, error) {
	trees, err := OpenTrees(paths, o)
	if err != nil {
		return nil, err
	}
	return newReader(trees), nil
}

func newReader(t *Trees) *Reader {
	t.main = true
	r := &Reader{trees: t, variant: t.o.Variant}
	if t.o.Fixed {
		r.decided = asked
	}
	return r
}

// Expand returns the files that a path stands for, as Open takes it.
func Expand(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, disk.Cause(err))
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	_, err = os.Stat(filepath.Join(path, samples.ManifestName))
	if err == nil {
		list, err := samples.Sources(path)
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("%s: %w", path, ErrEmpty)
		}
		var files []string
		for _, s := range list {
			files = append(files, s.Path)
		}
		return files, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		switch record.ByExtension(e.Name()) {
		case record.Unknown, record.Text:
			continue
		}
		if e.Type().IsRegular() {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: want a run of self-play, with a %s, or a folder of .sgf, .psq or .lib files", path,
			samples.ManifestName)
	}
	return files, nil
}

// Next returns the next game, and io.EOF after the last one. Any other error
// ends the reader for good: it names the file and the line or game at fault.
func (r *Reader) Next() (g Game, err error) {
	for len(r.leaves) == 0 && r.failed == nil {
		r.failed = r.load()
	}
	if r.failed == nil {
		if g, r.failed = r.line(); r.failed == nil {
			return g, nil
		}
	}
	return Game{}, r.failed
}

// load reads the next record, and takes all lines of a library, the main line of
// others.
func (r *Reader) load() (err error) {
	if r.record, err = r.trees.step(); err != nil {
		return err
	}
	r.given, r.leaves = 0, r.leaves[:0]
	where, fixed := r.record.Path, r.trees.o.Fixed
	if r.record.Variant.Of() == nil {
		settled, err := NewRecord(r.record.Tree, r.record.Source, r.variant.Options(), false)
		if err != nil {
			return err
		}
		where, r.record.Variant = r.record.Source, settled.Variant
		if unknown := r.record.UnknownRule(); !fixed && unknown != "" {
			known := strings.Join(settled.Variant.Of().RuleSets, ", ")
			return fmt.Errorf("%s: unknown rule %q: the rules are %s; say which one it stands for", where, unknown, known)
		}
	}
	if r.decided == "" {
		r.variant, r.decided = r.record.Variant, where
	}
	if r.record.Variant != r.variant {
		return mixed(where, r.record.Variant, r.decided, r.variant)
	}
	r.trees.o.Variant = r.variant
	if note := r.trees.o.Note; note != nil {
		for _, text := range r.record.Notes(fixed) {
			note(text)
		}
	}
	if r.record.format != record.Lib {
		r.leaves = append(r.leaves, r.record.Tree.MainLeaf())
		return nil
	}
	for leaf := range r.record.Tree.Leaves() {
		if leaf == 0 {
			return fmt.Errorf("%s: %w", r.record.Path, ErrEmpty)
		}
		r.leaves = append(r.leaves, leaf)
	}
	return nil
}

// mixed refuses games that are of another variant than the one that was decided.
func mixed(path string, v games.Variant, decided string, is games.Variant) error {
	return fmt.Errorf("%s: its games are of %s, and %s is %s: want one rule and size in all inputs", path, v, decided, is)
}

// line returns the line to the next leaf.
func (r *Reader) line() (Game, error) {
	if r.given++; r.record.format == record.Lib {
		r.record.Source = fmt.Sprintf("%s, line %d", r.record.Path, r.given)
	}
	g, last, err := r.record.line(r.leaves[0], -1)
	r.leaves = r.leaves[1:]
	if err == nil {
		err = g.conclude(last)
	}
	return g, r.record.wrap(err)
}

// Variant returns the variant of the games read so far; before the first one,
// what the options say.
func (r *Reader) Variant() games.Variant { return r.variant }

// Close frees the open file, if there is one. It may be called at any time.
func (r *Reader) Close() error { return r.trees.Close() }

// ErrEmpty is wrapped by the error for a source that holds no game.
var ErrEmpty = errors.New("no games or positions in it")

// Trees hands out the games of several sources as the records that they are, with
// variations and comments, and whatever rules they break. Each may be of its own
// rule and size. It belongs to one goroutine.
type Trees struct {
	o     Options
	main  bool // only of a library the variations
	paths []string
	path  string
	file  io.Closer
	next  func() (Record, error) // of the open file, without a variant that is not its own; nil between two
	found bool                   // the open file has given one
}

// OpenTrees looks at the paths as Open does. With Fixed, what records say of their rule is
// set aside.
func OpenTrees(paths []string, o Options) (*Trees, error) {
	if len(paths) == 0 {
		return nil, errors.New("no input given")
	}
	t := &Trees{o: o}
	for _, path := range paths {
		files, err := Expand(path)
		if err != nil {
			return nil, err
		}
		files = slices.DeleteFunc(files, func(file string) bool { return file != path && disk.Same(file, o.Out) })
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: %w beside %s, which is written", path, ErrEmpty, o.Out)
		}
		t.paths = append(t.paths, files...)
	}
	return t, nil
}

// Next returns the next game, and io.EOF after the last one. Other errors name the
// file and the place. One about the variant alone comes with the tree, and others may follow.
func (t *Trees) Next() (Record, error) {
	r, err := t.step()
	if err != nil || r.Variant.Of() != nil {
		return r, err
	}
	settle := NewRecord
	if t.o.AnyGame {
		settle = AnyRecord
	}
	settled, err := settle(r.Tree, r.Source, t.o.Variant.Options(), t.o.Fixed)
	r.Variant = settled.Variant
	return r, err
}

// step returns the next game, of no variant if its file is of none itself.
func (t *Trees) step() (Record, error) {
	for {
		if t.next == nil {
			if len(t.paths) == 0 {
				return Record{}, io.EOF
			}
			t.path, t.paths, t.found = t.paths[0], t.paths[1:], false
			if err := t.open(); err != nil {
				return Record{}, err
			}
		}
		r, err := t.next()
		if !errors.Is(err, io.EOF) {
			t.found = true
			return r, err
		}
		t.next = nil
		if err := t.Close(); err != nil {
			return Record{}, err
		}
		if !t.found {
			return Record{}, fmt.Errorf("%s: %w", t.path, ErrEmpty)
		}
	}
}

// Close frees the open file, if there is one. It may be called at any time.
func (t *Trees) Close() error {
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	t.file = nil
	return err
}

// open opens t.path, whose kind its first bytes tell.
func (t *Trees) open() error {
	f, err := disk.Open(t.path)
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	t.file = f
	in := bufio.NewReaderSize(f, 1<<16)
	head, err := in.Peek(record.HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !IsShard(head) {
		return t.read(in, record.Detect(head), t.o.AnyGame && Dealt(head))
	}
	if err := t.Close(); err != nil {
		return err
	}
	s, err := OpenShard(t.path)
	if err == nil && t.o.Fixed && s.Variant != t.o.Variant {
		err = mixed(t.path, s.Variant, asked, t.o.Variant)
	}
	if err != nil {
		return err
	}
	var scores map[uint64][]float64
	if t.o.Scores {
		scores = scoresOf(s.Shard)
	}
	i := -1
	t.next = func() (Record, error) {
		if i++; i == len(s.Header.Games) {
			return Record{}, io.EOF
		}
		return s.game(i, scores)
	}
	return nil
}

// read makes in, of a format, what is read next; dealt says that its games are of cards, whatever the options say.
func (t *Trees) read(in io.Reader, f record.Format, dealt bool) error {
	if f == record.Unknown {
		return fmt.Errorf("%s: want a sample shard, an SGF, psq or lib file or a list of positions; its bytes are none of "+
			"these", t.path)
	}
	of := t.o.Variant
	if dealt {
		v, err := games.NewVariant(games.VariantOptions{Game: games.GameOf(false)})
		if err != nil {
			return err
		}
		of = v
	}
	o := ReadOptions(of)
	o.Charset, o.MainLine = t.o.Charset, t.main && f != record.Lib
	trees, err := record.NewReader(in, f, o)
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	t.next = func() (Record, error) {
		if !dealt {
			trees.SetSize(ReadOptions(t.o.Variant).Size)
		}
		tree, err := trees.Next()
		r := Record{Tree: tree, Path: t.path, Source: t.path, format: f}
		var at *record.Error
		switch {
		case errors.Is(err, io.EOF):
			return r, io.EOF
		case errors.As(err, &at) && at.Line > 0:
			return r, fmt.Errorf("%s:%d: %w", t.path, at.Line, at.Err)
		case at != nil:
			return r, fmt.Errorf("%s: byte %d: %w", t.path, at.Byte, at.Err)
		case err != nil:
			return r, r.wrap(err)
		case f == record.SGF || f == record.Text:
			r.Source = fmt.Sprintf("%s:%d", t.path, tree.Line)
		}
		return r, nil
	}
	return nil
}

// Head returns the beginning of a file, by which the kind of what is in it is known.
func Head(path string) ([]byte, error) {
	file, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, record.HeadBytes))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, disk.Cause(err))
	}
	return head, nil
}

// IsShard reports whether a file that begins so is a sample shard: it is compressed by
// zstd (RFC 8878, 3.1.1).
func IsShard(head []byte) bool { return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) }

// Shard is a sample shard, whose games are records.
type Shard struct {
	*samples.Shard
	Path    string
	Variant games.Variant
}

// OpenShard reads a sample shard.
func OpenShard(path string) (*Shard, error) {
	shard, err := samples.ReadFile(path)
	if err != nil {
		return nil, err
	}
	v, err := selfplay.SampleVariant(&shard.Header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Shard{shard, path, v}, nil
}

// Game returns a game of the shard. Its moves are not yet replayed.
func (s *Shard) Game(i int) (Record, error) { return s.game(i, nil) }

// game is Game with the scores of the searches by game and move, for the side to move, NaN
// where there was none; it changes them to those for the first player.
func (s *Shard) game(i int, searched map[uint64][]float64) (Record, error) {
	g := &s.Header.Games[i]
	r := Record{Path: s.Path, Source: fmt.Sprintf("%s, game %d", s.Path, g.ID)}
	outcome, known := game.ParseOutcome(g.Result)
	if !known {
		return r, r.wrap(fmt.Errorf("result %q: want first, second or draw", record.Excerpt(g.Result)))
	}
	start, moves, err := s.Variant.ParseGame(g.Moves)
	if err != nil {
		return r, r.wrap(err)
	}
	_, from, err := s.Variant.ParseGame(g.From)
	if err != nil || len(from) > len(moves) {
		return r, r.wrap(fmt.Errorf("from %q is no beginning of the moves", record.Excerpt(g.From)))
	}
	path, source := r.Path, r.Source
	r = Begin(s.Variant, start)
	r.Opening, r.Reason, r.Path, r.Source = len(from), g.Reason, path, source
	r.Tree.SetOutcome(outcome, g.Reason)
	scores := searched[g.ID]
	for i := range scores {
		if (int(start.ToMove())+i)%2 == int(game.Second) {
			scores[i] = -scores[i]
		}
	}
	_, err = r.Tree.Extend(0, start.ToMove(), moves, scores)
	return r, r.wrap(err)
}

// claimed is the score that stands for a search's claim of a win.
const claimed = 30_000

// scoresOf returns the scores of the searches of a shard of the classical engine by game
// and move, for the side to move, NaN where there was none; nil for another player's shard.
func scoresOf(s *samples.Shard) map[uint64][]float64 {
	scale, _ := s.Header.Search.Get("score_scale")
	units, ok := scale.(float64)
	if !ok {
		return nil
	}
	list := map[uint64][]float64{}
	for i := range s.Columns.Rows {
		id, ply := s.Header.Games[s.Columns.Game[i]].ID, int(s.Columns.Ply[i])
		for len(list[id]) <= ply {
			list[id] = append(list[id], math.NaN())
		}
		q := float64(s.Columns.RootQ[i])
		list[id][ply] = max(-claimed, min(claimed, units*math.Log((1+q)/(1-q))))
	}
	return list
}
