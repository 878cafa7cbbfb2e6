// Starts an interpreter in a worker, from what the page has loaded.

// What it asks the network for by name is here already, so that it works from a file, too.
async function interpreter({ wasm, library, lock, archive }, options) {
  const { fetch, WebAssembly } = self;
  self.fetch = async (url) => new Response(String(url).endsWith(".zip") ? library : null);
  WebAssembly.instantiateStreaming = async (_response, imports) =>
    ({ module: wasm, instance: await WebAssembly.instantiate(wasm, imports) });
  const python = await loadPyodide({
    indexURL: "https://nowhere.invalid/",
    packageBaseUrl: "https://nowhere.invalid/",
    lockFileContents: lock,
    createPyodideModule,
    enableRunUntilComplete: false,
    stdout: () => {},
    stderr: () => {},
    ...options,
  });
  self.fetch = fetch;
  python.unpackArchive(archive, "zip", { extractDir: "/grader" });
  python.runPython("import sys; sys.path.insert(0, '/grader')");
  return python;
}
