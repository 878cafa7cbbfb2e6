// The page: files in, the page of `grader check` out. All else happens in workers.

const MOST_NAMED = 3;
const at = (id) => document.getElementById(id);
const words = JSON.parse(at("words").textContent);
const { exercise, judge: judgeName, modules, version } = document.body.dataset;
const files = new Map(modules.split(" ").map((name) => [name, new Uint8Array()]));
let shown = files.keys().next().value;
let isText = true; // whether the file that is shown is
let judge = null;
let before = new Map(); // which cases passed the last time
let isBusy = true;
let isWanted = false; // asked for while it was busy

function say(text) { at("status").textContent = text; }

// What the page is made of: a file beside it, or a part of the page itself.
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
    isBusy = false;
    if (data.ready) say(words.ready);
    else tell(data);
    if (isWanted) check();
  };
  judge.postMessage(setup);
}

function broken(why) { say(`${words.trouble} ${why}`); }

function tell({ page, result, error, trouble, ms }) {
  at("check").disabled = false;
  if (trouble) broken(trouble);
  else if (error) say(error);
  else {
    say([words.done, ...changes(result), `(${(ms / 1000).toFixed(1)} s)`].join(" "));
    at("result").hidden = false;
    at("result").srcdoc = page;
    at("result").scrollIntoView({ block: "nearest" });
  }
}

// What is mended since the last time, and what is broken.
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
  const named = changed.slice(0, MOST_NAMED).map(([id]) => id).join(", ");
  const left = changed.length - MOST_NAMED;
  return left > 0 ? `${named} (+${left})` : named;
}

function check() {
  isWanted = isBusy;
  if (isBusy) return;
  keep();
  const handedIn = new Map([...files].filter(([, data]) => data.length));
  if (!handedIn.size) {
    say(words.nothing);
    return;
  }
  isBusy = true;
  at("check").disabled = true;
  say(words.checking);
  judge.postMessage({ files: handedIn });
}

// The text that is shown, into the file that it is. What is no text is handed in as it is, unless
// somebody writes in its place.
function keep() {
  const { value } = at("code");
  if (isText || value) files.set(shown, new TextEncoder().encode(value));
}

function show(name) {
  shown = name;
  const data = files.get(name);
  try {
    at("code").value = new TextDecoder("utf-8", { fatal: true }).decode(data);
    isText = true;
  } catch {
    at("code").value = "";
    isText = false;
  }
  at("code").placeholder = isText ? "" : name;
  const options = [...files.keys()].map((each) => new Option(each, each, false, each === name));
  at("names").replaceChildren(...options);
  at("which").hidden = files.size < 2;
}

async function take(list) {
  if (!list.length) return;
  keep();
  if (!list.every((file) => files.has(file.name))) files.clear(); // it is other work
  for (const file of list) files.set(file.name, new Uint8Array(await file.arrayBuffer()));
  show(list[0].name);
  check();
}

at("check").addEventListener("click", check);
at("files").addEventListener("change", () => take([...at("files").files]));
at("names").addEventListener("change", () => { keep(); show(at("names").value); });
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check();
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  take([...event.dataTransfer.files]);
});

show(shown);
if (!("Suspending" in WebAssembly)) say(words.browser);
else start().catch((error) => broken(error));
if (location.protocol.startsWith("http") && at("offline")) {
  navigator.serviceWorker?.register("offline.js").catch(() => {});
}
