"""What comes with the grader to begin from: a course, small exercises, and large ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from command_line import grader

from grader.judging.judge import grade
from grader.judging.preparing import runner_for
from grader.plugins.authoring.courses import Course, find_course
from grader.plugins.authoring.exercise import Exercise, find_exercise
from grader.plugins.authoring.generating import Draws
from grader.plugins.authoring.generating.freezing import suite_of
from grader.plugins.authoring.generating.loading import load_generator
from grader.plugins.authoring.generating.oracle import Oracle
from grader.plugins.authoring.samples import exercise_kinds
from grader.plugins.authoring.solutions import Sources, read_solutions, submission_of
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.zygote import Zygote
from grader.suite.vocabulary import optional_packages

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def course(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A new course, in which we stand."""
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    assert 0 == grader(capfd, "new", "course", str(tmp_path / "course")).code
    monkeypatch.chdir(tmp_path / "course")
    return tmp_path / "course"


@pytest.fixture
def sandbox(zygote: Zygote, kind: str) -> Iterator[Sandbox]:
    """A sandbox with the packages that exercises of this kind need."""
    settings = yaml.safe_load((ROOT / f"samples/exercises/{kind}/exercise.yaml").read_text())
    packages = optional_packages(settings.get("imports", ()))
    if not packages:
        yield zygote
        return
    for package in packages:
        pytest.importorskip(package)
    with new_sandbox(packages) as made:
        yield made


@pytest.mark.commands
@pytest.mark.usefixtures("course")
@pytest.mark.parametrize("kind", exercise_kinds())
def test_a_new_exercise_works_as_it_is(
    kind: str, sandbox: Sandbox, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its suite is derived without a doubt, right solutions pass it, and wrong ones do not."""
    done = grader(capfd, "new", "exercise", "my-own", "--like", kind, "--title", "Mine: my own")
    assert 0 == done.code, done.err
    assert "grader derive my-own" == done.out.splitlines()[0]
    done = grader(capfd, "derive", "my-own")
    assert (0, 1) == (done.code, len(done.err.splitlines())), done.err
    mine = find_exercise("my-own", None, None)
    assert ("Mine: my own", "my_own") == (mine.suite.title, mine.suite.module)
    text = (mine.folder / "spec.md").read_text()
    assert text.startswith("# Mine: my own\n")
    assert "`my_own.py`" in text
    right, wrong = mine.right_programs(), read_solutions(mine.folder / "faulty", mine.sources)
    assert len(right) >= 1
    assert len(wrong) >= 2
    assert dict.fromkeys(right, 1) == {
        name: share_of(mine, each, sandbox) for name, each in right.items()
    }
    assert [] == [each.name for each in wrong if share_of(mine, each.sources, sandbox) == 1]
    if mine.generator_path.is_file():
        assert_generator_asks(mine, sandbox)


def share_of(exercise: Exercise, sources: Sources, sandbox: Sandbox) -> float:
    """Return which part of the points a program earns."""
    hand_in = submission_of(exercise.suite, sources, "x")
    record = grade(exercise.suite, hand_in, sandbox)
    return record.score / record.max_score


def assert_generator_asks(exercise: Exercise, sandbox: Sandbox) -> None:
    """Expect scenes that the reference answers, and clauses that the spec and the suite know."""
    generator = load_generator(exercise.generator_path, sandbox)
    hand_in = submission_of(exercise.suite, exercise.sources, "reference")
    runner = runner_for(exercise.suite, hand_in, sandbox)
    oracle = Oracle(runner, exercise.suite.modules, generator.clauses)
    for scenes in (generator.scenes(Draws("one")), generator.examples(Draws("one"))):
        found = {f"g{number:02}": oracle.session(scene) for number, scene in enumerate(scenes, 1)}
        assert suite_of(exercise.public_path, generator, found).sessions
        asked = {step.get("clause") for session in found.values() for step in session["steps"]}
        assert generator.clauses.keys() <= asked


@pytest.mark.usefixtures("course")
def test_a_new_exercise_has_no_solutions_but_the_reference(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Those to another exercise would only be in the way; `--like` is for who wants to see them."""
    assert (
        "grader derive mine\ngrader generate mine\n" == grader(capfd, "new", "exercise", "mine").out
    )
    assert {"exercise.yaml", "generator.py", "mine.py", "spec.md"} == {
        path.name for path in Path("reference/mine").iterdir()
    }


@pytest.mark.usefixtures("course")
def test_a_new_exercise_speaks_the_language_of_its_course(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """`grader.toml` says which."""
    Path("grader.toml").write_text("language = 'es'\n")
    assert 0 == grader(capfd, "new", "exercise", "mine").code
    settings = yaml.safe_load(Path("reference/mine/exercise.yaml").read_text())
    assert ("mine", "Mine", "es") == tuple(
        settings[key] for key in ("exercise", "title", "language")
    )


def test_samples_are_not_mixed_into_anything(
    capfd: pytest.CaptureFixture[str], course: Path
) -> None:
    """Least of all into a course that is there."""
    before = sorted(course.rglob("*"))
    done = grader(capfd, "sample", str(course))
    assert (2, True) == (done.code, "is not empty" in done.err)
    assert before == sorted(course.rglob("*"))


@pytest.mark.usefixtures("course")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("1010", "invalid name for a module: 1010"),
        ("class", "invalid name for a module: class"),
        ("../up", "invalid name for an exercise: ../up"),
        ("Mine", "invalid name for an exercise: Mine"),
        ("random", "would hide the standard library module random"),
        ("there", "reference/there already contains spec.md"),
    ],
)
def test_names_that_no_exercise_can_have_are_refused(
    name: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written, and nothing that is there is lost."""
    kept = Path("reference/there/spec.md")
    kept.parent.mkdir()
    kept.write_text("mine")
    before = sorted(Path().rglob("*"))
    done = grader(capfd, "new", "exercise", name)
    assert 2 == done.code
    assert said in done.err
    assert before == sorted(Path().rglob("*"))
    assert "mine" == kept.read_text()


def test_a_new_course_has_what_its_readme_and_git_speak_of(course: Path) -> None:
    """Folders, settings, schemas, a workflow; reports stay out of git."""
    for folder in re.findall(r"^[|] `(\w+)/`", (course / "README.md").read_text(), re.MULTILINE):
        assert (course / folder).is_dir() or f"{folder}/" in (course / ".gitignore").read_text()
    assert Course(folder=course, language="en") == find_course()
    assert (course / "testsuites/suite.schema.json").is_file()
    workflow = yaml.safe_load((course / ".github/workflows/suites.yml").read_text())
    assert "grader derive" in workflow["jobs"]["suites"]["steps"][-1]["run"]


@pytest.mark.commands
@pytest.mark.usefixtures("course")
def test_a_script_is_audited(capfd: pytest.CaptureFixture[str]) -> None:
    """Mutants are made of all of it, its main program included, and the sessions tell most."""
    assert 0 == grader(capfd, "new", "exercise", "mine", "--like", "script").code
    assert 0 == grader(capfd, "derive", "mine").code
    done = grader(capfd, "audit", "mine", "--jobs", "1", "--json")
    assert 0 == done.code, done.err
    slips = json.loads(done.out)["killed"]["slips"]
    assert 50 < slips["of"]
    assert 0.8 < slips["killed"] / slips["of"]


def test_the_sample_is_a_course_of_its_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Suites find reference and schema in it, and hand-ins are those of the project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    done = grader(capfd, "sample", "over here")
    assert (0, "cd 'over here' && grader grade submissions/akari\n") == (done.code, done.out)
    monkeypatch.chdir("over here")
    assert (
        tmp_path / "over here/reference/1010" == find_exercise("1010", None, None).folder.resolve()
    )
    first = Path("testsuites/akari.yaml").read_text().splitlines()[0]
    assert (Path("testsuites") / first.partition("$schema=")[2]).is_file()
    assert {path.name for path in (ROOT / "submissions/akari").iterdir()} == {
        path.name for path in Path("submissions/akari").iterdir()
    }


def test_a_clone_of_an_empty_repository_becomes_a_course(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there stays, as long as no file of ours has its name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    assert 0 == grader(capfd, "new", "course", ".").code
    assert (tmp_path / "grader.toml").is_file()
    done = grader(capfd, "new", "course", ".")
    assert (2, True) == (done.code, " already" in done.err)
