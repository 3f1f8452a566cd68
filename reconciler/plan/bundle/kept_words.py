"""The words that an anonymous bundle keeps: those that Kubernetes, OVN and OVN-Kubernetes use themselves.

Every other word of a name, a label or an annotation gets other letters. So a word that is not on this list costs an
audit at most a row that it cannot recognise, and never shows what somebody wrote. A name made of these words alone,
such as ``default``, stays as it is.

Sources: ovn-nb(5); ovn-kubernetes, ``go-controller/pkg/types``, ``pkg/libovsdb/ops/db_object_types.go`` and the texts
of annotations; the enumerations of the definitions.
"""

from typing import Final

_KUBERNETES: Final = """
    address addresses admin alpha app apps arch baseline beta by cidr ClientIP Cluster cluster ClusterFirst
    ClusterIP clusters cncf cni component config control controller coredns created default Delete discovery dns
    DoesNotExist domain Egress endpointslice endpointslices Equal Everyone Exists External ExternalDNS ExternalIP
    Failed False false FQDN frr frrk8s Headless Hostname hostname http https In Ingress InternalDNS InternalIP io
    IPv4 IPv6 k8s kube kubernetes kubevirt label labels LoadBalancer Local managed metadata metallb mirroring multi
    multus name namespace namespaces networking node NodePort nodes None none NotIn null openshift operator org os
    Pending plane pod pods policies policy port ports PreferDualStack protocol provider Proxy public ready region
    RequireDualStack role roles Running SCTP sctp service services SingleStack storage subnet subnets Succeeded
    system TCP tcp topology True true type types UDP udp Unknown v1 v1alpha1 v1beta1 v2 version VIP virt vm worker
    zone zones
"""
_DEFINITIONS: Final = """
    Access All all Always Auto ClusterUserDefinedNetwork ClusterUserDefinedNetworks Debug DefaultNetwork Disable
    Disabled disabled EgressIP Enable Enabled enabled EVPN evpn external Failure filtered FRR Full FullMesh
    fullMesh Geneve internal Layer2 layer2 Layer3 layer3 Live LoadBalancerIP Localnet localnet Managed Network
    NetworkAttachmentDefinition NetworkAttachmentDefinitions no NoOverlay Normal Offline overlay OVNKubernetes
    OVSBridge Persistent PodNetwork present Primary primary PrimaryUserDefinedNetworks Secondary secondary
    SecondaryUserDefinedNetworks ServiceNetwork Success Trace TraceAll unicast Unmanaged UserDefinedNetwork VLAN
"""
_OVN: Final = """
    0xff acl action affinity after age allow always apply arp bfd binding chassis commit copp ct destination dhcpv4
    dhcpv6 direction disable dnat drop dst dynamic elb error est eth event exclude ext fair flood force fqdn from
    garp gateway hairpin HIGH icmp icmp4 icmp6 id igmp inport interconn interval inv ip ip4 ip6 key lb learn lease
    limiter log logging LOW lport mac map mark max mcast MEDIUM meter min mldv1 mldv2 monitor mtu nat nd neigh
    neighbor new next northd op options outport pass periodic physical pkt pktps preference prefix priority proxy
    querier rarp rate reg0 reject rel related relay remote reply request requested reroute reset resolve responder
    route router routers routes rpl send server set skip sll snat snoop source spa src stateful stateless svc
    switch table target threshold time timeout timestamp tll tnl to tpa track traffic trk ts tunid tunnel unknown
    unregistered uuid v4 v6 ver vips vlan yes
"""
_OVN_KUBERNETES: Final = """
    AdminNetworkPolicy advertise advertised AdvertisedNetwork AllowHostARPPrimaryUDN AllowHostARPSecondaryUDN
    AllowHostPrimaryUDN AllowHostSecondaryUDN AllowInterNode allowPersistentIPs ANP assignable attachment
    attachments auto balance balancer BANP bare BaselineAdminNetworkPolicy bgp bindings blocked br br0 breth bridge
    CDN claim clusterLBGroup ClusterNetworkConnect ClusterNodeIPs clusterPortGroup clusterRouterLBGroup
    clusterRtrPortGroup clusterSwitchLBGroup cnc cniVersion conditional connect crtor CUDN cudn CUDNs DefaultDeny
    defaultGatewayIPs defined DenyPrimaryUDN DenySecondaryUDN dest dhcp DNAT egress EgressFirewall
    EgressFirewallDNS egressip EgressQoS EgressService egressservice EgressSVC egresssvc EIP eip enable encap etor
    ex excludeSubnets exemption exgw family geneve GR gws hairpinning hop hops host hybrid HybridNodeRoute
    HybridOverlay ic iface ifaddr infrastructure infrastructureSubnets interface ipam ipamclaim ips ipv4 ipv6
    ipvlan Isolation Join join joinSubnet jtor kind launcher lib lla local locked lrp macvlan Mark masquerade mgmt
    migration mode mp multicast MulticastCluster MulticastNS multizone NAD nad Namespace nbdb net netAttachDefName
    netpol NetpolDefault NetpolNamespace NetpolNode NetpolPeer network NetworkPolicy NetworkQoS networks nextHop No
    Node nodeport NoOverlayClusterSubnetSNAT northbound NP ongoing only OpenPort outboundSNAT outside ovn ovnk
    ovnkube owner peers permitted physicalNetworkName physnet Pod PodSelector PrimaryUDN ReachNodes reference Reply
    Reroute reservedSubnets routing rtocr rtoe rtoj rtos rtotr rtots script SecondaryPods served Service shared
    singlezone SNAT static stor stotr Svc temporary To Traffic transit transitSubnet transport trtor trtos tstor
    UDN udn UDNEnabledService UDNIsolation unmanaged upgrade uplink upstream user VirtualMachine vlanID vrf vtep
    whereabouts zonemode zonename
"""
KEPT_WORDS: Final = frozenset(f"{_KUBERNETES} {_DEFINITIONS} {_OVN} {_OVN_KUBERNETES}".split())
"""The words, as they are written."""
