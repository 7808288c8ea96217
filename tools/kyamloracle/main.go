// Command kyamloracle answers how kustomize's libraries read, merge, patch and write, so that Towpath can be
// compared with them.
//
// `kyamloracle facts` prints what the built-in schema says about merging; see facts.go.
//
// Otherwise: one JSON request per line in, {"op": …, "data": base64, "patch": base64, …}, one JSON answer per
// line out.
//
//	read      data as resources: {"nodes": [{"tree": …, "yaml": text} or {"tree": …, "error": …}]}
//	values    data as sigs.k8s.io/yaml reads it: {"json": text}
//	merge     patch into data, "behind": new items go behind the old ones, "infer": keys are guessed
//	json6902  patch on data
//	text      data as go-yaml v3 writes it again
//
// merge, json6902 and text answer {"yaml": text}. Any of them may answer {"error": …}.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"sigs.k8s.io/kustomize/api/filters/patchjson6902"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"
	"sigs.k8s.io/kustomize/kyaml/yaml/walk"
	k8syaml "sigs.k8s.io/yaml"
)

type request struct {
	Op     string `json:"op"`
	Data   []byte `json:"data"`
	Patch  []byte `json:"patch"`
	Behind bool   `json:"behind"`
	Infer  bool   `json:"infer"`
}

type read struct {
	Tree  []interface{} `json:"tree"`
	YAML  string        `json:"yaml"`
	Error string        `json:"error"`
}

type answer struct {
	Nodes []read `json:"nodes,omitempty"`
	JSON  string `json:"json,omitempty"`
	YAML  string `json:"yaml,omitempty"`
	Error string `json:"error,omitempty"`
}

func main() {
	run := func() error { return serve(os.Stdin, os.Stdout) }
	if len(os.Args) == 2 && os.Args[1] == "facts" {
		run = func() error { return facts(os.Stdout) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "kyamloracle:", err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer) error {
	requests := json.NewDecoder(bufio.NewReaderSize(in, 1<<20))
	writer := bufio.NewWriter(out)
	answers := json.NewEncoder(writer)
	for {
		var asked request
		if err := requests.Decode(&asked); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(reply(asked)); err != nil {
			return err
		}
		if err := writer.Flush(); err != nil {
			return err
		}
	}
}

// reply answers one request; a panic in a library is an answer too.
func reply(asked request) (given answer) {
	defer func() {
		if cause := recover(); cause != nil {
			given = answer{Error: fmt.Sprint("panic: ", cause)}
		}
	}()
	var err error
	switch asked.Op {
	case "read":
		given.Nodes, err = readAll(asked.Data)
	case "values":
		var text []byte
		text, err = k8syaml.YAMLToJSON(asked.Data)
		given.JSON = string(text)
	case "merge":
		given.YAML, err = merge(asked)
	case "json6902":
		given.YAML, err = patch(asked)
	case "text":
		var node *yaml.RNode
		if node, err = yaml.Parse(string(asked.Data)); err == nil {
			given.YAML, err = node.String()
		}
	default:
		err = fmt.Errorf("unknown op %s", asked.Op)
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	return given
}

func nodes(data []byte) ([]*yaml.RNode, error) {
	reader := kio.ByteReader{
		Reader:                bytes.NewReader(data),
		OmitReaderAnnotations: true,
		AnchorsAweigh:         true,
		DisableUnwrapping:     true,
	}
	return reader.Read()
}

func readAll(data []byte) ([]read, error) {
	found, err := nodes(data)
	if err != nil {
		return nil, err
	}
	all := []read{}
	for _, node := range found {
		one := read{Tree: tree(node.YNode())}
		if text, err := write(node); err != nil {
			one.Error = err.Error()
		} else {
			one.YAML = text
		}
		all = append(all, one)
	}
	return all, nil
}

// tree is a node as [kind, tag, style, value, line, [children]].
func tree(node *yaml.Node) []interface{} {
	children := []interface{}{}
	for _, child := range node.Content {
		children = append(children, tree(child))
	}
	return []interface{}{node.Kind, node.ShortTag(), node.Style, node.Value, node.Line, children}
}

// write is what kustomize prints for a resource.
func write(node *yaml.RNode) (string, error) {
	text, err := node.MarshalJSON()
	if err != nil {
		return "", err
	}
	text, err = k8syaml.JSONToYAML(text)
	return string(text), err
}

func one(data []byte) (*yaml.RNode, error) {
	found, err := nodes(data)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d documents", len(found))
	}
	return found[0], nil
}

func merge(asked request) (string, error) {
	target, err := one(asked.Data)
	if err != nil {
		return "", err
	}
	patch, err := one(asked.Patch)
	if err != nil {
		return "", err
	}
	options := yaml.MergeOptions{ListIncreaseDirection: yaml.MergeOptionsListPrepend}
	if asked.Behind {
		options.ListIncreaseDirection = yaml.MergeOptionsListAppend
	}
	result, err := walk.Walker{
		Sources:               []*yaml.RNode{target, patch},
		Visitor:               merge2.Merger{},
		InferAssociativeLists: asked.Infer,
		MergeOptions:          options,
	}.Walk()
	if err != nil || result == nil {
		return "", err
	}
	return write(result)
}

func patch(asked request) (string, error) {
	target, err := one(asked.Data)
	if err != nil {
		return "", err
	}
	patched, err := patchjson6902.Filter{Patch: string(asked.Patch)}.Filter([]*yaml.RNode{target})
	if err != nil {
		return "", err
	}
	return write(patched[0])
}
