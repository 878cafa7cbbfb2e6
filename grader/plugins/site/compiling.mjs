// node compiling.mjs PYODIDE PROGRAM: compiles the archive on standard input with `compile_archive`.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const given = new Uint8Array(readFileSync(0));
const [folder, program] = process.argv.slice(2);
const { loadPyodide } = await import(`${pathToFileURL(folder)}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: folder });
python.runPython(readFileSync(program, "utf8"));
const made = python.globals.get("compile_archive")(python.toPy(given)).toJs();
process.stdout.write(made);
