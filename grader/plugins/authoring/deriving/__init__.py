"""From a spec to a suite: finds the example sessions, proves them on the reference, writes YAML."""
