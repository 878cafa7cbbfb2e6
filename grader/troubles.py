"""Why modules of a submission cannot be loaded: known beforehand, or looked for, each by itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from grader import obstacles
from grader.messages import Message
from grader.obstacles import Trouble
from grader.sessions import SessionRun, SessionRunner
from grader.submission import Submission
from grader.suite import Suite


class Troubles:
    """Why modules of a submission cannot be loaded; looked for when a session could not be."""

    def __init__(self, suite: Suite, submission: Submission, runner: SessionRunner) -> None:
        """Look at the modules of `suite` in `submission`, with `runner`."""
        self._suite: Final = suite
        self._submission: Final = submission
        self._runner: Final = runner
        self._missing: Final = [name for name in suite.modules if name not in submission.parts]
        self._of: Final = {name: obstacles.missing_module(name) for name in self._missing}
        self._looked = False

    def among(self, modules: Iterable[str]) -> list[Trouble]:
        """Return what is known to keep `modules` from being loaded."""
        return [self._of[name] for name in modules if name in self._of]

    def reasons(self) -> list[Message]:
        """Return all that is known to keep modules from being loaded, each reason once."""
        reasons: list[Message] = []
        for trouble in self.among(self._suite.modules):
            if trouble.reason not in reasons:
                reasons.append(trouble.reason)
        return reasons

    def everywhere(self) -> list[Trouble]:
        """Return the troubles of all modules, after a look at each; none if one can be loaded.

        One that cannot be because of another can, if that one has a stand-in.
        """
        self._look()
        modules, replaceable = self._suite.modules, self._suite.stand_ins
        troubles = {name: self._of.get(name) for name in modules}
        for name, trouble in troubles.items():
            if trouble is None or (trouble.module in replaceable and trouble.module != name):
                return []
        return self.among(modules)

    def together(self, run: SessionRun) -> Trouble:
        """Return why modules that can be loaded one by one cannot be in the session of `run`."""
        return self._trouble(None, run)

    def _look(self) -> None:
        """Load each module by itself, once."""
        if self._looked:
            return
        self._looked = True
        for module in self._submission.parts:
            run = self._runner.run((), lockstep=False, modules=(module,))
            assert run is not None, "without a main module there is always a run"
            if not run.loaded:
                self._of[module] = self._same_death(self._trouble(module, run))

    def _trouble(self, module: str | None, run: SessionRun) -> Trouble:
        return obstacles.loading_trouble(
            self._submission,
            module,
            run.imported.observation,
            self._runner.compile_errors,
            self._missing,
        )

    def _same_death(self, trouble: Trouble) -> Trouble:
        """Return `trouble`, or that of an earlier module which the executor died of likewise.

        A dead executor does not say where it was. Modules build on the earlier ones, so these are
        the likely place.
        """
        if trouble.died is None:
            return trouble
        for earlier in self._of.values():
            if earlier.died is not None and earlier.died.verdict is trouble.died.verdict:
                return earlier
        return trouble
