"""The corpus of attacks, graded in each kind of host: what becomes of them, and of all around.

A new attack is a new folder in `tests/hostile`; its README says how.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from hostile_runs import (
    CALM,
    DOCTOR,
    HONEST_BODIES,
    MIXED,
    Batch,
    batch_for,
    case_of,
    corpus,
    entries,
)
from read_pages import Reader
from selection import HOSTS

from grader.verdict import Verdict

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is for Linux"),
    pytest.mark.walls(one_in=1),  # the attacks are drawn, not the tests
    pytest.mark.timeout(900),  # a worker may have to wait for batches, on a busy machine
]


@pytest.fixture(scope="module", params=HOSTS)
def batch(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Batch:
    """The whole corpus beside honest submissions, graded in a kind of host."""
    return batch_for(request, tmp_path_factory)


def forms(secret: str) -> dict[str, bytes]:
    """Return `secret` in the forms in which somebody may smuggle it out."""
    plain = secret.encode()
    return {
        "plain": plain,
        "reversed": plain[::-1],
        "hexadecimal": plain.hex().encode(),
        "base64": base64.b64encode(plain).rstrip(b"="),
    }


# The corpus itself


def test_there_are_a_hundred_attacks() -> None:
    """The corpus does not shrink unseen."""
    assert len(corpus()) >= 100


def test_each_attack_says_what_becomes_of_it() -> None:
    """Each folder is named after verdicts that exist."""
    words = {*Verdict, "UNGRADABLE"} - {Verdict.PASSED, Verdict.FAULT}
    for attack in corpus():
        assert set() == attack.verdicts - words, attack.name
        assert re.fullmatch(r"[A-Z_+]+(?:-[a-z0-9]+)+", attack.name), attack.name


def test_each_attack_says_what_it_tries() -> None:
    """An attack that can be loaded begins with a docstring, after coding lines if any."""
    silent = [
        attack.name
        for attack in corpus()
        if attack.verdicts != {"UNGRADABLE"}
        if not any(b'"""' in line for line in attack.source.replace(b"\0", b"").split(b"\n")[:3])
    ]
    assert [] == silent


def test_empty_files_of_an_attack_are_made_when_it_is_tried(tmp_path: Path) -> None:
    """So they do not lie in the corpus, where they say nothing."""
    (attack,) = (each for each in corpus() if each.name == "WRONG-more-files-than-are-read")
    attack.lay_out(tmp_path / "laid out")
    names = {"attack.py", "attack.yaml", *(f"file{number:03}.txt" for number in range(300))}
    assert names == {path.name for path in (tmp_path / "laid out").iterdir()}


# What becomes of the attacks


def test_each_attack_ends_as_its_name_says(batch: Batch) -> None:
    """The verdict of `answer(1)` is one of those in the name of the folder."""
    odd = [
        f"{attack.name}: {found}, {batch.entry(attack)['remarks']}"
        for attack in batch.attacks
        if (found := batch.verdict(attack)) not in attack.verdicts
    ]
    assert not odd, "\n".join(["not what the name says:", *odd])


def test_each_attack_is_told_what_it_has_to_be_told(batch: Batch) -> None:
    """What `said.txt` holds stands on the page of the student."""
    unsaid = []
    for attack in batch.attacks:
        text = "".join(Reader(batch.page_of[attack.name]).text)
        unsaid += [f"{attack.name}: {line}" for line in attack.said if line not in text]
    assert not unsaid, "\n".join(["not said:", *unsaid])


def test_no_attack_earns_a_point(batch: Batch) -> None:
    """Nobody knows the tokens, so nobody has points for them."""
    earned = [
        f"{attack.name}: {case['id']}"
        for attack in batch.attacks
        for case in batch.entry(attack)["cases"]
        if case["points"] and case["group"] != "honest"
    ]
    assert not earned, "\n".join(["points that nobody can earn:", *earned])


def test_no_attack_spoils_another_session(batch: Batch) -> None:
    """Who defines an honest function keeps its point, whatever the session before did."""
    lost = [
        f"{attack.name}: {case['verdict']}"
        for attack in batch.attacks
        if attack.defines_double and batch.entry(attack)["status"] == "graded"
        if not (case := case_of(batch.entry(attack), "honest/double"))["points"]
    ]
    assert not lost, "\n".join(["honest points that are lost:", *lost])


def test_no_attack_escapes(batch: Batch) -> None:
    """No attack says that it got out."""
    loud = []
    for name, page in batch.page_of.items():
        # A line that raised is shown, and may say what it would have said.
        without_source = re.sub(r'<pre class="code[ "].*?</pre>', "", page, flags=re.DOTALL)
        said = {text.strip() for text in Reader(without_source).text if "ESCAPED" in text}
        loud += [f"{name}: {text}" for text in sorted(said)]
    assert not loud, "\n".join(["got out:", *loud])


# The run as a whole


@pytest.mark.parametrize("command", [CALM, MIXED])
def test_the_run_ends_without_a_fault(batch: Batch, command: int) -> None:
    """Everybody is graded, nobody through a fault of ours."""
    faults = [name for (_, name), found in batch.entries.items() if found["status"] == "fault"]
    assert not faults, "\n".join(["our own failures:", *faults])
    done = batch.done(command)
    assert 0 == done.code, done.err


def test_nobody_is_lost(batch: Batch) -> None:
    """Each attack and each honest submission is in the results."""
    attacks = {("target", attack.name) for attack in batch.attacks}
    honest = entries(batch.calm_pages / "results.json").keys()
    assert attacks | honest == batch.entries.keys()


def test_everybody_is_graded_at_the_level_of_the_host(batch: Batch) -> None:
    """Each is held by the walls that the host gives, one at least; two where Landlock is one."""
    doctor = json.loads(batch.done(DOCTOR).out)
    assert doctor["level"] >= (2 if doctor["layers"]["landlock_abi"] else 1)
    assert {doctor["level"]} == {entry["isolation"] for entry in batch.entries.values()}


# Around the run


def test_no_witness_noticed_anything(batch: Batch) -> None:
    """No file, socket, process, shared memory or queue that lay open was touched."""
    assert [] == batch.report["noticed"]


def test_no_secret_gets_out(batch: Batch) -> None:
    """What lies in the environment, in files and in another submission is written nowhere."""
    found = [
        f"{place}, {form}: {where}"
        for where, data in batch.written()
        for place, secret in batch.secrets.items()
        for form, text in forms(secret).items()
        if text in data
    ]
    found += [
        f"{place}, {form}: {student}"
        for student, data in batch.records.items()
        for place, secret in batch.secrets.items()
        if (place, student) != ("neighbour", "honest_neighbour")  # it has its own source
        for form, text in forms(secret).items()
        if text in data
    ]
    assert len(batch.secrets) >= 4
    assert not found, "\n".join(["secrets that got out:", *found])


def test_no_process_outlives_the_run(batch: Batch) -> None:
    """Whatever an attack started, it ends with the run."""
    assert [] == batch.report["processes_left"]


def test_no_file_comes_or_goes(batch: Batch) -> None:
    """Places where anybody may make files look as before, but for the gate of the machine."""
    if batch.report["files_left"] is None:
        pytest.skip("only root can have such places alone, outside a container")
    gate = re.compile(r"/tmp/grader-\d+(?:/door|/room)?")
    assert [] == [path for path in batch.report["files_left"] if not gate.fullmatch(path)]


# The honest ones among them


def test_honest_submissions_get_what_they_get_alone(batch: Batch) -> None:
    """Graded in between attacks, side by side, an honest submission has the very same entry."""
    calm = entries(batch.calm_pages / "results.json")
    assert len(calm) >= len(HONEST_BODIES)
    assert calm == {key: batch.entries[key] for key in calm}


def test_honest_pages_are_the_same_among_attacks(batch: Batch) -> None:
    """Each page of an honest submission is the same, byte for byte."""
    pages = [path.relative_to(batch.calm_pages) for path in batch.calm_pages.glob("*/*.html")]
    assert len(pages) >= len(HONEST_BODIES)
    differing = [
        str(page)
        for page in pages
        if (batch.calm_pages / page).read_bytes() != (batch.pages / page).read_bytes()
    ]
    assert [] == differing


def test_honest_test_results_are_the_same_among_attacks(batch: Batch) -> None:
    """So is what JUnit XML says of it."""
    calm, mixed = (_test_suites(batch.folder / f"{name}.xml") for name in ("calm", "mixed"))
    assert len(calm) >= len(HONEST_BODIES)
    assert calm == {name: mixed[name] for name in calm}


def _test_suites(path: Path) -> dict[Any, bytes]:
    root = ET.parse(path).getroot()
    return {suite.get("name"): ET.canonicalize(ET.tostring(suite)).encode() for suite in root}
