"""How a suite is made: derived from a spec, generated, audited. Nothing that grades imports it."""
