"""A kit looks into no source: rules, advice and traces of calls are for `grader check`."""


class SurveyJudge:
    """Knows nothing."""

    given_lines = None

    def __init__(self, *_args):
        """Take whatever is given."""

    def rulings(self, *_args, **_settings):
        """Return no ruling."""
        return ()

    def advice(self):
        """Return no advice."""
        return ()

    def why_too_deep(self, _session, results):
        """Return the results as they are."""
        return results

    def with_calls(self, _session, results):
        """Return the results as they are."""
        return results
