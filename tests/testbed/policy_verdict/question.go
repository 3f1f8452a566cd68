package main

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
)

// A question is a policy with its bindings, what it can read, and one request.
type question struct {
	Policy    admissionv1.ValidatingAdmissionPolicy           `json:"policy"`
	Bindings  []*admissionv1.ValidatingAdmissionPolicyBinding `json:"bindings"`
	Params    []content                                       `json:"params"`
	Cluster   bool                                            `json:"clusterScopedParams"`
	Namespace *corev1.Namespace                               `json:"namespace"`
	Kinds     []knownKind                                     `json:"kinds"`
	Rights    []right                                         `json:"rights"`
	Request   request                                         `json:"request"`
}

type request struct {
	Operation   string              `json:"operation"`
	Group       string              `json:"group"`
	Version     string              `json:"version"`
	Resource    string              `json:"resource"`
	Kind        string              `json:"kind"`
	Name        string              `json:"name"`
	Namespace   string              `json:"namespace"`
	Subresource string              `json:"subresource"`
	DryRun      bool                `json:"dryRun"`
	Object      content             `json:"object"`
	OldObject   content             `json:"oldObject"`
	Username    string              `json:"username"`
	UID         string              `json:"uid"`
	Groups      []string            `json:"groups"`
	Extra       map[string][]string `json:"extra"`
}

// An answer is what the client, the audit log and the policy's author see.
type answer struct {
	CompileErrors []compileError    `json:"compileErrors"`
	Allowed       bool              `json:"allowed"`
	Status        *metav1.Status    `json:"status"`
	Warnings      []string          `json:"warnings"`
	Annotations   map[string]string `json:"annotations"`
	Cost          int64             `json:"cost"`
	Exhausted     bool              `json:"exhausted"`
	TypeWarnings  []typeWarning     `json:"typeWarnings"`
}

type compileError struct {
	Path   string `json:"path"`
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// recorded keeps the annotations that the audit log would get: the first under a key stays.
type recorded struct {
	admission.Attributes
	annotations map[string]string
}

func (r *recorded) AddAnnotation(key, value string) error {
	if _, there := r.annotations[key]; !there {
		r.annotations[key] = value
	}
	return nil
}

func (r *request) attributes() *recorded {
	kind := schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
	resource := schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource}
	who := &user.DefaultInfo{Name: r.Username, UID: r.UID, Groups: r.Groups, Extra: r.Extra}
	made := admission.NewAttributesRecord(object(r.Object), object(r.OldObject), kind, r.Namespace, r.Name, resource,
		r.Subresource, admission.Operation(r.Operation), nil, r.DryRun, who)
	return &recorded{made, map[string]string{}}
}

// content is an object as the server decodes it: integers stay integers.
type content map[string]any

func (c *content) UnmarshalJSON(data []byte) error {
	return utiljson.Unmarshal(data, (*map[string]any)(c))
}

func object(held content) runtime.Object {
	if held == nil {
		return nil
	}
	return &unstructured.Unstructured{Object: held}
}
