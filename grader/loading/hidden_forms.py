"""The keys of a hidden suite: their types, what they mean, and an example of each.

A hidden suite lies beside a public one and adds to it: sessions that students do not get to see,
and groups that only these have cases of.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field

from grader.loading import texts
from grader.loading.fields import Form, Id, Remark, Slug, parsed_by, pattern_of
from grader.loading.forms import GroupForm, SessionForm, SessionHead, SetUp, StepForm

DEFAULT_SHARE = 0.9
MAX_SIBLINGS = 500
DEFAULT_DRAWN = 40
MAX_DRAWN = 2_000

FeedbackWord: TypeAlias = Literal["verdict", "clause", "counterexample"]
HiddenWord: TypeAlias = Literal["hidden", "staff"]
Sha256: TypeAlias = Annotated[str, parsed_by(texts.sha256), pattern_of(texts.SHA256_PATTERN)]
MutantName: TypeAlias = Annotated[str, parsed_by(texts.mutant), pattern_of(texts.MUTANT_PATTERN)]


class GeneratedForm(Form):
    """What generated sessions were made from."""

    model_config = ConfigDict(title="generated")

    version: int = Field(ge=1, description="Version of the generator.", examples=[1])
    seed: Remark = Field(description="What its draws start from.", examples=["autumn"])
    drawn: int = Field(
        ge=0,
        le=MAX_DRAWN,
        description="How many sessions were drawn, to choose from.",
        examples=[DEFAULT_DRAWN],
    )
    reference: Sha256 = Field(
        description="SHA-256 of the reference that said what to expect.",
        examples=["0123456789abcdef" * 4],
    )
    content: Sha256 = Field(
        description="SHA-256 of the sessions and siblings as they were made.",
        examples=["fedcba9876543210" * 4],
    )


class EquivalentForm(Form):
    """A mutant of the reference that no session can tell from it."""

    model_config = ConfigDict(title="equivalent")

    mutant: MutantName = Field(
        description="The mutant, as the audit names it; the name changes with the code.",
        examples=["3f2a91c0"],
    )
    reason: Remark = Field(
        description="Why nobody can tell the two apart.",
        examples=["both bounds are checked once more by the caller"],
    )


class HiddenSessionHead(SessionHead):
    """What there is to a hidden session besides its steps."""

    visibility: HiddenWord = Field(
        default="hidden",
        description="Who sees its cases: hidden (students see the verdict only), staff (students "
        "see nothing).",
        examples=["hidden"],
    )
    pool: Id | None = Field(
        default=None,
        description="The pool that it is in: each student gets one session of each pool.",
        examples=["corners"],
    )


class HiddenSessionForm(HiddenSessionHead, SessionForm):
    """Steps that run in order in one fresh process, and that students do not see."""

    model_config = ConfigDict(title="hidden_session")


class SiblingForm(SetUp):
    """A small session that is no part of the suite, and that shows a mistake to who made it."""

    model_config = ConfigDict(title="sibling")

    steps: list[StepForm] = Field(
        min_length=1,
        description="The lines of the session, in order; those with a group show the mistake.",
        examples=[[{"do": "YinYang(3, [], [])", "group": "YinYang"}]],
    )


class HiddenHead(Form):
    """What there is to a hidden suite besides its groups and sessions."""

    exercise: Slug = Field(
        description="Short name of the exercise, as in the public suite.", examples=["yinyang"]
    )
    generated: GeneratedForm | None = Field(
        default=None,
        description="What the sessions were made from, if a generator made them.",
        examples=[
            {
                "version": 1,
                "seed": "autumn",
                "drawn": DEFAULT_DRAWN,
                "reference": "0123456789abcdef" * 4,
                "content": "fedcba9876543210" * 4,
            }
        ],
    )
    share: float = Field(
        default=DEFAULT_SHARE,
        ge=0,
        le=1,
        description="The part of the points of a group, from 0 to 1, that its cases which are not "
        "public earn together, where it has public ones too.",
        examples=[DEFAULT_SHARE],
    )
    feedback: FeedbackWord = Field(
        default="counterexample",
        description="How much a student is told about a hidden case that failed: verdict, clause "
        "(of the spec), counterexample (a small session of its own that shows the mistake).",
        examples=["clause"],
    )
    equivalent: list[EquivalentForm] = Field(
        default_factory=list,
        description="Mutants of the reference that cannot be told from it.",
        examples=[[{"mutant": "3f2a91c0", "reason": "the caller checks the bounds too"}]],
    )


class HiddenForm(HiddenHead):
    """What a submission is asked besides the public suite, out of sight of students."""

    model_config = ConfigDict(title="hidden")

    groups: list[GroupForm] = Field(
        default_factory=list,
        description="Groups that the public suite does not have, with their points.",
        examples=[[{"id": "two-boards", "points": 2}]],
    )
    sessions: list[HiddenSessionForm] = Field(
        min_length=1,
        description="Each session runs in a process of its own.",
        examples=[
            [
                {
                    "id": "corners-1",
                    "pool": "corners",
                    "steps": [{"do": "YinYang(4, [], [])", "group": "YinYang"}],
                }
            ],
        ],
    )
    siblings: list[SiblingForm] = Field(
        default_factory=list,
        max_length=MAX_SIBLINGS,
        description="Small sessions that count for nothing. Who fails hidden cases of a group is "
        "shown the first one that has a case of that group and fails too: put short ones first.",
        examples=[
            [{"id": "s1", "steps": [{"do": "YinYang(3, [], [])", "group": "YinYang"}]}],
        ],
    )
