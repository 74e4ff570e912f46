"""What this branch adds to main: its commits and the paths that it changes."""

import re
import subprocess

from tests.paths import ROOT

MAINS = ("origin/main", "upstream/main", "main")

MAX_SUBJECT = 70
"""Characters of the first line of a commit."""

NOT_A_VERB = {
    *("a", "all", "an", "any", "are", "as", "at", "both", "but", "by", "each", "every", "for"),
    *("from", "how", "if", "in", "is", "it", "its", "no", "now", "of", "on", "one", "only", "our"),
    *("some", "that", "the", "their", "there", "these", "they", "this", "to", "two", "we", "what"),
    *("when", "where", "which", "who", "with", "without"),
}
"""Words that begin a statement about what is, rather than say what to do."""


def git(*words: str) -> str:
    """What `git …` prints; nothing where there is no repository, or not what was asked for."""
    ran = subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False, errors="replace"
    )
    return ran.stdout if ran.returncode == 0 else ""


def base() -> str | None:
    """The commit at which this branch left main; None where it is main, or there is none."""
    head = git("rev-parse", "HEAD").strip()
    for main in MAINS:
        if (fork := git("merge-base", "HEAD", main).strip()) and fork != head:
            return fork
    return None


def subjects() -> list[str]:
    """Of the branch's own commits, without merges."""
    fork = base()
    return git("log", "--no-merges", "--format=%s", f"{fork}..HEAD").splitlines() if fork else []


def changed_paths() -> list[str]:
    fork = base()
    return git("diff", "--name-only", fork).splitlines() if fork else []


def fault_of(subject: str) -> str | None:
    """What is wrong with a commit's subject by CONTRIBUTING's rule, or None.

    Whether a word is a verb no program knows: endings and words that can't be an imperative are
    refused.
    """
    first = re.sub(r"\W.*", "", subject).lower()
    if len(subject) > MAX_SUBJECT:
        return f"{len(subject)} characters: say it in {MAX_SUBJECT}"
    if subject.endswith("."):
        return "it ends with a full stop"
    if not subject[:1].isupper() or ":" in subject.partition(" ")[0]:
        return "it doesn't begin with a verb in upper case"
    if first in NOT_A_VERB or re.search(r"(?:ed|ing|[^s]s)$", first):
        return f"{first!r} is no imperative: say what the commit does, as in 'Read states once'"
    return None
