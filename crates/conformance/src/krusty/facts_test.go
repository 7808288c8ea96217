package krusty_test

import (
	"encoding/json"
	"os"
	"sort"
	"testing"

	"sigs.k8s.io/kustomize/api/internal/plugins/builtinconfig"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestWriteFacts writes the default field tables and the scopes of the built-in kinds.
func TestWriteFacts(t *testing.T) {
	type scope struct {
		APIVersion, Kind string
		Namespaced       bool
	}
	var scopes []scope
	for _, definition := range openapi.Schema().Definitions {
		kinds, _ := definition.Extensions["x-kubernetes-group-version-kind"].([]interface{})
		for _, kind := range kinds {
			field := func(name string) string {
				value, _ := kind.(map[string]interface{})[name].(string)
				return value
			}
			apiVersion := field("version")
			if group := field("group"); group != "" {
				apiVersion = group + "/" + apiVersion
			}
			meta := yaml.TypeMeta{APIVersion: apiVersion, Kind: field("kind")}
			if namespaced, found := openapi.IsNamespaceScoped(meta); found {
				scopes = append(scopes, scope{meta.APIVersion, meta.Kind, namespaced})
			}
		}
	}
	sort.Slice(scopes, func(i, j int) bool {
		return scopes[i].APIVersion+" "+scopes[i].Kind < scopes[j].APIVersion+" "+scopes[j].Kind
	})
	facts, err := json.Marshal(map[string]interface{}{
		"config": builtinconfig.MakeDefaultConfig(), "scopes": scopes,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("KRUSTY_FACTS"), facts, 0o644); err != nil {
		t.Fatal(err)
	}
}
