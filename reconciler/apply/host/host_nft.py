"""ovnguard's nftables table in the kernel: read with `nft -j`, replaced in one transaction."""

import json
from collections.abc import Iterable

from reconciler.apply.host.host_shell import Shell, parsed
from reconciler.apply.store_errors import StoreError
from reconciler.plan.host.nft import FAMILY, TABLE, NftChain, NftSet
from reconciler.plan.host.nft_json import observed, replacing


def read_table(shell: Shell) -> tuple[tuple[NftSet, ...], tuple[NftChain, ...]]:
    """Return sets and chains of ovnguard's table; none when it does not exist. Raises StoreError when nft fails."""
    done = shell.run(["nft", "-j", "list", "table", FAMILY, TABLE])
    if done.code:
        if "No such file or directory" in done.err:
            return (), ()
        raise StoreError(f"nft list table {FAMILY} {TABLE}: {done.error_text}")
    try:
        return observed(parsed("nft", done.out))
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise StoreError(f"nft list table {FAMILY} {TABLE}: {error}") from None


def replace_table(shell: Shell, sets: Iterable[NftSet], chains: Iterable[NftChain]) -> None:
    """Replace the content of ovnguard's table. Raises StoreError without any change."""
    done = shell.run(["nft", "-j", "-f", "-"], json.dumps(replacing(sets, chains)))
    if done.code:
        raise StoreError(f"nft refuses the ruleset: {done.error_text}")
