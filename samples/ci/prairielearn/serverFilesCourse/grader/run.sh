#!/usr/bin/env bash
# PrairieLearn runs this for each submission: the entrypoint in the info.json of a question.
set -euo pipefail
PLACE="${PLACE:-/grade}"

# Away from the student's folder: nothing of hers is read as settings or imported.
cd "$PLACE/tests"
grader check "$PLACE/student" --exercise "$EXERCISE" --suites . \
  --results "prairielearn=$PLACE/results/results.json"
