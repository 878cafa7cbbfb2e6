"""Makes a page that grades in the browser of a student: nothing to install, nothing is sent."""
