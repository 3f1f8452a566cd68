package main

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// A knownKind is one whose schema the server publishes.
type knownKind struct {
	Group    string       `json:"group"`
	Version  string       `json:"version"`
	Kind     string       `json:"kind"`
	Resource string       `json:"resource"`
	Schema   *spec.Schema `json:"schema"`
}

type typeWarning struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// published answers for the kinds of a question.
type published []knownKind

func (p published) ResolveSchema(kind schema.GroupVersionKind) (*spec.Schema, error) {
	for _, each := range p {
		if kind == (schema.GroupVersionKind{Group: each.Group, Version: each.Version, Kind: each.Kind}) {
			return each.Schema, nil
		}
	}
	return nil, resolver.ErrSchemaNotFound
}

func (p published) mapper() meta.RESTMapper {
	known := meta.NewDefaultRESTMapper(nil)
	for _, each := range p {
		version := schema.GroupVersion{Group: each.Group, Version: each.Version}
		plural := version.WithResource(each.Resource)
		known.AddSpecific(version.WithKind(each.Kind), plural, plural, meta.RESTScopeNamespace)
	}
	return known
}

func (q *question) typeWarnings() []typeWarning {
	checker := validating.TypeChecker{SchemaResolver: published(q.Kinds), RestMapper: published(q.Kinds).mapper()}
	found := []typeWarning{}
	for _, each := range checker.Check(&q.Policy) {
		found = append(found, typeWarning{each.FieldRef, each.Warning})
	}
	return found
}
