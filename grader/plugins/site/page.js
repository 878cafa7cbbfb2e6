// The page: opens files, and shows the page of `grader check`. Workers do the grading.

const MAX_NAMED = 3;
const PAUSE_MS = 1000; // from the last change to the next automatic check
const element = (id) => document.getElementById(id);
const words = JSON.parse(element("words").textContent);
const { exercise, judge: judgeName, modules, version } = document.body.dataset;
const files = new Map(modules.split(" ").map((name) => [name, new Uint8Array()])); // as opened
const waiting = new Map(); // callbacks for answers of the judge, by number of the request
let requestCount = 0;
let judge = null;
let editor = null;
let prompt = null;
let passedBefore = new Map(); // whether each case passed in the last check
let isBusy = true;
let isWanted = false; // whether a check was requested while the judge was busy
let pause = null;

function setStatus(text) { element("status").textContent = text; }

// An asset: a file beside the page, or a part of the page itself.
async function asset(name, type = "application/octet-stream") {
  const part = element(`asset ${name}`);
  const packed = part
    ? new Response(Uint8Array.from(atob(part.textContent), (char) => char.charCodeAt(0)))
    : await fetch(`${name}.packed?${version}`);
  if (!packed.ok) throw new Error(`${name}: ${packed.status}`);
  const unpacked = packed.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked, { headers: { "content-type": type } });
}

const bytes = async (name) => (await asset(name)).arrayBuffer();
const text = async (name) => (await asset(name)).text();

async function script(name) {
  const parts = await Promise.all(["pyodide.js", "loading.js", name].map(text));
  return new Blob(parts, { type: "text/javascript" });
}

async function start() {
  const [wasm, library, lock, archive, executorArchive] = await Promise.all([
    WebAssembly.compileStreaming(asset("pyodide.asm.wasm", "application/wasm")),
    bytes("library.zip"), text("lock.json"),
    bytes(judgeName), bytes("executor.zip"),
  ]);
  const common = { wasm, library, lock };
  const setup = {
    executor: await script("executor.js"),
    words: await text("executor.json"),
    suite: await text(`${exercise}.json`),
    judgeAssets: { ...common, archive },
    executorAssets: { ...common, archive: executorArchive },
  };
  judge = new Worker(URL.createObjectURL(await script("judge.js")));
  judge.onerror = (event) => reportTrouble(event.message);
  judge.onmessage = ({ data }) => {
    if (data.number) {
      waiting.get(data.number)(data);
      waiting.delete(data.number);
      return;
    }
    isBusy = false;
    setStatus(words.ready);
    if (isWanted) check();
  };
  judge.postMessage(setup);
}

// The policy of the page allows this script by its hash, even if it is inserted.
async function startEditor() {
  const part = document.createElement("script");
  part.textContent = await text("codemirror.js");
  document.head.append(part);
  editor = new Editor(element("editor"), words, { changed, open: show });
  prompt = new Prompt(words, request, currentFiles);
  for (const [name, data] of files) editor.setText(name, decodeText(data) ?? "");
  show(files.keys().next().value);
}

function request(data) {
  return new Promise((resolve) => {
    waiting.set(++requestCount, resolve);
    judge.postMessage({ ...data, number: requestCount });
  });
}

function reportTrouble(why) { setStatus(`${words.trouble} ${why}`); }

function showAnswer({ answer, trouble, ms }, isAsked) {
  if (trouble) reportTrouble(trouble);
  else if (answer.error) setStatus(answer.error);
  else {
    const { result, marks, sessions } = answer;
    setStatus([words.done, ...changes(result), `(${(ms / 1000).toFixed(1)} s)`].join(" "));
    // Marks have line numbers of the code, which differ from those of a notebook's text.
    element("marks").hidden = !editor.mark(marks.filter(({ file }) => file.endsWith(".py")), element("lines"));
    if (result.status === "graded") prompt.offer(sessions);
    element("result").hidden = false;
    if (element("result").srcdoc !== answer.page) element("result").srcdoc = answer.page;
    if (isAsked) element("result").scrollIntoView({ block: "nearest" });
  }
}

// Sentences on cases that were fixed or broken since the last check.
function changes({ cases, status }) {
  if (status !== "graded") return [];
  const passedNow = new Map(cases.map(({ id, verdict }) => [id, verdict === "PASSED"]));
  const changedTo = (wanted) => [...passedNow].filter(
    ([id, passed]) => passed === wanted && passedBefore.get(id) === !passed);
  const sentences = [[words.mended, changedTo(true)], [words.broken, changedTo(false)]]
    .filter(([, changed]) => changed.length)
    .map(([sentence, changed]) => sentence.replace("{cases}", listNames(changed)));
  passedBefore = passedNow;
  return sentences;
}

function listNames(changed) {
  const named = changed.slice(0, MAX_NAMED).map(([id]) => id).join(", ");
  const omitted = changed.length - MAX_NAMED;
  return omitted > 0 ? `${named} (+${omitted})` : named;
}

async function check(isAsked = true) {
  clearTimeout(pause);
  isWanted = isBusy;
  if (isBusy || !editor) return;
  const nonEmpty = currentFiles();
  if (!nonEmpty.size) {
    setStatus(words.nothing);
    return;
  }
  isBusy = true;
  setStatus(words.checking);
  const reply = await request({ ask: "check", files: nonEmpty });
  isBusy = false;
  showAnswer(reply, isAsked);
  if (isWanted) check(false);
}

// After typing, repeat the check automatically once there is a result.
function changed() {
  clearTimeout(pause);
  if (!element("result").hidden && element("again").checked) pause = setTimeout(() => check(false), PAUSE_MS);
}

// Return the files to check. Files without edits have their original bytes.
function currentFiles() {
  const content = ([name, data]) => [name, editor.typedIn.has(name) ? new TextEncoder().encode(editor.text(name)) : data];
  return new Map([...files].map(content).filter(([, data]) => data.length));
}

function decodeText(data) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    return null; // not UTF-8
  }
}

function show(name) {
  editor.show(name);
  const options = [...files.keys()].map((file) => new Option(file, file, false, file === name));
  element("names").replaceChildren(...options);
  element("which").hidden = files.size < 2;
}

// Replace the open files with those in `opened`, a map from names to bytes, and check them. Undo
// restores edits of the file that is shown. The user is asked before other edits are lost.
function openFiles(opened) {
  const names = [...opened.keys()];
  const isOther = !names.every((name) => files.has(name));
  const isLost = [...editor.typedIn].some((name) => name !== editor.shown && !opened.has(name));
  if (isOther && isLost && !confirm(words.lost)) return;
  if (isOther) {
    files.clear();
    passedBefore = new Map(); // the last result was on other files
  }
  names.forEach((name, index) => {
    const data = opened.get(name);
    files.set(name, data);
    editor.setText(name, decodeText(data) ?? "", isOther && !index ? editor.shown : name);
  });
  editor.keepOnly([...files.keys()]);
  show(names[0]);
  check();
}

// Run the session of the case `id` at the prompt: now, or after the next check if it fails then.
function openPrompt(id) { prompt.show(id); }

// Open the code in the address: a student's page links here with the code, and with a case to open.
// The code is removed from the address, so that copying the address does not copy the code.
async function openHandIn() {
  const [, data] = location.hash.match(/^#hand-in=([\w=-]+)$/) ?? [];
  if (!data) return;
  history.replaceState(null, "", location.href.replace(/#.*/, ""));
  const plain = atob(data.replaceAll("-", "+").replaceAll("_", "/"));
  const packed = new Blob([Uint8Array.from(plain, (char) => char.charCodeAt(0))]);
  const unpacked = packed.stream().pipeThrough(new DecompressionStream("deflate"));
  const { files: linked, case: id } = await new Response(unpacked).json();
  // The link may come from anybody, so paths are reduced to names.
  const named = ([name, code]) => [name.split(/[/\\]/).pop(), new TextEncoder().encode(code)];
  openFiles(new Map(Object.entries(linked).map(named)));
  if (id) openPrompt(String(id));
}

async function openSelected(list) {
  const opened = [...list].map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())]);
  if (opened.length && editor) openFiles(new Map(await Promise.all(opened)));
}

element("check").addEventListener("click", () => check());
element("files").addEventListener("change", () => openSelected(element("files").files));
element("names").addEventListener("change", () => show(element("names").value));
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check();
});
document.addEventListener("dragover", (event) => event.preventDefault());
// In the capture phase, as the editor would insert the text of the file at the cursor.
document.addEventListener("drop", (event) => {
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  event.stopPropagation();
  openSelected(event.dataTransfer.files);
}, { capture: true });

startEditor().then(() => openHandIn().catch(() => setStatus(words.link))).catch((error) => reportTrouble(error));
if (!("Suspending" in WebAssembly)) setStatus(words.browser);
else start().catch((error) => reportTrouble(error));
if (location.protocol.startsWith("http") && element("offline")) {
  navigator.serviceWorker?.register("offline.js").catch(() => {});
}
