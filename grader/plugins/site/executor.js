// An executor: it serves one session after the other, each in the memory it had when it began.

const PAGE_BYTES = 65536;
const OUR_OWN_TROUBLE = 70;
// By what a program could reach the network, the storage of the browser, or other pages.
const WAYS_OUT = [
  "fetch", "XMLHttpRequest", "WebSocket", "WebSocketStream", "WebTransport", "EventSource",
  "RTCPeerConnection", "importScripts", "indexedDB", "caches", "BroadcastChannel", "SharedWorker",
  "Worker", "navigator", "Notification", "FileReaderSync", "cookieStore", "createImageBitmap",
];
const post = self.postMessage.bind(self);
let inbox = [];
let hasEnded = true;
let wake = () => {};
let mostBytes = Infinity;
let sizeAtFirst = 0;

self.onmessage = ({ data }) => {
  if (data.start) start(data.start);
  else if (data.begin) {
    mostBytes = data.begin + sizeAtFirst;
    hasEnded = false;
  } else if (data.bytes) inbox.push(data.bytes);
  else hasEnded = true;
  wake();
};

async function until(isTrue) {
  while (!isTrue()) await new Promise((resolve) => { wake = resolve; });
}

// The next bytes of the judge, undefined at the end of what it asks.
async function receive() {
  await until(() => inbox.length || hasEnded);
  return inbox.shift();
}

function boundMemory() {
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > mostBytes) throw new RangeError("memory");
    return grow.call(this, pages);
  };
}

function closeWaysOut() {
  for (const name of WAYS_OUT) {
    for (let scope = self; scope; scope = Object.getPrototypeOf(scope)) delete scope[name];
  }
}

async function start({ assets, seed, words }) {
  boundMemory();
  const python = await interpreter(assets, {
    env: { PYTHONHASHSEED: String(seed), LC_ALL: "C.UTF-8", TZ: "UTC" },
    jsglobals: {},
  });
  const prepare = python.pyimport("grader.plugins.site.executing").start;
  // Who leaves is suspended for good: its stack is never gone on with.
  let leave;
  const serve = prepare(
    words, receive, (bytes) => post({ bytes }, [bytes.buffer]),
    (code) => { leave(code); return new Promise(() => {}); },
  );
  closeWaysOut();
  const memory = python._module;
  const atFirst = memory.HEAPU8.slice();
  const top = memory.stackSave();
  sizeAtFirst = atFirst.length; // it grows, and never shrinks
  for (;;) {
    inbox = [];
    post({ ready: true });
    await until(() => !hasEnded);
    try {
      const left = new Promise((resolve) => { leave = resolve; });
      post({ over: await Promise.race([serve.callPromising(), left]) ?? 0 });
    } catch (error) {
      const code = error.status ?? (error.type ? OUR_OWN_TROUBLE : undefined);
      post({ over: code, isDead: code !== OUR_OWN_TROUBLE, why: String(error) });
    }
    await until(() => hasEnded);
    memory.stackRestore(top);
    memory.HEAPU8.set(atFirst);
    memory.HEAPU8.fill(0, atFirst.length);
  }
}
