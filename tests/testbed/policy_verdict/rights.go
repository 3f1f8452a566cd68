package main

import (
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
)

// A right is a rule that is bound to a user: in some namespaces, or without any in all of them.
type right struct {
	User       string   `json:"user"`
	Verbs      []string `json:"verbs"`
	Groups     []string `json:"groups"`
	Resources  []string `json:"resources"`
	Names      []string `json:"names"`
	Paths      []string `json:"paths"`
	Namespaces []string `json:"namespaces"`
}

// authorizer is the server's for role-based access control, with a role and a binding for each right.
func (q *question) authorizer() authorizer.Authorizer {
	roles, bindings := []*rbacv1.Role{}, []*rbacv1.RoleBinding{}
	clusterRoles, clusterBindings := []*rbacv1.ClusterRole{}, []*rbacv1.ClusterRoleBinding{}
	for index, each := range q.Rights {
		name := metav1.ObjectMeta{Name: fmt.Sprintf("right-%d", index)}
		rules := []rbacv1.PolicyRule{{
			Verbs: each.Verbs, APIGroups: each.Groups, Resources: each.Resources,
			ResourceNames: each.Names, NonResourceURLs: each.Paths,
		}}
		who := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: each.User}}
		reference := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name}
		if len(each.Namespaces) == 0 {
			clusterRoles = append(clusterRoles, &rbacv1.ClusterRole{ObjectMeta: name, Rules: rules})
			clusterBindings = append(clusterBindings,
				&rbacv1.ClusterRoleBinding{ObjectMeta: name, Subjects: who, RoleRef: reference})
		}
		reference.Kind = "Role"
		for _, namespace := range each.Namespaces {
			name.Namespace = namespace
			roles = append(roles, &rbacv1.Role{ObjectMeta: name, Rules: rules})
			bindings = append(bindings, &rbacv1.RoleBinding{ObjectMeta: name, Subjects: who, RoleRef: reference})
		}
	}
	_, held := validation.NewTestRuleResolver(roles, bindings, clusterRoles, clusterBindings)
	return rbac.New(held, held, held, held)
}
