// An executor: it serves sessions one after the other, each with the initial memory.

const PAGE_BYTES = 65536;
const OUR_OWN_TROUBLE = 70;
// The globals that remain: those of JavaScript, and those that Pyodide needs. Nobody has a complete
// list of ways to the network, to storage and to other pages, so all others are deleted.
const KEPT = new Set(`
  AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date
  Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity
  Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy
  RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol
  SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef
  WeakSet WebAssembly decodeURI decodeURIComponent encodeURI encodeURIComponent globalThis isFinite
  isNaN parseFloat parseInt undefined
  MessageChannel TextDecoder TextEncoder clearTimeout console constructor crypto onerror onmessage
  performance queueMicrotask self setTimeout
`.trim().split(/\s+/));
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

// The next bytes from the judge, undefined at the end of the session.
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
  const last = EventTarget.prototype;
  for (let scope = self; scope !== last; scope = Object.getPrototypeOf(scope)) {
    for (const name of Object.getOwnPropertyNames(scope)) {
      if (!KEPT.has(name)) delete scope[name];
    }
  }
}

async function start({ assets, seed, words }) {
  boundMemory();
  const python = await interpreter(assets, {
    env: { PYTHONHASHSEED: String(seed), LC_ALL: "C.UTF-8", TZ: "UTC" },
    jsglobals: {},
  });
  const prepare = python.pyimport("grader.plugins.site.executing").start;
  // A program that exits is suspended forever: its stack never continues.
  let leave;
  const serve = prepare(
    words, receive, (bytes) => post({ bytes }, [bytes.buffer]),
    (code) => { leave(code); return new Promise(() => {}); },
  );
  closeWaysOut();
  const memory = python._module;
  const atFirst = memory.HEAPU8.slice();
  const top = memory.stackSave();
  sizeAtFirst = atFirst.length; // WebAssembly memory grows, but never shrinks
  for (;;) {
    inbox = [];
    post({ ready: true });
    await until(() => !hasEnded);
    try {
      const left = new Promise((resolve) => { leave = resolve; });
      post({ over: await Promise.race([serve.callPromising(), left]) ?? 0 });
    } catch (error) {
      const code = error.status ?? (error.type ? OUR_OWN_TROUBLE : undefined);
      // Restoring memory does not restore objects that JavaScript freed: after an error, the worker
      // serves no other session.
      post({ over: code, isDead: error.status === undefined, why: String(error) });
    }
    await until(() => hasEnded);
    memory.stackRestore(top);
    memory.HEAPU8.set(atFirst);
    memory.HEAPU8.fill(0, atFirst.length);
  }
}
