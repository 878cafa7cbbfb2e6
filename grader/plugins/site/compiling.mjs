// node compiling.mjs PYODIDE PROGRAM: compiles the archive on standard input, using `compile_archive`.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const archive = new Uint8Array(readFileSync(0));
const [folder, program] = process.argv.slice(2);
const { loadPyodide } = await import(`${pathToFileURL(folder)}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: folder });
python.runPython(readFileSync(program, "utf8"));
const compiled = python.globals.get("compile_archive")(python.toPy(archive)).toJs();
process.stdout.write(compiled);
