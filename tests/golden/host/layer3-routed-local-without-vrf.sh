# ---- node node1
ovs-vsctl --may-exist add-port br-int ovn-k8s-mp0 -- set Interface ovn-k8s-mp0 type=internal 'mac="0a:58:0a:80:02:02"' mtu_request=1400 external_ids:iface-id=k8s-node1 external_ids:k8s.ovn.org/network=default external_ids:ovnguard.io/owner=ovnguard
ovs-vsctl --may-exist add-port br-int ovn-k8s-mp3 -- set Interface ovn-k8s-mp3 type=internal 'mac="0a:58:0a:14:02:02"' mtu_request=1400 external_ids:iface-id=k8s-cluster_udn_blue_node1 external_ids:k8s.ovn.org/network=cluster_udn_blue external_ids:ovnguard.io/owner=ovnguard
ip link set dev ovn-k8s-mp0 nomaster up
ip link set dev ovn-k8s-mp3 nomaster up
sysctl -w net/ipv4/conf/ovn-k8s-mp0/forwarding=1
sysctl -w net/ipv4/conf/ovn-k8s-mp0/rp_filter=2
sysctl -w net/ipv4/conf/ovn-k8s-mp3/forwarding=1
sysctl -w net/ipv4/conf/ovn-k8s-mp3/rp_filter=2
ip address replace 169.254.0.2/17 dev breth0
ip address replace fd69::2/112 dev breth0 nodad preferred_lft 0
ip address replace 10.128.2.2/23 dev ovn-k8s-mp0
ip address replace fd01:0:0:1::2/64 dev ovn-k8s-mp0 nodad
ip address replace 10.20.2.2/24 dev ovn-k8s-mp3 noprefixroute
ip address replace fd20:0:0:2::2/64 dev ovn-k8s-mp3 nodad noprefixroute
ip neighbour replace 169.254.0.1 lladdr 0a:58:a9:fe:00:01 dev breth0 nud permanent
ip neighbour replace 169.254.0.4 lladdr 0a:58:a9:fe:00:04 dev breth0 nud permanent
ip neighbour replace fd69::1 lladdr 0a:58:37:85:74:a5 dev breth0 nud permanent
ip neighbour replace fd69::4 lladdr 0a:58:1b:ac:71:41 dev breth0 nud permanent
ip neighbour replace 10.128.2.1 lladdr 0a:58:0a:80:02:01 dev ovn-k8s-mp0 nud permanent
ip neighbour replace fd01:0:0:1::1 lladdr 0a:58:0a:80:02:01 dev ovn-k8s-mp0 nud permanent
ip neighbour replace 169.254.0.16 lladdr 0a:58:0a:14:02:01 dev ovn-k8s-mp3 nud permanent
ip neighbour replace fd69::10 lladdr 0a:58:0a:14:02:01 dev ovn-k8s-mp3 nud permanent
ip -4 route add unreachable 0.0.0.0/0 metric 4278198272 table 1003 proto 118
ip -4 route add 10.20.2.1/32 dev ovn-k8s-mp3 scope link table 1003 proto 118
ip -4 route add 169.254.0.16/32 dev ovn-k8s-mp3 scope link mtu 1400 table 1003 proto 118
ip -4 route add 169.254.0.1/32 dev breth0 scope link src 172.18.0.2 mtu 1400 table 254 proto 118
ip -4 route add 0.0.0.0/0 via 172.18.0.1 dev breth0 mtu 1400 table 1003 proto 118
ip -4 route add 10.20.2.0/24 via 10.20.2.1 dev ovn-k8s-mp3 table 1003 proto 118
ip -4 route add 10.96.0.0/16 via 169.254.0.4 dev breth0 mtu 1400 table 1003 proto 118
ip -4 route add 169.254.0.3/32 via 10.20.2.1 dev ovn-k8s-mp3 table 1003 proto 118
ip -4 route add 10.128.0.0/14 via 10.128.2.1 dev ovn-k8s-mp0 table 254 proto 118
ip -4 route add 10.96.0.0/16 via 169.254.0.4 dev breth0 mtu 1400 table 254 proto 118
ip -4 route add 169.254.0.3/32 via 10.128.2.1 dev ovn-k8s-mp0 table 254 proto 118
ip -6 route add unreachable ::/0 metric 4278198272 table 1003 proto 118
ip -6 route add fd20:0:0:2::1/128 dev ovn-k8s-mp3 metric 1024 table 1003 proto 118
ip -6 route add fd69::10/128 dev ovn-k8s-mp3 metric 1024 mtu 1400 table 1003 proto 118
ip -6 route add fd69::1/128 dev breth0 src fc00::2 metric 1024 mtu 1400 table 254 proto 118
ip -6 route add ::/0 via fc00::1 dev breth0 metric 1024 mtu 1400 table 1003 proto 118
ip -6 route add fd00:10:96::/112 via fd69::4 dev breth0 metric 1024 mtu 1400 table 1003 proto 118
ip -6 route add fd20:0:0:2::/64 via fd20:0:0:2::1 dev ovn-k8s-mp3 metric 1024 table 1003 proto 118
ip -6 route add fd69::3/128 via fd20:0:0:2::1 dev ovn-k8s-mp3 metric 1024 table 1003 proto 118
ip -6 route add fd00:10:96::/112 via fd69::4 dev breth0 metric 1024 mtu 1400 table 254 proto 118
ip -6 route add fd01::/48 via fd01:0:0:1::1 dev ovn-k8s-mp0 metric 1024 table 254 proto 118
ip -6 route add fd69::3/128 via fd01:0:0:1::1 dev ovn-k8s-mp0 metric 1024 table 254 proto 118
ip -4 rule add priority 2000 fwmark 0x1003 lookup 1003 protocol 118
ip -4 rule add priority 2000 iif ovn-k8s-mp3 lookup 1003 protocol 118
ip -4 rule add priority 2000 to 10.20.0.0/16 lookup 1003 protocol 118
ip -4 rule add priority 2000 to 169.254.0.16/32 lookup 1003 protocol 118
ip -6 rule add priority 2000 fwmark 0x1003 lookup 1003 protocol 118
ip -6 rule add priority 2000 iif ovn-k8s-mp3 lookup 1003 protocol 118
ip -6 rule add priority 2000 to fd20::/48 lookup 1003 protocol 118
ip -6 rule add priority 2000 to fd69::10/128 lookup 1003 protocol 118
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=550,ip,in_port=LOCAL,nw_src=169.254.0.0/17,nw_dst=10.96.0.0/16,actions=ct(commit,table=2,zone=64001)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=550,ipv6,in_port=LOCAL,ipv6_src=fd69::/112,ipv6_dst=fd00:10:96::/112,actions=ct(commit,table=2,zone=64001)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=500,ip,in_port=LOCAL,nw_dst=10.96.0.0/16,actions=ct(commit,table=2,zone=64001,nat(src=169.254.0.2))'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=500,ip,in_port={patch-breth0_node1-to-br-int},nw_src=10.96.0.0/16,nw_dst=169.254.0.0/17,actions=ct(table=3,zone=64001,nat)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=500,ipv6,in_port=LOCAL,ipv6_dst=fd00:10:96::/112,actions=ct(commit,table=2,zone=64001,nat(src=fd69::2))'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=500,ipv6,in_port={patch-breth0_node1-to-br-int},ipv6_src=fd00:10:96::/112,ipv6_dst=fd69::/112,actions=ct(table=3,zone=64001,nat)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=300,ip,in_port={uplink},nw_dst=10.20.2.0/24,actions=LOCAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=300,ipv6,in_port={uplink},ipv6_dst=fd20:0:0:2::/64,actions=LOCAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=205,udp,in_port={uplink},dl_dst=02:42:ac:12:00:02,tp_dst=6081,actions=LOCAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=205,udp6,in_port={uplink},dl_dst=02:42:ac:12:00:02,tp_dst=6081,actions=LOCAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=200,udp,in_port=LOCAL,tp_dst=6081,actions=output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=200,udp,in_port={uplink},tp_dst=6081,actions=NORMAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=200,udp6,in_port=LOCAL,tp_dst=6081,actions=output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=200,udp6,in_port={uplink},tp_dst=6081,actions=NORMAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=105,pkt_mark=0x3f0,ip,in_port={patch-breth0_cluster_udn_blue_node1-to-br-int},dl_src=02:42:ac:12:00:02,actions=ct(commit,zone=64000,nat(src=172.18.0.2),exec(set_field:0x6->ct_mark)),output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=105,pkt_mark=0x3f0,ip,in_port={patch-breth0_node1-to-br-int},dl_src=02:42:ac:12:00:02,actions=ct(commit,zone=64000,nat(src=172.18.0.2),exec(set_field:0x1->ct_mark)),output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=105,pkt_mark=0x3f0,ipv6,in_port={patch-breth0_cluster_udn_blue_node1-to-br-int},dl_src=02:42:ac:12:00:02,actions=ct(commit,zone=64000,nat(src=fc00::2),exec(set_field:0x6->ct_mark)),output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=105,pkt_mark=0x3f0,ipv6,in_port={patch-breth0_node1-to-br-int},dl_src=02:42:ac:12:00:02,actions=ct(commit,zone=64000,nat(src=fc00::2),exec(set_field:0x1->ct_mark)),output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=104,ip,in_port=LOCAL,dl_src=02:42:ac:12:00:02,nw_src=10.20.2.0/24,actions=output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=104,ipv6,in_port=LOCAL,dl_src=02:42:ac:12:00:02,ipv6_src=fd20:0:0:2::/64,actions=output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=103,ip,in_port={patch-breth0_cluster_udn_blue_node1-to-br-int},nw_src=10.20.0.0/16,actions=drop'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=103,ip,in_port={patch-breth0_node1-to-br-int},nw_src=10.128.0.0/14,actions=drop'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=103,ipv6,in_port={patch-breth0_cluster_udn_blue_node1-to-br-int},ipv6_src=fd20::/48,actions=drop'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=103,ipv6,in_port={patch-breth0_node1-to-br-int},ipv6_src=fd01::/48,actions=drop'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=100,ip,in_port=LOCAL,actions=ct(commit,zone=64000,exec(set_field:0x2->ct_mark)),output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=100,ip,in_port={patch-breth0_cluster_udn_blue_node1-to-br-int},dl_src=02:42:ac:12:00:02,nw_src=169.254.0.15,actions=ct(commit,zone=64000,nat(src=172.18.0.2),exec(set_field:0x6->ct_mark)),output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=100,ip,in_port={patch-breth0_node1-to-br-int},dl_src=02:42:ac:12:00:02,actions=ct(commit,zone=64000,exec(set_field:0x1->ct_mark)),output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=100,ipv6,in_port=LOCAL,actions=ct(commit,zone=64000,exec(set_field:0x2->ct_mark)),output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=100,ipv6,in_port={patch-breth0_cluster_udn_blue_node1-to-br-int},dl_src=02:42:ac:12:00:02,ipv6_src=fd69::f,actions=ct(commit,zone=64000,nat(src=fc00::2),exec(set_field:0x6->ct_mark)),output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=100,ipv6,in_port={patch-breth0_node1-to-br-int},dl_src=02:42:ac:12:00:02,actions=ct(commit,zone=64000,exec(set_field:0x1->ct_mark)),output:{uplink}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=50,ip,dl_dst=02:42:ac:12:00:02,actions=ct(table=1,zone=64000,nat)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=50,ipv6,dl_dst=02:42:ac:12:00:02,actions=ct(table=1,zone=64000,nat)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=10,dl_dst=02:42:ac:12:00:02,actions=output:{patch-breth0_node1-to-br-int},output:{patch-breth0_cluster_udn_blue_node1-to-br-int},NORMAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=10,in_port={patch-breth0_cluster_udn_blue_node1-to-br-int},dl_src=02:42:ac:12:00:02,actions=NORMAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=10,in_port={patch-breth0_node1-to-br-int},dl_src=02:42:ac:12:00:02,actions=NORMAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=9,in_port={patch-breth0_cluster_udn_blue_node1-to-br-int},actions=drop'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=0,priority=9,in_port={patch-breth0_node1-to-br-int},actions=drop'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=100,ct_state=+est+trk,ct_mark=0x1,ip,actions=check_pkt_larger(1414)->NXM_NX_REG0[0],resubmit(,11)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=100,ct_state=+est+trk,ct_mark=0x1,ipv6,actions=check_pkt_larger(1414)->NXM_NX_REG0[0],resubmit(,11)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=100,ct_state=+est+trk,ct_mark=0x2,ip,actions=LOCAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=100,ct_state=+est+trk,ct_mark=0x2,ipv6,actions=LOCAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=100,ct_state=+est+trk,ct_mark=0x6,ip,actions=check_pkt_larger(1414)->NXM_NX_REG0[0],resubmit(,11)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=100,ct_state=+est+trk,ct_mark=0x6,ipv6,actions=check_pkt_larger(1414)->NXM_NX_REG0[0],resubmit(,11)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=100,ct_state=+rel+trk,ct_mark=0x1,ip,actions=check_pkt_larger(1414)->NXM_NX_REG0[0],resubmit(,11)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=100,ct_state=+rel+trk,ct_mark=0x1,ipv6,actions=check_pkt_larger(1414)->NXM_NX_REG0[0],resubmit(,11)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=100,ct_state=+rel+trk,ct_mark=0x2,ip,actions=LOCAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=100,ct_state=+rel+trk,ct_mark=0x2,ipv6,actions=LOCAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=100,ct_state=+rel+trk,ct_mark=0x6,ip,actions=check_pkt_larger(1414)->NXM_NX_REG0[0],resubmit(,11)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=100,ct_state=+rel+trk,ct_mark=0x6,ipv6,actions=check_pkt_larger(1414)->NXM_NX_REG0[0],resubmit(,11)'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=14,icmp6,icmp_type=134,actions=FLOOD'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=14,icmp6,icmp_type=136,actions=FLOOD'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=10,dl_dst=02:42:ac:12:00:02,actions=LOCAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=1,priority=0,actions=NORMAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=2,priority=200,ip,nw_src=169.254.0.16,actions=drop'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=2,priority=200,ipv6,ipv6_src=fd69::10,actions=drop'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=2,priority=100,ip,nw_src=169.254.0.2,actions=set_field:02:42:ac:12:00:02->eth_dst,output:{patch-breth0_node1-to-br-int}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=2,priority=100,ipv6,ipv6_src=fd69::2,actions=set_field:02:42:ac:12:00:02->eth_dst,output:{patch-breth0_node1-to-br-int}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=3,priority=100,ip,actions=move:NXM_OF_ETH_DST[]->NXM_OF_ETH_SRC[],set_field:02:42:ac:12:00:02->eth_dst,LOCAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=3,priority=100,ipv6,actions=move:NXM_OF_ETH_DST[]->NXM_OF_ETH_SRC[],set_field:02:42:ac:12:00:02->eth_dst,LOCAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=11,priority=10,reg0=0x1,actions=LOCAL'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=11,priority=5,ct_mark=0x6,actions=output:{patch-breth0_cluster_udn_blue_node1-to-br-int}'
ovs-ofctl -O OpenFlow15 --bundle add-flows breth0 - <<< 'add cookie=0x6f766e67,table=11,priority=1,actions=output:{patch-breth0_node1-to-br-int}'
