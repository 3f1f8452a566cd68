"""Lookups: the addresses that DNS servers return for names, and for how long they may be kept.

All questions are asked at the same time, so that a slow server delays a round only once. The resolver of the machine is
not used: its cache would hide what the servers say, and CoreDNS on the node would be asked about itself.
"""

import asyncio
from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from typing import Final, NamedTuple

from dns.asyncresolver import Resolver
from dns.exception import DNSException
from dns.rdatatype import RdataType
from dns.resolver import NXDOMAIN, LifetimeTimeout, NoNameservers

from ovnguard.validators.network.model import IPAddress

LIFETIME: Final = 5.0
"""Seconds for one question, all servers and repetitions included."""
MOST_ADDRESSES: Final = 1000
"""Addresses of one answer, which may have four thousand in its 64 KiB; a load balancer has a few."""
_TRY: Final = 2.0
_CHECK_LIFETIME: Final = 1.0
# Fits into a packet of every path (DNS Flag Day 2020); longer answers come over TCP.
_PAYLOAD: Final = 1232
_TYPES: Final = {4: RdataType.A, 6: RdataType.AAAA}


class Question(NamedTuple):
    """A name, and the version of the addresses that are asked for."""

    name: str
    version: int

    def __str__(self) -> str:
        return f"{self.name} {_TYPES[self.version].name}"


class Answer(NamedTuple):
    """The addresses of one family, in order, and the seconds that they hold; or the ``problem`` that prevents them.

    Without both, the name exists and has no address of this family.
    """

    addresses: tuple[IPAddress, ...] = ()
    ttl: int = 0
    problem: str = ""


def look_up(
    questions: Iterable[Question], servers: Sequence[tuple[IPAddress, int]], lifetime: float = LIFETIME
) -> dict[Question, Answer]:
    """Ask ``servers`` (addresses and ports), each when those before it do not answer. Never raises for an answer."""
    asked = tuple(dict.fromkeys(questions))
    return dict(zip(asked, asyncio.run(_all(asked, servers, lifetime)), strict=True)) if asked else {}


def served_addresses(server: tuple[IPAddress, int], base_domain: str) -> frozenset[str]:
    """Return the addresses with which CoreDNS on a node, at ``server``, answers for a name below ``*.apps``."""
    asked = [Question(f"ovnguard-check.apps.{base_domain}", version) for version in _TYPES]
    answers = look_up(asked, (server,), _CHECK_LIFETIME)
    return frozenset(str(address) for answer in answers.values() for address in answer.addresses)


async def _all(
    questions: Sequence[Question], servers: Sequence[tuple[IPAddress, int]], lifetime: float
) -> list[Answer]:
    resolver = Resolver(configure=False)
    resolver.nameservers = [str(address) for address, _ in servers]
    resolver.nameserver_ports = {str(address): port for address, port in servers}
    resolver.timeout = min(_TRY, lifetime)
    resolver.use_edns(0, 0, _PAYLOAD)
    return await asyncio.gather(*(_one(resolver, question, lifetime) for question in questions))


async def _one(resolver: Resolver, question: Question, lifetime: float) -> Answer:
    """Follow aliases to the addresses; the shortest TTL on the way counts."""
    if not resolver.nameservers:
        return Answer(problem="no DNS server to ask")
    try:
        found = await resolver.resolve(
            f"{question.name.removesuffix('.')}.",
            _TYPES[question.version],
            raise_on_no_answer=False,
            lifetime=lifetime,
            search=False,
        )
    except NXDOMAIN:
        return Answer(problem="NXDOMAIN")
    except NoNameservers as error:
        return Answer(problem=_refusal(error))
    except LifetimeTimeout:
        return Answer(problem=f"no answer within {lifetime:g} s")
    except (DNSException, UnicodeError) as error:
        return Answer(problem=f"{type(error).__name__}: {error}")
    records = found.rrset or ()
    if len(records) > MOST_ADDRESSES:
        return Answer(problem=f"{len(records)} addresses, more than {MOST_ADDRESSES}")
    addresses = {ip_address(each.address) for each in records}
    return Answer(tuple(sorted(addresses, key=int)), found.chaining_result.minimum_ttl if addresses else 0)


def _refusal(error: NoNameservers) -> str:
    """The last answer of each server that cannot be used."""
    answers: dict[str, str] = {}
    for server, _, _, failure, _ in error.kwargs["errors"]:
        answers[str(server).removeprefix("Do53:").removesuffix("@53")] = str(failure)
    return "; ".join(f"{server}: {text}" for server, text in answers.items())
