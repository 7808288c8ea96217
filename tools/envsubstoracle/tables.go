package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"strconv"
)

// tables are all that the library's own tests expect.
type tables struct {
	Expand []expandCase `json:"expand"`
	Call   []callCase   `json:"call"`
	Parse  []parseCase  `json:"parse"`
}

type expandCase struct {
	Test   string            `json:"test"`
	Params map[string]string `json:"params"`
	Input  string            `json:"input"`
	Output string            `json:"output"`
	// The name of the expected error's variable.
	Error string `json:"error,omitempty"`
}

type callCase struct {
	Function string   `json:"function"`
	Args     []string `json:"args"`
	Want     string   `json:"want"`
}

type parseCase struct {
	Text string `json:"text"`
	Node *node  `json:"node"`
}

// node is a text, an expression or a list.
type node struct {
	Text *string `json:"text,omitempty"`
	// The variable of an expression.
	Name     *string `json:"name,omitempty"`
	Operator string  `json:"operator,omitempty"`
	Nodes    []*node `json:"nodes,omitempty"`
}

func writeTables(folder string, out io.Writer) error {
	var found tables
	for name, visit := range map[string]func(ast.Node) error{
		"eval_test.go":        found.expandCases,
		"funcs_test.go":       found.callCases,
		"parse/parse_test.go": found.parseCases,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, 0)
		if err != nil {
			return err
		}
		if err := visit(file); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return json.NewEncoder(out).Encode(found)
}

// expandCases takes the elements of every list of structs with a field "input", function by function.
func (t *tables) expandCases(file ast.Node) error {
	for _, declared := range file.(*ast.File).Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok {
			continue
		}
		err := elements(function, "input", func(fields map[string]ast.Expr) error {
			found := expandCase{Test: function.Name.Name, Params: map[string]string{}}
			var err error
			if found.Input, err = text(fields["input"]); err != nil {
				return err
			}
			if output := fields["output"]; output != nil {
				if found.Output, err = text(output); err != nil {
					return err
				}
			}
			if want, ok := fields["wantErr"].(*ast.Ident); ok && want.Name != "nil" {
				found.Error = want.Name
			}
			if params, ok := fields["params"].(*ast.CompositeLit); ok {
				for _, element := range params.Elts {
					pair := element.(*ast.KeyValueExpr)
					key, err := text(pair.Key)
					if err != nil {
						return err
					}
					if found.Params[key], err = text(pair.Value); err != nil {
						return err
					}
				}
			}
			t.Expand = append(t.Expand, found)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// callCases takes every `got, want := function("…", …), "…"`.
func (t *tables) callCases(file ast.Node) (err error) {
	ast.Inspect(file, func(at ast.Node) bool {
		assigned, ok := at.(*ast.AssignStmt)
		if !ok || len(assigned.Rhs) != 2 || err != nil {
			return true
		}
		call, ok := assigned.Rhs[0].(*ast.CallExpr)
		if !ok {
			return true
		}
		found := callCase{Function: call.Fun.(*ast.Ident).Name}
		for _, arg := range call.Args {
			var given string
			if given, err = text(arg); err != nil {
				return false
			}
			found.Args = append(found.Args, given)
		}
		if found.Want, err = text(assigned.Rhs[1]); err == nil {
			t.Call = append(t.Call, found)
		}
		return err == nil
	})
	return err
}

// parseCases takes the elements with a field "Text" and its tree.
func (t *tables) parseCases(file ast.Node) error {
	return elements(file, "Text", func(fields map[string]ast.Expr) error {
		given, err := text(fields["Text"])
		if err != nil {
			return err
		}
		tree, err := tree(fields["Node"])
		if err != nil {
			return err
		}
		t.Parse = append(t.Parse, parseCase{Text: given, Node: tree})
		return nil
	})
}

// elements visits the struct literals without a type of their own that have the field.
func elements(in ast.Node, field string, visit func(map[string]ast.Expr) error) (err error) {
	ast.Inspect(in, func(at ast.Node) bool {
		literal, ok := at.(*ast.CompositeLit)
		if !ok || literal.Type != nil || err != nil {
			return err == nil
		}
		fields := named(literal)
		if fields[field] == nil {
			return true
		}
		err = visit(fields)
		return false
	})
	return err
}

func named(literal *ast.CompositeLit) map[string]ast.Expr {
	fields := map[string]ast.Expr{}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok {
				fields[key.Name] = pair.Value
			}
		}
	}
	return fields
}

func text(of ast.Expr) (string, error) {
	literal, ok := of.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", fmt.Errorf("not a text: %T", of)
	}
	return strconv.Unquote(literal.Value)
}

// tree reads `&TextNode{…}`, `&FuncNode{…}` and `&ListNode{…}`.
func tree(of ast.Expr) (*node, error) {
	if address, ok := of.(*ast.UnaryExpr); ok {
		of = address.X
	}
	literal, ok := of.(*ast.CompositeLit)
	if !ok {
		return nil, fmt.Errorf("not a node: %T", of)
	}
	fields := named(literal)
	var found node
	var err error
	texts := map[string]func(string){
		"Value": func(value string) { found.Text = &value },
		"Param": func(value string) { found.Name = &value },
		"Name":  func(value string) { found.Operator = value },
	}
	for field, take := range texts {
		if value := fields[field]; value != nil {
			given, err := text(value)
			if err != nil {
				return nil, err
			}
			take(given)
		}
	}
	for _, field := range []string{"Args", "Nodes"} {
		list, ok := fields[field].(*ast.CompositeLit)
		if !ok {
			continue
		}
		for _, element := range list.Elts {
			var inner *node
			if inner, err = tree(element); err != nil {
				return nil, err
			}
			found.Nodes = append(found.Nodes, inner)
		}
	}
	return &found, nil
}
