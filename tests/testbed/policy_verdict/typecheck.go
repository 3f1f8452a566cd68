package main

import (
	"strings"
	"sync"

	extensionsscheme "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/restmapper"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

// A knownKind is one that the server serves. Without a schema, it is built in.
type knownKind struct {
	Group    string       `json:"group"`
	Version  string       `json:"version"`
	Kind     string       `json:"kind"`
	Resource string       `json:"resource"`
	Singular string       `json:"singular"`
	Schema   *spec.Schema `json:"schema"`
}

type typeWarning struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

// builtIn is the resolver of the controller that writes warnings into the status of policies. For kinds of the
// aggregator, the controller asks the server, which publishes the same definitions.
var builtIn = sync.OnceValue(func() resolver.SchemaResolver {
	return resolver.NewDefinitionsSchemaResolver(
		openapi.GetOpenAPIDefinitions, scheme.Scheme, extensionsscheme.Scheme, aggregatorscheme.Scheme)
})

// published answers for the kinds of a question.
type published []knownKind

func (p published) ResolveSchema(kind schema.GroupVersionKind) (*spec.Schema, error) {
	for _, each := range p {
		if kind != (schema.GroupVersionKind{Group: each.Group, Version: each.Version, Kind: each.Kind}) {
			continue
		}
		if each.Schema == nil {
			return builtIn().ResolveSchema(kind)
		}
		return each.Schema, nil
	}
	return nil, resolver.ErrSchemaNotFound
}

// mapper is the controller's, which reads what discovery says.
func (p published) mapper() meta.RESTMapper {
	groups := []*restmapper.APIGroupResources{}
	for _, each := range p {
		version := metav1.GroupVersionForDiscovery{Version: each.Version}
		singular := each.Singular
		if singular == "" {
			singular = strings.ToLower(each.Kind)
		}
		resource := metav1.APIResource{Name: each.Resource, SingularName: singular, Kind: each.Kind}
		groups = append(groups, &restmapper.APIGroupResources{
			Group:              metav1.APIGroup{Name: each.Group, Versions: []metav1.GroupVersionForDiscovery{version}},
			VersionedResources: map[string][]metav1.APIResource{each.Version: {resource}},
		})
	}
	return restmapper.NewDiscoveryRESTMapper(groups)
}

func (q *question) typeWarnings() []typeWarning {
	checker := validating.TypeChecker{SchemaResolver: published(q.Kinds), RestMapper: published(q.Kinds).mapper()}
	found := []typeWarning{}
	for _, each := range checker.Check(&q.Policy) {
		found = append(found, typeWarning{each.FieldRef, each.Warning})
	}
	return found
}
