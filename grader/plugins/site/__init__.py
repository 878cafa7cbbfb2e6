"""Makes pages that grade in the student's browser: nothing to install, nothing sent."""
