"""Controls access to a desk: one browser, by a cookie, and a CSRF token in each form.

The desk listens on this machine only, but every program on it can connect to it, and every page
open in the browser can send it requests. Other pages are kept out by the cookie, which is
`SameSite` and not sent with their requests; by the name in `Host`, since DNS rebinding can make
another name lead here; and, for requests that change something, by `Origin` and a CSRF token in the
form. The token in the address works only once, because all users of a machine can read command
lines, including the address with which a browser was started. The browser caches nothing, no page
can frame the desk, and no script but its own runs in it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grader.errors import UsageError

MAX_FORM_BYTES: Final = 1_000_000
MAX_UPLOAD_BYTES: Final = 65 << 20
"""Larger than any gradebook."""
_MAX_FIELDS: Final = 5_000
_FORM_TYPE: Final = "application/x-www-form-urlencoded"
_UPLOAD_TYPE: Final = "multipart/form-data"
_UNREADABLE: Final = "the desk cannot read the data that the browser sent: load the page again"
_EARLIER_DESK: Final = "this form is from an earlier desk"
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self';"
    " img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # a stricter value would hide `Origin` from us too
    "X-Content-Type-Options": "nosniff",
}


@dataclass(slots=True, kw_only=True)
class Pass:
    """The secrets that give a browser access."""

    port: int
    token: str | None = field(default_factory=lambda: secrets.token_urlsafe(24))
    """The token in the address, or None once it has been used."""
    session: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """The value of the cookie."""

    @property
    def hosts(self) -> tuple[str, str]:
        """The accepted values of the header `Host`."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    @property
    def address(self) -> str:
        """The address that opens the desk. It works only once."""
        return f"http://{self.hosts[0]}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """The name of the cookie, with the port: cookies are shared by all ports of a host."""
        return f"grader-desk-{self.port}"

    @property
    def form_token(self) -> str:
        """The CSRF token in each form."""
        # Hashed, so that the cookie cannot be derived from the token in a page.
        return hmac.new(self.session.encode(), b"form", hashlib.sha256).hexdigest()


class DeskGuard:
    """Middleware that forwards requests to an application, or refuses them."""

    def __init__(self, app: ASGIApp, browser_pass: Pass) -> None:
        """Guard `app`, so that only the browser with `browser_pass` can use it."""
        self._app: Final = app
        self._pass: Final = browser_pass

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or forward it; the response gets the security headers."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        if scope["type"] != "http":
            await self._app(scope, receive, send)
        else:
            answer = self._answer(Request(scope)) or self._app
            await answer(scope, receive, send_with_headers)

    def _answer(self, request: Request) -> Response | None:
        """Return the response to a request that is refused or redirected, or None for any other.

        The request that opens the desk uses up the token and gets the cookie.
        """
        # All `Host` headers are compared, because a right one must not hide a wrong one.
        if request.headers.getlist("host") not in [[host] for host in self._pass.hosts]:
            return _refusal(
                f"this desk has no such address: open it as http://{self._pass.hosts[0]}"
            )
        if request.method not in {"GET", "POST"}:
            return _refusal(f"{request.method} is refused: a desk accepts only GET and POST", 405)
        if _is_same(request.cookies.get(self._pass.cookie), self._pass.session):
            return self._answer_known_browser(request)
        token = request.query_params.get("token")
        if request.method != "GET" or not _is_same(token, self._pass.token):
            return _refusal(
                "the address in the terminal opens this desk only once: to open it in another"
                " browser, stop `grader desk` and start it again"
            )
        # Cleared before the response is sent, so that no second request can use the same token.
        self._pass.token = None
        answer = RedirectResponse("/", 303)  # takes the token out of the address bar
        answer.set_cookie(
            self._pass.cookie, self._pass.session, httponly=True, samesite="strict", path="/"
        )
        return answer

    def _answer_known_browser(self, request: Request) -> Response | None:
        """Return the response to a request with the right cookie, or None to let it through."""
        if "token" in request.query_params:
            return RedirectResponse("/", 303)  # takes the token out of the address bar
        if request.method == "GET":
            return None
        origin = request.headers.get("origin")
        is_own_page = (
            request.headers.get("sec-fetch-site") == "same-origin"  # no script can set this header
            if origin is None
            else origin in {f"http://{host}" for host in self._pass.hosts}
        )
        if is_own_page:
            return None
        return _refusal(
            "this form is not from a page of this desk: open the page, and send it from there"
        )


def _is_same(actual: str | None, expected: str | None) -> bool:
    """Return whether both strings are equal. None equals nothing, not even None.

    The comparison takes constant time, so that its duration reveals nothing about the secret.
    """
    if actual is None or expected is None:
        return False
    # As bytes, because `compare_digest` refuses non-ASCII text.
    return hmac.compare_digest(actual.encode("utf-8", "replace"), expected.encode())


def _refusal(reason: str, code: int = 403) -> Response:
    return PlainTextResponse(f"{reason}\n", code)


async def read_form(request: Request, browser_pass: Pass) -> Mapping[str, str]:
    """Return the fields of a form from this desk.

    Raises `UsageError` for any other form, and for a form that is too large or malformed.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise UsageError(
                f"the form has more than {MAX_FORM_BYTES:,} bytes", help="shorten its texts"
            )
    if request.headers.get("content-type", "").partition(";")[0].strip() != _FORM_TYPE:
        raise UsageError(_UNREADABLE)
    if body.count(b"&") >= _MAX_FIELDS:  # a megabyte can hold half a million fields
        raise UsageError(
            f"the form has more than {_MAX_FIELDS:,} fields: decide with `grader mark` instead"
        )
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError:
        raise UsageError(_UNREADABLE) from None
    # HTML forms send CRLF.
    fields = {name: text.replace("\r\n", "\n").strip() for name, text in pairs}
    if not _is_same(fields.pop("word", None), browser_pass.form_token):
        raise UsageError(_EARLIER_DESK, help="load the page again")
    return fields


async def read_upload(
    request: Request, browser_pass: Pass
) -> tuple[Mapping[str, str], Mapping[str, tuple[str, bytes]]]:
    """Return the fields of a form from this desk, and its files as name and bytes.

    Raises `UsageError` for any other form, for a malformed one, and for a file that is too large.
    """
    length = request.headers.get("content-length", "")
    # A chunked upload has no length, and would be stored before its size is known.
    if not length.isdecimal():
        raise UsageError(
            "the browser does not send the size of the file", help="use another browser"
        )
    if int(length) > MAX_UPLOAD_BYTES:
        raise UsageError(
            f"the file is larger than {MAX_UPLOAD_BYTES >> 20} MiB",
            help="choose the gradebook that your platform exports",
        )
    if request.headers.get("content-type", "").partition(";")[0].strip() != _UPLOAD_TYPE:
        raise UsageError(_UNREADABLE)
    fields, uploads = dict[str, str](), dict[str, tuple[str, bytes]]()
    try:
        async with request.form(max_files=1, max_fields=_MAX_FIELDS) as form:
            for name, value in form.multi_items():
                if isinstance(value, str):
                    fields[name] = value.strip()
                else:
                    uploads[name] = (value.filename or "", await value.read())
    except HTTPException as error:
        raise UsageError(_UNREADABLE) from error
    if not _is_same(fields.pop("word", None), browser_pass.form_token):
        raise UsageError(_EARLIER_DESK, help="load the page again")
    return fields, uploads
