// Starts an interpreter in a worker from the assets of the page.

// Pyodide's requests are answered from these assets, so that it works without a server.
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
