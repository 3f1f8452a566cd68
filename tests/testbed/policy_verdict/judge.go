package main

import (
	"context"
	"errors"
	"sync"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

var (
	nobody  = fake.NewClientset() // finds no namespace that the lister lacks
	schemes = runtime.NewScheme()
)

func judge(asked *question) (*answer, error) {
	defaults(asked)
	found := &answer{Warnings: []string{}, CompileErrors: compileErrors(&asked.Policy)}
	if len(found.CompileErrors) > 0 {
		return found, nil
	}
	found.TypeWarnings = asked.typeWarnings()
	if asked.Request.Resource == "validatingadmissionpolicies" {
		return nil, errors.New("the plugin never sees these")
	}
	spent := &account{}
	attributes := asked.Request.attributes()
	namespaces := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	if asked.Namespace != nil {
		if err := namespaces.Add(asked.Namespace); err != nil {
			return nil, err
		}
	}
	matcher := generic.NewPolicyMatcher(matching.NewMatcher(corelisters.NewNamespaceLister(namespaces), nobody))
	params, scope, err := asked.params()
	if err != nil {
		return nil, err
	}
	hook := validating.PolicyHook{
		Policy: &asked.Policy, Bindings: asked.Bindings, ParamInformer: params, ParamScope: scope,
		Evaluator: compile(&asked.Policy, spent),
	}
	said := &warnings{}
	ctx := warning.WithWarningRecorder(context.Background(), said)
	interfaces := admission.NewObjectInterfacesFromScheme(schemes)
	refusal := validating.NewDispatcher(asked.authorizer(), matcher).Dispatch(ctx, attributes, interfaces, []validating.PolicyHook{hook})
	found.Allowed, found.Warnings, found.Annotations = refusal == nil, said.texts, attributes.annotations
	found.Cost, found.Exhausted = spent.units, spent.exhausted
	if status := (apierrors.APIStatus)(nil); errors.As(refusal, &status) {
		held := status.Status()
		found.Status = &held
	} else if refusal != nil {
		return nil, refusal
	}
	return found, nil
}

type warnings struct {
	mutex sync.Mutex
	texts []string
}

// AddWarning keeps a text once, as the server's recorder does.
func (w *warnings) AddWarning(_, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, known := range w.texts {
		if known == text {
			return
		}
	}
	w.texts = append(w.texts, text)
}

// defaults are those of admissionregistration.k8s.io/v1.
func defaults(asked *question) {
	fail, equivalent, all := admissionv1.Fail, admissionv1.Equivalent, admissionv1.AllScopes
	fill := func(match *admissionv1.MatchResources) {
		if match == nil {
			return
		}
		if match.MatchPolicy == nil {
			match.MatchPolicy = &equivalent
		}
		for _, rules := range [][]admissionv1.NamedRuleWithOperations{match.ResourceRules, match.ExcludeResourceRules} {
			for index := range rules {
				if rules[index].Scope == nil {
					rules[index].Scope = &all
				}
			}
		}
	}
	if asked.Policy.Spec.FailurePolicy == nil {
		asked.Policy.Spec.FailurePolicy = &fail
	}
	selectors(asked.Policy.Spec.MatchConstraints)
	fill(asked.Policy.Spec.MatchConstraints)
	for _, binding := range asked.Bindings {
		selectors(binding.Spec.MatchResources)
		fill(binding.Spec.MatchResources)
	}
}

// informer gives the parameters of a question in the form the server reads them.
type informer struct {
	cache.SharedIndexInformer
	lister cache.GenericLister
}

func (i informer) Informer() cache.SharedIndexInformer { return i }
func (i informer) Lister() cache.GenericLister         { return i.lister }
func (i informer) HasSynced() bool                     { return true }

func (q *question) params() (informers.GenericInformer, meta.RESTScope, error) {
	scope := meta.RESTScopeNamespace
	if q.Cluster {
		scope = meta.RESTScopeRoot
	}
	if q.Policy.Spec.ParamKind == nil {
		return nil, nil, nil
	}
	held := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, each := range q.Params {
		one := &unstructured.Unstructured{Object: each}
		kind := q.Policy.Spec.ParamKind
		if one.GetAPIVersion() != kind.APIVersion || one.GetKind() != kind.Kind {
			continue
		}
		if err := held.Add(one); err != nil {
			return nil, nil, err
		}
	}
	return informer{lister: cache.NewGenericLister(held, schema.GroupResource{Resource: "params"})}, scope, nil
}
