// An executor: it serves sessions one after the other, each starting with the initial memory.

const PAGE_BYTES = 65536;
const EXIT_CODE_OF_OUR_FAILURE = 70;
// The globals that remain: those of JavaScript, and those that Pyodide needs. No list of all globals
// that give access to the network, to storage and to other pages is complete, so all others are
// deleted.
const ALLOWED_GLOBALS = new Set(`
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
let maxBytes = Infinity;
let initialBytes = 0;

self.onmessage = ({ data }) => {
  if (data.start) start(data.start);
  else if (data.begin) {
    maxBytes = data.begin + initialBytes;
    hasEnded = false;
  } else if (data.bytes) inbox.push(data.bytes);
  else hasEnded = true;
  wake();
};

async function waitUntil(isTrue) {
  while (!isTrue()) await new Promise((resolve) => { wake = resolve; });
}

// Return the next bytes from the judge, or undefined at the end of the session.
async function receive() {
  await waitUntil(() => inbox.length || hasEnded);
  return inbox.shift();
}

function limitMemory() {
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > maxBytes) throw new RangeError("memory");
    return grow.call(this, pages);
  };
}

function deleteOtherGlobals() {
  const end = EventTarget.prototype;
  for (let scope = self; scope !== end; scope = Object.getPrototypeOf(scope)) {
    for (const name of Object.getOwnPropertyNames(scope)) {
      if (!ALLOWED_GLOBALS.has(name)) delete scope[name];
    }
  }
}

async function start({ assets, seed, words }) {
  limitMemory();
  const python = await interpreter(assets, {
    env: { PYTHONHASHSEED: String(seed), LC_ALL: "C.UTF-8", TZ: "UTC" },
    jsglobals: {},
  });
  const prepare = python.pyimport("grader.plugins.site.executing").start;
  // A program that exits is suspended forever, as its stack never continues.
  let leave;
  const serve = prepare(
    words, receive, (bytes) => post({ bytes }, [bytes.buffer]),
    (code) => { leave(code); return new Promise(() => {}); },
  );
  deleteOtherGlobals();
  const memory = python._module;
  const initialMemory = memory.HEAPU8.slice();
  const top = memory.stackSave();
  initialBytes = initialMemory.length; // WebAssembly memory grows, but never shrinks
  for (;;) {
    inbox = [];
    post({ ready: true });
    await waitUntil(() => !hasEnded);
    try {
      const exitCode = new Promise((resolve) => { leave = resolve; });
      post({ over: await Promise.race([serve.callPromising(), exitCode]) ?? 0 });
    } catch (error) {
      const code = error.status ?? (error.type ? EXIT_CODE_OF_OUR_FAILURE : undefined);
      // Restoring memory does not restore objects that JavaScript freed. So after an error, the
      // worker serves no other session.
      post({ over: code, isDead: error.status === undefined, why: String(error) });
    }
    await waitUntil(() => hasEnded);
    memory.stackRestore(top);
    memory.HEAPU8.set(initialMemory);
    memory.HEAPU8.fill(0, initialMemory.length);
  }
}
