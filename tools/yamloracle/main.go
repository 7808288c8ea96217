// Command yamloracle answers how Kubernetes' own YAML libraries read and write a text, so that Towpath's
// reader and writer can be compared with them.
//
// In: one JSON request per line, {"op": "decode" | "encode", "data": base64}. Out: one JSON answer per line.
//
// decode cuts the text into parts at `---` lines, as kubectl does, and turns each part into JSON:
// {"parts": [{"json": text} or {"error": …}]}. A part also says how many documents go-yaml sees in it when it
// reads on behind the first one ("documents", or "stream_error"), because kubectl ignores those, and whether
// the strict reader refuses it ("strict_error"), which it does for keys that are written twice.
//
// encode turns JSON into YAML: {"yaml": base64} or {"error": …}.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	goyaml "go.yaml.in/yaml/v2"
	"sigs.k8s.io/yaml"
)

type request struct {
	Op   string `json:"op"`
	Data []byte `json:"data"`
}

type part struct {
	JSON        string `json:"json,omitempty"`
	Error       string `json:"error,omitempty"`
	StrictError string `json:"strict_error,omitempty"`
	Documents   int    `json:"documents"`
	StreamError string `json:"stream_error,omitempty"`
}

type answer struct {
	Parts []part `json:"parts,omitempty"`
	YAML  []byte `json:"yaml,omitempty"`
	Error string `json:"error,omitempty"`
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "yamloracle:", err)
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

// reply answers one request; a panic in the library is an answer too.
func reply(asked request) (given answer) {
	defer func() {
		if cause := recover(); cause != nil {
			given = answer{Error: fmt.Sprint("panic: ", cause)}
		}
	}()
	switch asked.Op {
	case "decode":
		for _, text := range split(asked.Data) {
			given.Parts = append(given.Parts, decode(text))
		}
		return given
	case "encode":
		text, err := yaml.JSONToYAML(asked.Data)
		if err != nil {
			return answer{Error: err.Error()}
		}
		return answer{YAML: text}
	default:
		return answer{Error: "unknown op " + asked.Op}
	}
}

// split cuts a text at lines that are `---`, alone or with a comment.
func split(data []byte) [][]byte {
	var parts [][]byte
	var current []byte
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		if end == 0 {
			end = len(data)
		}
		line := data[:end]
		data = data[end:]
		if rest, found := bytes.CutPrefix(line, []byte("---")); found {
			after := strings.TrimSpace(string(rest))
			if (after == "" || after[0] == '#') && len(current) > 0 {
				parts = append(parts, current)
				current = nil
				continue
			}
		}
		current = append(current, line...)
	}
	if len(current) > 0 {
		parts = append(parts, current)
	}
	return parts
}

func decode(text []byte) part {
	var result part
	if value, err := yaml.YAMLToJSON(text); err != nil {
		result.Error = err.Error()
	} else {
		result.JSON = string(value)
	}
	if _, err := yaml.YAMLToJSONStrict(text); err != nil {
		result.StrictError = err.Error()
	}
	stream := goyaml.NewDecoder(bytes.NewReader(text))
	for {
		var value interface{}
		if err := stream.Decode(&value); errors.Is(err, io.EOF) {
			return result
		} else if err != nil {
			result.StreamError = err.Error()
			return result
		}
		result.Documents++
	}
}
