"""The manifests of an interconnect upgrade: what each folder holds, as plain objects.

They are sized to what the upgrade needs: the kinds and container names by which a phase is recognised, the flags of the
binary, the update strategy and the number of replicas. Sources: OpenShift enhancement "upgrades from 4.13 to 4.14 with
OVN interconnect", 'CNO implementation details' and 'Notes for hypershift'; cluster-network-operator, release 4.14,
``bindata/network/ovn-kubernetes``.
"""
