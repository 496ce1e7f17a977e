package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Mutant is one small change of one file.
type Mutant struct {
	Key
	Line   int    // of the change, from 1
	offset int    // in bytes, of what is replaced
	end    int    // just after it
	text   string // stands there instead
}

// Key says what a mutant changes where, in words that an edit elsewhere in the file
// leaves as they are.
type Key struct {
	File   string `json:"file"`   // relative to the module's root, with slashes
	Func   string `json:"func"`   // function or Type.Method; "" outside of any
	Before string `json:"before"` // the lines that are changed, as one
	After  string `json:"after"`
}

// String returns a mutant as a reader looks it up: file:line: before → after.
func (m *Mutant) String() string {
	after := m.After
	if after == "" {
		after = "(left out)"
	}
	return fmt.Sprintf("%s:%d: %s → %s", m.File, m.Line, m.Before, after)
}

// apply returns the file with the change.
func (m *Mutant) apply(source []byte) []byte {
	return slices.Concat(source[:m.offset], []byte(m.text), source[m.end:])
}

// Mutants returns the mutants of a file, in the order of the file. Files that say
// that they are generated have none.
func Mutants(name string, source []byte) ([]Mutant, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	f := &finder{name: name, source: source, file: fset.File(file.FileStart)}
	ast.PreorderStack(file, nil, f.visit)
	slices.SortStableFunc(f.found, func(a, b Mutant) int { return cmp.Compare(a.offset, b.offset) })
	return f.found, nil
}

// Shuffle puts mutants into the order in which a seed draws them. Of each line one
// comes first, and only after all lines have had theirs the others: mutants of one
// line tell much the same.
func Shuffle(all []Mutant, pkg string, seed uint64) []Mutant {
	hash := fnv.New64a()
	hash.Write([]byte(pkg))
	rng := rand.New(rand.NewPCG(seed, hash.Sum64()))
	all = slices.Clone(all)
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	type line struct {
		file   string
		number int
	}
	seen := map[line]bool{}
	var first, rest []Mutant
	for _, m := range all {
		if l := (line{m.File, m.Line}); !seen[l] {
			seen[l] = true
			first = append(first, m)
		} else {
			rest = append(rest, m)
		}
	}
	return append(first, rest...)
}

// finder collects the mutants of a file.
type finder struct {
	name   string
	source []byte
	file   *token.File
	fn     string // the function that is looked at
	found  []Mutant
}

// add notes that the source from pos to end could be text.
func (f *finder) add(pos, end token.Pos, text string) {
	m := Mutant{Line: f.file.Line(pos), offset: f.file.Offset(pos), end: f.file.Offset(end), text: text}
	from := f.file.Offset(f.file.LineStart(m.Line))
	to := len(f.source)
	if last := f.file.Line(end); last < f.file.LineCount() {
		to = f.file.Offset(f.file.LineStart(last + 1))
	}
	m.Key = Key{
		File: f.name, Func: f.fn, Before: oneLine(f.source[from:to]),
		After: oneLine(slices.Concat(f.source[from:m.offset], []byte(text), f.source[m.end:to])),
	}
	f.found = append(f.found, m)
}

func oneLine(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }

// replace notes that a node could be a text.
func (f *finder) replace(n ast.Node, text string) { f.add(n.Pos(), n.End(), text) }

// operator notes that an operator could be others.
func (f *finder) operator(at token.Pos, from token.Token, to ...token.Token) {
	for _, op := range to {
		f.add(at, at+token.Pos(len(from.String())), op.String())
	}
}

func (f *finder) textOf(n ast.Node) string {
	return string(f.source[f.file.Offset(n.Pos()):f.file.Offset(n.End())])
}

// visit finds the mutants of a node, and says whether to look at what is in it.
func (f *finder) visit(n ast.Node, stack []ast.Node) bool {
	var parent ast.Node
	if len(stack) > 0 {
		parent = stack[len(stack)-1]
	}
	if len(stack) == 1 {
		f.fn = ""
	}
	switch n := n.(type) {
	case *ast.FuncDecl:
		f.fn = funcName(n)
	case *ast.ImportSpec, *ast.ArrayType, *ast.StructType, *ast.InterfaceType, *ast.FuncType:
		return false // types, whose changes do not compile
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			f.add(n.Pos(), n.X.Pos(), "")
		}
	case *ast.BasicLit:
		f.number(n, parent)
	case *ast.Ident:
		f.ident(n, parent)
	case *ast.CallExpr:
		return !panics(n)
	case *ast.IfStmt:
		f.condition(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			f.condition(n.Cond)
		}
	case *ast.ReturnStmt:
		f.returns(n)
	case ast.Stmt:
		f.statement(n, parent)
	}
	return true
}

// funcName returns the name of a function, or of a method as Type.Method.
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.IndexListExpr:
			t = of.X
		case *ast.Ident:
			return of.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

// panics reports whether a call panics; no test has to check the words.
func panics(call *ast.CallExpr) bool {
	fun, ok := call.Fun.(*ast.Ident)
	return ok && fun.Name == "panic"
}

// others are the operators that could stand in the place of one.
var others = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ},
	token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ},
	token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ},
	token.NEQ: {token.EQL},

	token.LAND: {token.LOR},
	token.LOR:  {token.LAND},

	token.ADD:     {token.SUB},
	token.SUB:     {token.ADD},
	token.MUL:     {token.QUO},
	token.QUO:     {token.MUL},
	token.REM:     {token.MUL},
	token.SHL:     {token.SHR},
	token.SHR:     {token.SHL},
	token.AND:     {token.OR},
	token.OR:      {token.AND},
	token.XOR:     {token.AND},
	token.AND_NOT: {token.AND},

	token.ADD_ASSIGN:     {token.SUB_ASSIGN},
	token.SUB_ASSIGN:     {token.ADD_ASSIGN},
	token.MUL_ASSIGN:     {token.QUO_ASSIGN},
	token.QUO_ASSIGN:     {token.MUL_ASSIGN},
	token.SHL_ASSIGN:     {token.SHR_ASSIGN},
	token.SHR_ASSIGN:     {token.SHL_ASSIGN},
	token.AND_ASSIGN:     {token.OR_ASSIGN},
	token.OR_ASSIGN:      {token.AND_ASSIGN},
	token.XOR_ASSIGN:     {token.AND_ASSIGN},
	token.AND_NOT_ASSIGN: {token.AND_ASSIGN},

	token.INC: {token.DEC},
	token.DEC: {token.INC},
}

func (f *finder) binary(n *ast.BinaryExpr) {
	if n.Op == token.ADD && (text(n.X) || text(n.Y)) {
		return
	}
	f.operator(n.OpPos, n.Op, others[n.Op]...)
}

// text reports whether an expression is plainly a string.
func text(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BasicLit:
		return x.Kind == token.STRING
	case *ast.BinaryExpr:
		return x.Op == token.ADD && (text(x.X) || text(x.Y))
	}
	return false
}

// number notes a number's neighbours.
func (f *finder) number(n *ast.BasicLit, parent ast.Node) {
	if capacity(n, parent) {
		return
	}
	switch n.Kind {
	case token.INT:
		if v, err := strconv.ParseUint(n.Value, 10, 63); err == nil {
			f.replace(n, strconv.FormatUint(v+1, 10))
			if v > 0 {
				f.replace(n, strconv.FormatUint(v-1, 10))
			}
			return
		}
		f.replace(n, "("+n.Value+" + 1)")
		f.replace(n, "("+n.Value+" - 1)")
	case token.FLOAT:
		f.replace(n, "("+n.Value+" + 1)")
		f.replace(n, "("+n.Value+" - 1)")
	}
}

// capacity reports whether n is the capacity given to make, which changes only the speed.
func capacity(n ast.Node, parent ast.Node) bool {
	call, ok := parent.(*ast.CallExpr)
	if !ok {
		return false
	}
	fun, ok := call.Fun.(*ast.Ident)
	return ok && fun.Name == "make" && len(call.Args) == 3 && call.Args[2] == n
}

// ident notes the opposites of words.
func (f *finder) ident(n *ast.Ident, parent ast.Node) {
	if to, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
		f.replace(n, to)
	}
	if call, ok := parent.(*ast.CallExpr); ok && call.Fun == n {
		if to, ok := map[string]string{"min": "max", "max": "min"}[n.Name]; ok {
			f.replace(n, to)
		}
	}
}

// condition notes that a condition could be its opposite. That of a comparison has
// been noted as another operator.
func (f *finder) condition(x ast.Expr) {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		if x.Op != token.LAND && x.Op != token.LOR {
			return
		}
	case *ast.UnaryExpr:
		return
	}
	f.replace(x, "!("+f.textOf(x)+")")
}

// returns notes that two results could change places.
func (f *finder) returns(n *ast.ReturnStmt) {
	if len(n.Results) != 2 || f.textOf(n.Results[0]) == f.textOf(n.Results[1]) {
		return
	}
	a, b := n.Results[0], n.Results[1]
	f.add(a.Pos(), b.End(), f.textOf(b)+", "+f.textOf(a))
}

// statement notes that a statement could be missing.
func (f *finder) statement(n ast.Stmt, parent ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		f.operator(n.TokPos, n.Tok, others[n.Tok]...)
	case *ast.IncDecStmt:
		f.operator(n.TokPos, n.Tok, others[n.Tok]...)
	}
	switch parent := parent.(type) {
	case *ast.CommClause:
		if parent.Comm == n {
			return // without its communication the case does not compile
		}
	case *ast.ForStmt:
		if parent.Post == n {
			return // the loop would not end
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		f.assign(n)
	case *ast.IncDecStmt:
		f.replace(n, "")
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); !ok || !panics(call) {
			f.replace(n, "")
		}
	case *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
		f.replace(n, "")
	case *ast.BranchStmt:
		if n.Tok == token.BREAK || n.Tok == token.CONTINUE {
			f.replace(n, "")
		}
	}
}

// assign notes that an assignment could be missing; what it reads is still read, so
// that the rest compiles.
func (f *finder) assign(n *ast.AssignStmt) {
	if n.Tok == token.DEFINE {
		return
	}
	blanks := 0
	for _, x := range n.Lhs {
		if id, ok := x.(*ast.Ident); ok && id.Name == "_" {
			blanks++
		}
	}
	if blanks < len(n.Lhs) {
		f.add(n.Pos(), n.TokPos+token.Pos(len(n.Tok.String())), strings.Repeat("_, ", len(n.Lhs)-1)+"_ =")
	}
}
