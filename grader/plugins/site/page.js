// The page: takes files, and shows the page of `grader check`. The work happens in workers.

const MAX_NAMED = 3;
const PAUSE_MS = 1000; // from the last change to the next automatic check
const at = (id) => document.getElementById(id);
const words = JSON.parse(at("words").textContent);
const { exercise, judge: judgeName, modules, version } = document.body.dataset;
const files = new Map(modules.split(" ").map((name) => [name, new Uint8Array()])); // as opened
const waiting = new Map(); // callbacks for answers of the judge, by number of the request
let asked = 0;
let judge = null;
let editor = null;
let prompt = null;
let before = new Map(); // whether each case passed the last time
let isBusy = true;
let isWanted = false; // whether a check was requested while it was busy
let pause = null;

function say(text) { at("status").textContent = text; }

// An asset: a file beside the page, or a part of the page itself.
async function asset(name, type = "application/octet-stream") {
  const part = at(`asset ${name}`);
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
  judge.onerror = (event) => broken(event.message);
  judge.onmessage = ({ data }) => {
    if (data.number) {
      waiting.get(data.number)(data);
      waiting.delete(data.number);
      return;
    }
    isBusy = false;
    say(words.ready);
    if (isWanted) check();
  };
  judge.postMessage(setup);
}

// The policy of the page allows this script by its hash, even if it is inserted.
async function startEditor() {
  const part = document.createElement("script");
  part.textContent = await text("codemirror.js");
  document.head.append(part);
  editor = new Editor(at("editor"), words, { changed, open: show });
  prompt = new Prompt(words, ask, handedIn);
  for (const [name, data] of files) editor.put(name, decoded(data) ?? "");
  show(files.keys().next().value);
}

function ask(data) {
  return new Promise((resolve) => {
    waiting.set(++asked, resolve);
    judge.postMessage({ ...data, number: asked });
  });
}

function broken(why) { say(`${words.trouble} ${why}`); }

function tell({ answer, trouble, ms }, isAsked) {
  if (trouble) broken(trouble);
  else if (answer.error) say(answer.error);
  else {
    const { result, marks, sessions } = answer;
    say([words.done, ...changes(result), `(${(ms / 1000).toFixed(1)} s)`].join(" "));
    // Marks have line numbers of the code, which a notebook's text does not share.
    at("marks").hidden = !editor.mark(marks.filter(({ file }) => file.endsWith(".py")), at("lines"));
    if (result.status === "graded") prompt.offer(sessions);
    at("result").hidden = false;
    if (at("result").srcdoc !== answer.page) at("result").srcdoc = answer.page;
    if (isAsked) at("result").scrollIntoView({ block: "nearest" });
  }
}

// Sentences on cases that were fixed or broken since the last check.
function changes({ cases, status }) {
  if (status !== "graded") return [];
  const now = new Map(cases.map(({ id, verdict }) => [id, verdict === "PASSED"]));
  const those = (passes) => [...now].filter(([id, is]) => is === passes && before.get(id) === !is);
  const said = [[words.mended, those(true)], [words.broken, those(false)]]
    .filter(([, changed]) => changed.length)
    .map(([sentence, changed]) => sentence.replace("{cases}", enumerated(changed)));
  before = now;
  return said;
}

function enumerated(changed) {
  const named = changed.slice(0, MAX_NAMED).map(([id]) => id).join(", ");
  const left = changed.length - MAX_NAMED;
  return left > 0 ? `${named} (+${left})` : named;
}

async function check(isAsked = true) {
  clearTimeout(pause);
  isWanted = isBusy;
  if (isBusy || !editor) return;
  const given = handedIn();
  if (!given.size) {
    say(words.nothing);
    return;
  }
  isBusy = true;
  say(words.checking);
  const told = await ask({ ask: "check", files: given });
  isBusy = false;
  tell(told, isAsked);
  if (isWanted) check(false);
}

// After typing: once there is a result, the check is repeated automatically.
function changed() {
  clearTimeout(pause);
  if (!at("result").hidden && at("again").checked) pause = setTimeout(() => check(false), PAUSE_MS);
}

// The files to check; without edits, their original bytes.
function handedIn() {
  const now = ([name, data]) => [name, editor.typedIn.has(name) ? new TextEncoder().encode(editor.text(name)) : data];
  return new Map([...files].map(now).filter(([, data]) => data.length));
}

function decoded(data) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    return null; // not UTF-8
  }
}

function show(name) {
  editor.show(name);
  const options = [...files.keys()].map((each) => new Option(each, each, false, each === name));
  at("names").replaceChildren(...options);
  at("which").hidden = files.size < 2;
}

// Open the files in `given`, bytes by name, instead of the current ones, and check them. Undo restores
// edits of the file that is shown; before others are lost, it asks.
function openFiles(given) {
  const names = [...given.keys()];
  const isOther = !names.every((name) => files.has(name));
  const isLost = [...editor.typedIn].some((name) => name !== editor.shown && !given.has(name));
  if (isOther && isLost && !confirm(words.lost)) return;
  if (isOther) {
    files.clear();
    before = new Map(); // the last result was for other files
  }
  names.forEach((name, index) => {
    const data = given.get(name);
    files.set(name, data);
    editor.put(name, decoded(data) ?? "", isOther && !index ? editor.shown : name);
  });
  editor.keepOnly([...files.keys()]);
  show(names[0]);
  check();
}

// Run the session of the case `id` at the prompt, now or after the next check, if it fails.
function openPrompt(id) { prompt.show(id); }

// Open the code in the address: the page of a student links here with the code, and a case to begin
// with. It is removed from the address, so that copying the address does not copy the code.
async function openHandIn() {
  const [, data] = location.hash.match(/^#hand-in=([\w=-]+)$/) ?? [];
  if (!data) return;
  history.replaceState(null, "", location.href.replace(/#.*/, ""));
  const plain = atob(data.replaceAll("-", "+").replaceAll("_", "/"));
  const packed = new Blob([Uint8Array.from(plain, (char) => char.charCodeAt(0))]);
  const unpacked = packed.stream().pipeThrough(new DecompressionStream("deflate"));
  const { files: given, case: id } = await new Response(unpacked).json();
  // The link may come from anybody, so paths are reduced to names.
  const named = ([name, code]) => [name.split(/[/\\]/).pop(), new TextEncoder().encode(code)];
  openFiles(new Map(Object.entries(given).map(named)));
  if (id) openPrompt(String(id));
}

async function take(list) {
  const given = [...list].map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())]);
  if (given.length && editor) openFiles(new Map(await Promise.all(given)));
}

at("check").addEventListener("click", () => check());
at("files").addEventListener("change", () => take(at("files").files));
at("names").addEventListener("change", () => show(at("names").value));
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check();
});
document.addEventListener("dragover", (event) => event.preventDefault());
// In the capture phase: the editor would insert the text of a file at the cursor.
document.addEventListener("drop", (event) => {
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  event.stopPropagation();
  take(event.dataTransfer.files);
}, { capture: true });

startEditor().then(() => openHandIn().catch(() => say(words.link))).catch((error) => broken(error));
if (!("Suspending" in WebAssembly)) say(words.browser);
else start().catch((error) => broken(error));
if (location.protocol.startsWith("http") && at("offline")) {
  navigator.serviceWorker?.register("offline.js").catch(() => {});
}
