"""The words of the login page, in the languages the page itself has."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoginWords:
    """The words in one language; ``wait`` holds ``{seconds}``."""

    language: str
    title: str
    ask: str
    name: str
    password: str
    enter: str
    wrong: str
    wait: str


LANGUAGES = {
    words.language: words
    for words in (
        LoginWords(
            language="en",
            title="Log in",
            ask="Log in to chat.",
            name="Name",
            password="Password",
            enter="Log in",
            wrong="Name or password are wrong.",
            wait="Too many wrong tries. Wait {seconds} seconds, then try again.",
        ),
        LoginWords(
            language="zh",
            title="登录",
            ask="登录后开始对话。",
            name="用户名",
            password="密码",
            enter="登录",
            wrong="用户名或密码不对。",
            wait="尝试次数太多，请等 {seconds} 秒再试。",
        ),
    )
}


def words_for(accepted: str) -> LoginWords:
    """The first language of an ``Accept-Language`` header that there is; else English.

    Browsers list languages by preference, so weights are read only to leave out what is
    refused (``q=0``).
    """
    for entry in accepted.split(","):
        tag, _, weight = entry.strip().partition(";")
        refused = weight.replace(" ", "") in ("q=0", "q=0.0")
        words = LANGUAGES.get(tag.split("-")[0].lower())
        if words and not refused:
            return words
    return LANGUAGES["en"]
