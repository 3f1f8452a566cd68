"""Where a request ends, however its bytes arrive."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.server.framing import MAX_HEAD, OverlongHead, RequestBuffer

GET = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"


def closing(request):
    line, _, rest = request.partition(b"\r\n")
    return line + b"\r\nConnection: close\r\n" + rest


@given(st.sampled_from([GET, POST, POST + GET]), st.integers(1, 40))
def test_complete_at_its_last_byte_and_not_before(stream, step):
    end = len(GET) if stream is GET else len(POST)
    buffer = RequestBuffer(100)
    for start in range(0, len(stream), step):
        if buffer.complete:
            break
        buffer.feed(stream[start : start + step])
        fed = min(start + step, len(stream))
        assert buffer.complete is (fed >= end)
        assert len(buffer) == fed
    assert stream.startswith(buffer.take())


def test_what_was_read_ahead_counts():
    assert RequestBuffer(100, POST).complete


@pytest.mark.parametrize(
    "fields",
    [
        b"Content-Length: 101",
        b"content-length : 999999999999999999999999",
        b"Content-Length: five",
        b"Content-Length: -1",
        b"Content-Length:",
        b"Content-Length: 1\r\nContent-Length: 1",
        b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: chunked\r\nContent-Length: 1",
    ],
)
def test_head_alone_when_the_end_cannot_be_told(fields):
    head = b"POST / HTTP/1.1\r\n" + fields + b"\r\n\r\n"
    buffer = RequestBuffer(100, head + b"body")
    assert buffer.complete
    assert buffer.take() == closing(head)


@pytest.mark.parametrize("length", [0, 1, 100])
def test_body_up_to_the_limit_is_waited_for(length):
    head = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % length
    buffer = RequestBuffer(100, head + b"x" * length)
    assert buffer.complete
    assert buffer.take() == head + b"x" * length


def test_field_names_inside_values_do_not_count():
    head = b"GET / HTTP/1.1\r\nX: content-length: 50\r\n\r\n"
    assert RequestBuffer(100, head).complete


def test_expectation_is_seen_only_where_a_body_is_waited_for():
    head = b"POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: %d\r\n\r\n"
    assert RequestBuffer(100, head % 5).expects_continue
    assert not RequestBuffer(100, head % 500).expects_continue
    assert not RequestBuffer(100, GET).expects_continue


def test_what_was_expected_is_not_asked_for_again():
    head = b"POST / HTTP/1.1\r\nHost: a\r\n%bContent-Length: 28\r\n\r\n"
    # a body is nobody's field
    rest = b"\r\nExpect: 100-continue\r\n\r\n!" + GET
    assert RequestBuffer(100, head % b"Expect: 100-Continue \r\n" + rest).take() == head % b"" + rest


def test_head_is_bounded():
    line = b"GET / HTTP/1.1\r\nX: "
    whole = line + b"x" * (MAX_HEAD - len(line)) + b"\r\n\r\n"
    assert RequestBuffer(100, whole).complete
    with pytest.raises(OverlongHead, match=r"^the head of the request is longer than 32768 bytes$"):
        RequestBuffer(100, line + b"x" * (MAX_HEAD - len(line) + 1) + b"\r\n\r\n")
    with pytest.raises(OverlongHead):
        RequestBuffer(100, b"x" * (MAX_HEAD + 1))
