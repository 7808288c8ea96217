// Command envsubstoracle answers what Flux's substitution library makes of a text, so that Towpath's can be
// compared with it.
//
// Without arguments: one JSON request per line, {"text": base64, "variables": {name: base64}, "strict": bool},
// one JSON answer per line, {"text": base64} or {"error": …} or {"panic": …}.
//
// `envsubstoracle tables FOLDER`: the tables in the tests of the library whose source is in that folder, as JSON.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fluxcd/pkg/envsubst"
)

type request struct {
	Text      []byte            `json:"text"`
	Variables map[string][]byte `json:"variables"`
	Strict    bool              `json:"strict"`
}

type answer struct {
	Text  []byte `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
	Panic string `json:"panic,omitempty"`
}

func main() {
	var err error
	if len(os.Args) == 3 && os.Args[1] == "tables" {
		err = writeTables(os.Args[2], os.Stdout)
	} else {
		err = serve(os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "envsubstoracle:", err)
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
			return writer.Flush()
		} else if err != nil {
			return err
		}
		if err := answers.Encode(reply(asked)); err != nil {
			return err
		}
	}
}

func reply(asked request) (given answer) {
	defer func() {
		if cause := recover(); cause != nil {
			given = answer{Panic: fmt.Sprint(cause)}
		}
	}()
	text, err := envsubst.Eval(string(asked.Text), func(name string) (string, bool) {
		value, exists := asked.Variables[name]
		return string(value), exists || !asked.Strict
	})
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Text: []byte(text)}
}
