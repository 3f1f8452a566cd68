# ---- node node1
ovs-vsctl --may-exist add-port br-int ovn-k8s-mp0 -- set Interface ovn-k8s-mp0 type=internal 'mac="0a:58:0a:80:02:02"' mtu_request=1400 external_ids:iface-id=k8s-node1 external_ids:k8s.ovn.org/network=default external_ids:ovnguard.io/owner=ovnguard
ovs-vsctl --may-exist add-port br-int ovn-k8s-mp6 -- set Interface ovn-k8s-mp6 type=internal 'mac="0a:58:cb:cb:00:02"' mtu_request=1400 external_ids:iface-id=k8s-test12_net_node1 external_ids:k8s.ovn.org/network=test12_net external_ids:ovnguard.io/owner=ovnguard
ip link add dev mp6-udn-vrf type vrf table 1006
ip link set dev mp6-udn-vrf alias 'ovnguard test12_net' up
ip link set dev ovn-k8s-mp0 nomaster up
ip link set dev ovn-k8s-mp6 master mp6-udn-vrf up
sysctl -w net/ipv4/conf/ovn-k8s-mp0/forwarding=1
sysctl -w net/ipv4/conf/ovn-k8s-mp0/rp_filter=2
sysctl -w net/ipv4/conf/ovn-k8s-mp6/forwarding=1
sysctl -w net/ipv4/conf/ovn-k8s-mp6/rp_filter=2
ip address replace 169.254.0.2/17 dev breth0
ip address replace fd69::2/112 dev breth0 nodad preferred_lft 0
ip address replace 10.128.2.2/23 dev ovn-k8s-mp0
ip address replace fd01:0:0:1::2/64 dev ovn-k8s-mp0 nodad
ip address replace 2010:100:200::2/60 dev ovn-k8s-mp6 nodad
ip address replace 203.203.0.2/16 dev ovn-k8s-mp6
ip neighbour replace 169.254.0.1 lladdr 0a:58:a9:fe:00:01 dev breth0 nud permanent
ip neighbour replace 169.254.0.4 lladdr 0a:58:a9:fe:00:04 dev breth0 nud permanent
ip neighbour replace fd69::1 lladdr 0a:58:37:85:74:a5 dev breth0 nud permanent
ip neighbour replace fd69::4 lladdr 0a:58:1b:ac:71:41 dev breth0 nud permanent
ip neighbour replace 10.128.2.1 lladdr 0a:58:0a:80:02:01 dev ovn-k8s-mp0 nud permanent
ip neighbour replace fd01:0:0:1::1 lladdr 0a:58:0a:80:02:01 dev ovn-k8s-mp0 nud permanent
ip -4 route add unreachable 0.0.0.0/0 metric 4278198272 table 1006 proto 118
ip -4 route add 169.254.0.22/32 dev ovn-k8s-mp6 scope link mtu 1400 table 1006 proto 118
ip -4 route add 169.254.0.1/32 dev breth0 scope link src 172.18.0.2 mtu 1400 table 254 proto 118
ip -4 route add 0.0.0.0/0 via 172.18.0.1 dev breth0 mtu 1400 table 1006 proto 118
ip -4 route add 10.96.0.0/16 via 169.254.0.4 dev breth0 mtu 1400 table 1006 proto 118
ip -4 route add 169.254.0.3/32 via 203.203.0.1 dev ovn-k8s-mp6 table 1006 proto 118
ip -4 route add 10.128.0.0/14 via 10.128.2.1 dev ovn-k8s-mp0 table 254 proto 118
ip -4 route add 10.96.0.0/16 via 169.254.0.4 dev breth0 mtu 1400 table 254 proto 118
ip -4 route add 169.254.0.3/32 via 10.128.2.1 dev ovn-k8s-mp0 table 254 proto 118
ip -6 route add unreachable ::/0 metric 4278198272 table 1006 proto 118
ip -6 route add fd69::16/128 dev ovn-k8s-mp6 metric 1024 mtu 1400 table 1006 proto 118
ip -6 route add fd69::1/128 dev breth0 src fc00::2 metric 1024 mtu 1400 table 254 proto 118
ip -6 route add ::/0 via fc00::1 dev breth0 metric 1024 mtu 1400 table 1006 proto 118
ip -6 route add fd00:10:96::/112 via fd69::4 dev breth0 metric 1024 mtu 1400 table 1006 proto 118
ip -6 route add fd69::3/128 via 2010:100:200::1 dev ovn-k8s-mp6 metric 1024 table 1006 proto 118
ip -6 route add fd00:10:96::/112 via fd69::4 dev breth0 metric 1024 mtu 1400 table 254 proto 118
ip -6 route add fd01::/48 via fd01:0:0:1::1 dev ovn-k8s-mp0 metric 1024 table 254 proto 118
ip -6 route add fd69::3/128 via fd01:0:0:1::1 dev ovn-k8s-mp0 metric 1024 table 254 proto 118
ip -4 rule add priority 2000 fwmark 0x1006 lookup 1006 protocol 118
ip -4 rule add priority 2000 to 169.254.0.22/32 lookup 1006 protocol 118
ip -6 rule add priority 2000 fwmark 0x1006 lookup 1006 protocol 118
ip -6 rule add priority 2000 to fd69::16/128 lookup 1006 protocol 118
